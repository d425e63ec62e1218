import { type Age, agedBefore, type Fragment, type PageRange, type Sql } from '../../platform/database/sql.ts'

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

const smallestId = '00000000-0000-0000-0000-000000000000'

/**
 * Newest first. The statement holds only the conditions of the filter, and is ordered by the first column of one index:
 * ordered by id alone, a plan for any values expects events of every type at every customer among the newest, and reads
 * the whole log for a rare one. That column is compared with an array of one value, which finds the first event as an
 * equality does; an equality would make the column irrelevant for the order (decision 9.23).
 */
export async function listAuditEvents(
  sql: Sql,
  filter: AuditFilter,
  { after, limit }: PageRange,
): Promise<AuditEventRow[]> {
  const { since, until, firstId, lastId } = filter
  const conditions = conditionsOf(sql, filter)
  const first = firstColumn(conditions)
  const others = conditions.filter((condition) => condition !== first)
  return await sql<AuditEventRow[]>`
    select id, type, at, actor, partner_id, application_id, customer_id, device_id, details
    from audit_events
    where id >= ${firstId ?? smallestId}
      and id < ${lastId === undefined ? sql`${after}::uuid` : sql`least(${after}::uuid, ${lastId}::uuid)`}
      ${first ? sql`and ${first.column} = any(array[${first.value}]::${first.array})` : sql``}
      ${[sql``, ...others.map(({ column, value }) => sql`and ${column} = ${value}`)]}
      ${since === undefined ? sql`` : sql`and at >= ${since}`}
      ${until === undefined ? sql`` : sql`and at < ${until}`}
    order by ${first ? sql`${first.column} desc, id desc` : sql`id desc`} limit ${limit}`
}

interface Condition {
  name: keyof AuditFilter
  column: Fragment
  value: string
  /** The type of an array of such values. */
  array: Fragment
}

function conditionsOf(sql: Sql, filter: AuditFilter): Condition[] {
  const [ids, texts] = [sql`uuid[]`, sql`text[]`]
  const columns = {
    device_id: { column: sql`device_id`, array: ids },
    actor_id: { column: sql`(actor ->> 'id')`, array: texts },
    customer_id: { column: sql`customer_id`, array: ids },
    partner_id: { column: sql`partner_id`, array: ids },
    application_id: { column: sql`application_id`, array: ids },
    type: { column: sql`type`, array: texts },
  }
  return Object.entries(columns).flatMap(([key, column]) => {
    const name = key as keyof typeof columns
    const value = filter[name]
    return value === undefined ? [] : [{ name, value, ...column }]
  })
}

/**
 * The first column of the index that finds these events. None for two owners, such as a customer and an application:
 * which of them has fewer events, Postgres knows better.
 */
function firstColumn([first, second, third]: Condition[]): Condition | undefined {
  if (first?.name === 'device_id' || first?.name === 'actor_id') return first
  return third || (second && second.name !== 'type') ? undefined : first
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
