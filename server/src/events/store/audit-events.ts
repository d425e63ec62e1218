import { type Age, agedBefore, type PageRange, type Sql } from '../../platform/database/sql.ts'

/** `system` is the service itself: expiry, replay detection, deadlines. A `visitor` is not signed in. */
export type Actor =
  | { kind: 'operator' }
  | { kind: 'user'; id: string }
  | { kind: 'application'; id: string }
  | { kind: 'api_key'; id: string }
  | { kind: 'device'; id: string }
  | { kind: 'system' }
  | { kind: 'visitor' }

export interface AuditEventRow {
  id: string
  type: string
  at: Date
  actor: Actor
  partner_id: string | null
  application_id: string | null
  customer_id: string | null
  device_id: string | null
  details: Record<string, unknown>
}

export interface AuditFilter {
  type?: string
  actor_id?: string
  device_id?: string
  since?: Date
  until?: Date
  /** Of the same dates, with a margin: ids are ordered by time. */
  firstId?: string
  lastId?: string
  partner_id?: string
  application_id?: string
  customer_id?: string
}

/** The same text for any number of events: each text is kept prepared by its connection. */
export async function insertAuditEvents(sql: Sql, events: AuditEventRow[]): Promise<void> {
  await sql`
    insert into audit_events (id, type, at, actor, partner_id, application_id, customer_id, device_id, details)
    select id, type, at, actor::jsonb, partner_id, application_id, customer_id, device_id, details::jsonb
    from unnest(
      ${events.map(({ id }) => id)}::uuid[],
      ${events.map(({ type }) => type)}::text[],
      ${events.map(({ at }) => at.toISOString())}::timestamptz[],
      ${events.map(({ actor }) => JSON.stringify(actor))}::text[],
      ${events.map(({ partner_id }) => partner_id)}::uuid[],
      ${events.map(({ application_id }) => application_id)}::uuid[],
      ${events.map(({ customer_id }) => customer_id)}::uuid[],
      ${events.map(({ device_id }) => device_id)}::uuid[],
      ${events.map(({ details }) => JSON.stringify(details))}::text[]
    ) as event (id, type, at, actor, partner_id, application_id, customer_id, device_id, details)`
}

/** Newest first. The statement holds only the conditions of the filter, so that each combination uses its own index. */
export async function listAuditEvents(
  sql: Sql,
  filter: AuditFilter,
  { after, limit }: PageRange,
): Promise<AuditEventRow[]> {
  const { type, partner_id, application_id, customer_id, actor_id, device_id, since, until, firstId, lastId } = filter
  return await sql<AuditEventRow[]>`
    select id, type, at, actor, partner_id, application_id, customer_id, device_id, details
    from audit_events
    where id < ${after}
      ${type === undefined ? sql`` : sql`and type = ${type}`}
      ${partner_id === undefined ? sql`` : sql`and partner_id = ${partner_id}`}
      ${application_id === undefined ? sql`` : sql`and application_id = ${application_id}`}
      ${customer_id === undefined ? sql`` : sql`and customer_id = ${customer_id}`}
      ${actor_id === undefined ? sql`` : sql`and actor ->> 'id' = ${actor_id}`}
      ${device_id === undefined ? sql`` : sql`and device_id = ${device_id}`}
      ${since === undefined || firstId === undefined ? sql`` : sql`and at >= ${since} and id >= ${firstId}`}
      ${until === undefined || lastId === undefined ? sql`` : sql`and at < ${until} and id < ${lastId}`}
    order by id desc limit ${limit}`
}

export async function findAuditEvent(sql: Sql, id: string): Promise<AuditEventRow | undefined> {
  const [row] = await sql<AuditEventRow[]>`
    select id, type, at, actor, partner_id, application_id, customer_id, device_id, details
    from audit_events where id = ${id}`
  return row
}

export const auditTable = 'audit_events'

/** The bounds are ids, which are ordered by time. */
export async function createAuditMonth(sql: Sql, name: string, lower: string, upper: string): Promise<void> {
  await sql`select create_audit_partition(${name}, ${lower}::uuid, ${upper}::uuid)`
}

export async function protectAuditMonths(sql: Sql): Promise<void> {
  await sql`select protect_audit_partitions()`
}

/** Whether a month has no event that is to be kept: the clock that gave an event its id may have been wrong. */
export async function hasOnlyOldEvents(sql: Sql, month: string, age: Age): Promise<boolean> {
  const [row] = await sql<{ old: boolean }[]>`
    select not exists (select from ${sql(month)} where at >= ${agedBefore(sql, age)}) as old`
  return row!.old
}

/** Refused by the database while the month has an event of the last 30 days. */
export async function dropAuditMonth(sql: Sql, month: string): Promise<void> {
  await sql`select drop_audit_partition(${month})`
}

/** Until the end of the transaction; without it the table's triggers refuse every delete. */
export async function allowAuditDeletion(sql: Sql): Promise<void> {
  await sql`select set_config('landbridge.audit_deletion', 'retention', true)`
}

/** Events of a month that never got its partition. */
export async function deleteAuditStrays(sql: Sql, age: Age, max: number): Promise<void> {
  await sql`
    delete from audit_events_default where id = any(array(
      select id from audit_events_default where at < ${agedBefore(sql, age)} order by at limit ${max}))`
}
