import type { PageRange, Sql } from '../../platform/database/sql.ts'

export type IdTokenAlg = 'RS256' | 'ES256'

interface Asked<Level> {
  level: Level
  reason: string
}

/** Those of `directory/permissions.ts`, with whose type the compiler compares it. */
export interface RequestedPermissions {
  devices?: Asked<'none' | 'read' | 'manage' | 'command'>
  spaces?: Asked<'none' | 'read' | 'manage'>
  people?: Asked<'none' | 'read' | 'manage'>
  audit?: Asked<'none' | 'read'>
}

export interface Application {
  client_id: string
  partner_id: string
  name: string
  home_page: string | null
  /** Null while it has no logo. */
  logo_version: string | null
  redirect_uris: string[]
  id_token_alg: IdTokenAlg
  enabled: boolean
  /** When the partner requested a new secret; null once it was rotated. */
  secret_rotation_requested_at: Date | null
  /** Null: everything. */
  requested_permissions: RequestedPermissions | null
  created_at: Date
}

export interface ApplicationChange {
  name?: string | undefined
  home_page?: string | null | undefined
  redirect_uris?: string[] | undefined
  enabled?: boolean | undefined
  requested_permissions?: RequestedPermissions | null | undefined
}

const columns = (sql: Sql) => sql`
  client_id, partner_id, name, home_page, logo_version, redirect_uris, id_token_alg, enabled,
  secret_rotation_requested_at, requested_permissions, created_at`

export async function insertApplication(sql: Sql, application: Application): Promise<void> {
  const { requested_permissions: asked } = application
  await sql`insert into applications ${sql({ ...application, requested_permissions: asked && sql.json(asked) })}`
}

export async function countApplications(sql: Sql, partnerId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from applications where partner_id = ${partnerId}`
  return row!.count
}

export async function findApplication(sql: Sql, clientId: string): Promise<Application | undefined> {
  const [row] = await sql<Application[]>`
    select ${columns(sql)}
    from applications where client_id = ${clientId}`
  return row
}

export async function findPartnersOfApplications(
  sql: Sql,
  clientIds: string[],
): Promise<{ client_id: string; partner_id: string }[]> {
  return await sql<{ client_id: string; partner_id: string }[]>`
    select client_id, partner_id from applications where client_id = any(${clientIds}::uuid[])`
}

/** Every change of an application or its secrets takes this lock first. */
export async function lockApplication(sql: Sql, clientId: string): Promise<Application | undefined> {
  const [row] = await sql<Application[]>`
    select ${columns(sql)}
    from applications where client_id = ${clientId} for no key update`
  return row
}

export async function listApplications(sql: Sql, { after, limit }: PageRange): Promise<Application[]> {
  return await sql<Application[]>`
    select ${columns(sql)}
    from applications where client_id > ${after} order by client_id limit ${limit}`
}

export async function listApplicationsOfPartner(
  sql: Sql,
  partnerId: string,
  { after, limit }: PageRange,
): Promise<Application[]> {
  return await sql<Application[]>`
    select ${columns(sql)}
    from applications where partner_id = ${partnerId} and client_id > ${after} order by client_id limit ${limit}`
}

export async function updateApplication(
  sql: Sql,
  clientId: string,
  change: ApplicationChange,
): Promise<Application | undefined> {
  const { requested_permissions: asked } = change
  const [row] = await sql<Application[]>`
    update applications set
      name = coalesce(${change.name ?? null}, name),
      home_page = case when ${change.home_page === undefined} then home_page else ${change.home_page ?? null} end,
      redirect_uris = coalesce(${change.redirect_uris ?? null}::text[], redirect_uris),
      enabled = coalesce(${change.enabled ?? null}, enabled),
      requested_permissions = case when ${asked === undefined} then requested_permissions
        else ${asked ? sql.json(asked) : null}::jsonb end
    where client_id = ${clientId}
    returning ${columns(sql)}`
  return row
}

export async function updateApplicationLogo(
  sql: Sql,
  clientId: string,
  logo: { logo: Buffer; logo_type: string; logo_version: string } | null,
): Promise<void> {
  await sql`
    update applications set
      logo = ${logo?.logo ?? null}, logo_type = ${logo?.logo_type ?? null}, logo_version = ${logo?.logo_version ?? null}
    where client_id = ${clientId}`
}

export async function findApplicationLogo(
  sql: Sql,
  clientId: string,
): Promise<{ logo: Buffer; logo_type: string } | undefined> {
  const [row] = await sql<{ logo: Buffer; logo_type: string }[]>`
    select logo, logo_type from applications where client_id = ${clientId} and logo is not null`
  return row
}

export async function markRotationRequested(sql: Sql, clientId: string, at: Date): Promise<Application> {
  const [row] = await sql<Application[]>`
    update applications set secret_rotation_requested_at = coalesce(secret_rotation_requested_at, ${at})
    where client_id = ${clientId}
    returning ${columns(sql)}`
  return row!
}

export async function clearRotationRequest(sql: Sql, clientId: string): Promise<void> {
  await sql`
    update applications set secret_rotation_requested_at = null
    where client_id = ${clientId} and secret_rotation_requested_at is not null`
}
