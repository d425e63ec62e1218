import type { PageRange, Sql } from '../../platform/database/sql.ts'
import type { IdTokenAlg, RequestedPermissions } from './applications-sql.ts'

/** A new application, as its partner wants it. */
export interface WantedApplication {
  name: string
  home_page: string | null
  redirect_uris: string[]
  id_token_alg: IdTokenAlg
  requested_permissions: RequestedPermissions | null
  logo: Buffer | null
  logo_type: string | null
}

export interface ApplicationRequest extends Omit<WantedApplication, 'logo'> {
  /** The application's client_id, once it is approved. */
  id: string
  partner_id: string
  revision: number
  has_logo: boolean
  /** An actor of the audit log. */
  requested_by: { kind: string; id?: string }
  requested_at: Date
  refused_at: Date | null
  reason: string | null
}

export type RequestWithLogo = ApplicationRequest & { logo: Buffer | null }

const columns = (sql: Sql) => sql`
  application_requests.id, partner_id, revision, application_requests.name, home_page, redirect_uris, id_token_alg,
  requested_permissions, logo_type, logo is not null as has_logo, requested_by, requested_at, refused_at, reason`

type Asked = WantedApplication & Pick<ApplicationRequest, 'requested_by' | 'requested_at'>

const wantedColumns = (sql: Sql, { requested_permissions: asked, requested_by, ...plain }: Asked) => ({
  ...plain,
  requested_permissions: asked && sql.json(asked),
  requested_by: sql.json(requested_by),
})

export async function insertRequest(sql: Sql, id: string, partnerId: string, asked: Asked): Promise<void> {
  const row = { id, partner_id: partnerId, revision: 1, ...wantedColumns(sql, asked) }
  await sql`insert into application_requests ${sql(row)}`
}

/** It waits, or waits again. */
export async function updateRequest(sql: Sql, id: string, asked: Asked): Promise<void> {
  const { name, home_page, redirect_uris, id_token_alg, logo, logo_type, requested_by, requested_at } = asked
  await sql`
    update application_requests set
      revision = revision + 1, name = ${name}, home_page = ${home_page}, redirect_uris = ${redirect_uris}::text[],
      id_token_alg = ${id_token_alg}, logo = ${logo}, logo_type = ${logo_type}, requested_by = ${sql.json(requested_by)},
      requested_permissions = ${asked.requested_permissions ? sql.json(asked.requested_permissions) : null}::jsonb,
      requested_at = ${requested_at}, refused_at = null, reason = null
    where id = ${id}`
}

export async function countRequests(sql: Sql, partnerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from application_requests where partner_id = ${partnerId}`
  return row!.count
}

export async function listRequestsOf(
  sql: Sql,
  partnerId: string,
  { after, limit }: PageRange,
): Promise<ApplicationRequest[]> {
  return await sql<ApplicationRequest[]>`
    select ${columns(sql)} from application_requests
    where partner_id = ${partnerId} and id > ${after} order by id limit ${limit}`
}

export async function findRequestOf(sql: Sql, partnerId: string, id: string): Promise<RequestWithLogo | undefined> {
  const [row] = await sql<RequestWithLogo[]>`
    select ${columns(sql)}, logo from application_requests where id = ${id} and partner_id = ${partnerId}`
  return row
}

/** Until the transaction ends nobody else changes or decides it. */
export async function lockRequest(sql: Sql, id: string): Promise<RequestWithLogo | undefined> {
  const [row] = await sql<RequestWithLogo[]>`
    select ${columns(sql)}, logo from application_requests where id = ${id} for update`
  return row
}

export async function deleteRequest(sql: Sql, id: string): Promise<void> {
  await sql`delete from application_requests where id = ${id}`
}

export async function refuseRequest(sql: Sql, id: string, reason: string, at: Date): Promise<void> {
  await sql`update application_requests set refused_at = ${at}, reason = ${reason} where id = ${id}`
}

export interface Waiting {
  changes: number
  applications: number
  /** Applications whose partner asks for a new secret. */
  secrets: { client_id: string; name: string }[]
}

/** Of all partners: of each kind up to `most`, so that it costs the same however many wait. */
export async function findWaiting(sql: Sql, most: number): Promise<Waiting> {
  const [row] = await sql<Waiting[]>`
    select
      (select count(*)::int from (select from presentation_changes where refused_at is null limit ${most}) c) as changes,
      (select count(*)::int from (select from application_requests where refused_at is null limit ${most}) r)
        as applications,
      (select coalesce(jsonb_agg(jsonb_build_object('client_id', client_id, 'name', name) order by client_id), '[]') from (
        select client_id, name from applications where secret_rotation_requested_at is not null
        order by client_id limit ${most}) s) as secrets`
  return row!
}

export interface WaitingRequest extends ApplicationRequest {
  partner_name: string
  partner_domain: string | null
}

const waiting = (sql: Sql) => sql`
  select ${columns(sql)}, p.name as partner_name, p.verified_domain as partner_domain`

export async function listWaitingRequests(sql: Sql, { after, limit }: PageRange): Promise<WaitingRequest[]> {
  return await sql<WaitingRequest[]>`
    ${waiting(sql)} from application_requests join directory_partners p on p.id = partner_id
    where refused_at is null and application_requests.id > ${after} order by application_requests.id limit ${limit}`
}

export async function findWaitingRequest(
  sql: Sql,
  id: string,
): Promise<(WaitingRequest & { logo: Buffer | null }) | undefined> {
  const [row] = await sql<(WaitingRequest & { logo: Buffer | null })[]>`
    ${waiting(sql)}, logo from application_requests join directory_partners p on p.id = partner_id
    where refused_at is null and application_requests.id = ${id}`
  return row
}
