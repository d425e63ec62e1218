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
  partner_id: string | null
}

/** Failures of one subject (application, model or partner) for one reason. */
export interface FailureKind {
  subject_id: string
  reason: string
}

/** A device leads to its model, and an application or model to its partner; a failure without a partner is skipped. */
export async function insertFailures(sql: Sql, rows: NewFailureRow[]): Promise<FailureKind[]> {
  const column = <Key extends keyof NewFailureRow>(key: Key) => rows.map((row) => row[key])
  return await sql<FailureKind[]>`
    insert into integration_failures
      (id, partner_id, subject_id, application_id, model_id, device_id, at, request_id, endpoint, status, error,
       description, reason, detail)
    select failure.id, owner.partner_id, coalesce(application.client_id, model.id, owner.partner_id),
      application.client_id, model.id, device.id, failure.at, failure.request_id, failure.endpoint, failure.status,
      failure.error, failure.description, failure.reason, failure.detail
    from unnest(
      ${column('id')}::uuid[], ${column('partner_id')}::uuid[], ${column('application_id')}::uuid[],
      ${column('model_id')}::uuid[], ${column('device_id')}::uuid[], ${column('at')}::timestamptz[],
      ${column('request_id')}::text[], ${column('endpoint')}::text[], ${column('status')}::int[],
      ${column('error')}::text[], ${column('description')}::text[], ${column('reason')}::text[],
      ${column('detail')}::text[]
    ) as failure
      (id, partner_id, application_id, model_id, device_id, at, request_id, endpoint, status, error, description,
       reason, detail)
    left join applications application on application.client_id = failure.application_id
    left join devices device on device.id = failure.device_id
    left join models model on model.id = coalesce(device.model_id, failure.model_id)
    cross join lateral (
      select coalesce(application.partner_id, model.partner_id, failure.partner_id) as partner_id
    ) owner
    where owner.partner_id is not null
    returning subject_id, reason`
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
