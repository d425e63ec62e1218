import type { PageRange, Sql } from '../../platform/database/sql.ts'

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

export interface FailureFilter {
  application_id?: string | undefined
  model_id?: string | undefined
  endpoint?: string | undefined
  error?: string | undefined
  reason?: string | undefined
  request_id?: string | undefined
}

/** Newest first. Only the conditions asked for stand in the statement; what is kept of a subject is bounded. */
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
