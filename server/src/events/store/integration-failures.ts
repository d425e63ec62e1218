import { type Age, agedBefore, type PageRange, type Sql } from '../../platform/database/sql.ts'

export interface FailureRow {
  id: string
  at: Date
  request_id: string
  endpoint: string
  status: number
  error: string
  description: string | null
  reason: string
  detail: string | null
  application_id: string | null
  model_id: string | null
  device_id: string | null
}

export interface NewFailureRow extends Omit<FailureRow, 'at'> {
  at: string
  partner_id: string
  /** The application, the model or the partner: what the number of kept failures is counted by. */
  subject_id: string
}

/** Failures of one subject for one reason. */
export interface FailureKind {
  subject_id: string
  reason: string
}

export async function insertFailures(sql: Sql, rows: NewFailureRow[]): Promise<void> {
  const column = <Key extends keyof NewFailureRow>(key: Key) => rows.map((row) => row[key])
  await sql`
    insert into integration_failures
      (id, partner_id, subject_id, application_id, model_id, device_id, at, request_id, endpoint, status, error,
       description, reason, detail)
    select * from unnest(
      ${column('id')}::uuid[], ${column('partner_id')}::uuid[], ${column('subject_id')}::uuid[],
      ${column('application_id')}::uuid[], ${column('model_id')}::uuid[], ${column('device_id')}::uuid[],
      ${column('at')}::timestamptz[], ${column('request_id')}::text[], ${column('endpoint')}::text[],
      ${column('status')}::int[], ${column('error')}::text[], ${column('description')}::text[],
      ${column('reason')}::text[], ${column('detail')}::text[])`
}

/** `skip locked`, so that two processes that trim the same kinds cannot deadlock. */
export async function deleteAllButNewest(sql: Sql, kinds: FailureKind[], kept: number): Promise<void> {
  await sql`
    delete from integration_failures where id in (
      select old.id
      from (select distinct * from unnest(
        ${kinds.map(({ subject_id }) => subject_id)}::uuid[], ${kinds.map(({ reason }) => reason)}::text[]
      ) as kind (subject_id, reason)) kind
      cross join lateral (
        select id from integration_failures
        where subject_id = kind.subject_id and reason = kind.reason
        order by id desc offset ${kept}
        for update skip locked
      ) old)`
}

export interface FailureFilter {
  application_id?: string | undefined
  model_id?: string | undefined
  endpoint?: string | undefined
  error?: string | undefined
  reason?: string | undefined
  request_id?: string | undefined
}

/** Newest first. The statement holds only the conditions of the filter; the rows per subject are bounded. */
export async function listFailures(
  sql: Sql,
  partnerId: string,
  filter: FailureFilter,
  { after, limit }: PageRange,
): Promise<FailureRow[]> {
  const subject = filter.application_id ?? filter.model_id
  const is = (column: string, value: string | undefined) =>
    value === undefined ? sql`` : sql`and ${sql(column)} = ${value}`
  return await sql<FailureRow[]>`
    select id, at, request_id, endpoint, status, error, description, reason, detail, application_id, model_id, device_id
    from integration_failures
    where partner_id = ${partnerId} and id < ${after}
      ${is('subject_id', subject)} ${is('application_id', filter.application_id)} ${is('model_id', filter.model_id)}
      ${is('endpoint', filter.endpoint)} ${is('error', filter.error)} ${is('reason', filter.reason)}
      ${is('request_id', filter.request_id)}
    order by id desc limit ${limit}`
}

export async function deleteOldFailures(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from integration_failures where id = any(array(
      select id from integration_failures where at < ${agedBefore(sql, age)} order by at limit ${max} for update skip locked))`
  return count
}
