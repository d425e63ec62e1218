import type { Sql } from '../../platform/database/sql.ts'
import type { RequestedPermissions } from './permission-columns.ts'

export interface NewRequest {
  digest: Buffer
  client_id: string
  redirect_uri: string
  scope: string[]
  state: string
  code_challenge: string
  nonce: string | null
  prompt: string[]
  max_age: number | null
  acr_values: string[]
  login_hint: string | null
  hinted_user_id: string | null
  created_at: Date
  expires_at: Date
}

export interface RequestingApplication {
  client_id: string
  application_name: string
  home_page: string | null
  logo_version: string | null
  enabled: boolean
  /** Null: everything. */
  requested_permissions: RequestedPermissions | null
  redirect_uris: string[]
  partner_id: string
  partner_name: string
  verified_domain: string | null
  portal_domain: string | null
  accent_color: string | null
  has_logo: boolean
}

export interface StoredRequest extends NewRequest, RequestingApplication {
  session_digest: Buffer | null
  decided_at: Date | null
  approved_customer_id: string | null
  returned_error: string | null
  decisions: number
}

export async function findRequestingApplication(
  sql: Sql,
  clientId: string,
): Promise<RequestingApplication | undefined> {
  const [row] = await sql<RequestingApplication[]>`
    select client_id, a.name as application_name, home_page, logo_version, enabled, requested_permissions, redirect_uris, p.id as partner_id, p.name as partner_name,
      verified_domain, portal_domain, accent_color, has_logo
    from directory_applications a join directory_partners p on p.id = a.partner_id
    where client_id = ${clientId}`
  return row
}

export async function insertRequest(sql: Sql, request: NewRequest): Promise<void> {
  await sql`insert into authorization_requests ${sql(request)}`
}

const columns = (sql: Sql) => sql`
  r.digest, r.client_id, r.redirect_uri, r.scope, r.state, r.code_challenge, r.nonce, r.prompt, r.max_age, r.acr_values,
  r.login_hint, r.hinted_user_id, r.session_digest, r.created_at, r.expires_at,
  r.decided_at, r.approved_customer_id, r.returned_error, r.decisions,
  a.name as application_name, a.home_page, a.logo_version, a.enabled, a.requested_permissions, a.redirect_uris,
  p.id as partner_id, p.name as partner_name, p.verified_domain, p.portal_domain, p.accent_color, p.has_logo`

export async function findRequest(sql: Sql, digest: Buffer): Promise<StoredRequest | undefined> {
  const [row] = await sql<StoredRequest[]>`
    select ${columns(sql)}
    from authorization_requests r
    join directory_applications a on a.client_id = r.client_id join directory_partners p on p.id = a.partner_id
    where r.digest = ${digest}`
  return row
}

/** Until the transaction ends no other decision on this request can be recorded, and its application cannot be disabled. */
export async function lockRequest(sql: Sql, digest: Buffer): Promise<StoredRequest | undefined> {
  const [row] = await sql<StoredRequest[]>`
    select ${columns(sql)}
    from authorization_requests r
    join directory_applications a on a.client_id = r.client_id join directory_partners p on p.id = a.partner_id
    where r.digest = ${digest}
    for update of r for share of a`
  return row
}

export async function bindRequest(sql: Sql, digest: Buffer, sessionDigest: Buffer): Promise<void> {
  await sql`
    update authorization_requests set session_digest = ${sessionDigest}
    where digest = ${digest} and decided_at is null and session_digest is distinct from ${sessionDigest}`
}

export interface Decision {
  decided_at: Date
  /** Null when nobody was signed in (prompt=none). */
  session_digest: Buffer | null
  approved_customer_id: string | null
  returned_error: string | null
}

export async function recordDecision(sql: Sql, digest: Buffer, decision: Decision): Promise<void> {
  await sql`
    update authorization_requests set
      decided_at = ${decision.decided_at},
      session_digest = ${decision.session_digest},
      approved_customer_id = ${decision.approved_customer_id},
      returned_error = ${decision.returned_error},
      decisions = decisions + 1
    where digest = ${digest}`
}
