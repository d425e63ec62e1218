import type { Sql } from '../../platform/database/sql.ts'
import type { Subject } from './tokens.ts'

export interface NewCode {
  digest: Buffer
  grant_id: string
  client_id: string
  user_id: string
  redirect_uri: string
  code_challenge: string
  nonce: string | null
  scope: string[]
  auth_time: Date
  acr: string | null
  /** Space-separated. */
  amr: string | null
  expires_at: Date
}

export async function insertCode(sql: Sql, code: NewCode): Promise<void> {
  await sql`insert into authorization_codes ${sql(code)}`
}

export interface FoundCode extends Subject, Omit<NewCode, 'digest'> {
  used_at: Date | null
  wrong_verifiers: number
  revoked_at: Date | null
}

export async function findCode(sql: Sql, digest: Buffer): Promise<FoundCode | undefined> {
  const [row] = await sql<FoundCode[]>`
    select code.grant_id, code.client_id, code.user_id, code.redirect_uri, code.code_challenge, code.nonce, code.scope,
      code.auth_time, code.acr, code.amr, code.expires_at, code.used_at, code.wrong_verifiers,
      g.customer_id, g.revoked_at, u.name, u.email, u.email_verified, c.name as org_name,
      exists (select 1 from directory_memberships m
        where m.customer_id = g.customer_id and m.user_id = code.user_id and m.active) as belongs
    from authorization_codes code
    join grants g on g.id = code.grant_id
    join directory_users u on u.id = code.user_id
    join directory_customers c on c.id = g.customer_id
    where code.digest = ${digest}`
  return row
}

export interface FirstTokens {
  at: Date
  access_digest: Buffer
  access_expires_at: Date
  refresh_digest: Buffer
  refresh_expires_at: Date
}

/** Marks the code as used and stores its tokens; false when another exchange was first. */
export async function exchangeCode(sql: Sql, digest: Buffer, tokens: FirstTokens): Promise<boolean> {
  const rows = await sql`
    with used as (
      update authorization_codes set used_at = ${tokens.at}
      where digest = ${digest} and used_at is null
      returning grant_id, user_id, scope, auth_time, acr, amr
    ), access as (
      insert into access_tokens (digest, grant_id, user_id, scope, expires_at)
      select ${tokens.access_digest}::bytea, grant_id, user_id, array_to_string(scope, ' '), ${tokens.access_expires_at}::timestamptz from used
    ), refresh as (
      insert into refresh_tokens (digest, grant_id, user_id, scope, auth_time, acr, amr, expires_at)
      select ${tokens.refresh_digest}::bytea, grant_id, user_id, array_to_string(scope, ' '), auth_time, acr, amr,
        ${tokens.refresh_expires_at}::timestamptz from used
    )
    select 1 from used`
  return rows.length > 0
}

/** The last wrong verifier allowed also marks the code as used. */
export async function countWrongVerifier(sql: Sql, digest: Buffer, at: Date, max: number): Promise<void> {
  await sql`
    update authorization_codes set
      wrong_verifiers = wrong_verifiers + 1,
      used_at = case when wrong_verifiers + 1 >= ${max} then ${at}::timestamptz end
    where digest = ${digest} and used_at is null`
}
