import { digestArray, type Sql } from '../../platform/database/sql.ts'

export interface FoundRefreshToken {
  grant_id: string
  client_id: string
  customer_id: string
  user_id: string
  /** Space-separated, as on the wire. */
  scope: string
  auth_time: Date
  expires_at: Date
  rotated_at: Date | null
  revoked_at: Date | null
  /** Its grant's last use was noted before `usedBefore`, or never. */
  use_to_note: boolean
  name: string
  email: string
  email_verified: boolean
  org_name: string
  belongs: boolean
}

export interface AskedRefresh {
  client_id: string
  digest: Buffer
}

type Nullable<Row> = { [Key in keyof Row]: Row[Key] | null }

/** The client who asks and the token that is shown; either may be unknown. */
export interface FoundRefresh extends Nullable<FoundRefreshToken> {
  asked_client_id: string
  enabled: boolean | null
  id_token_alg: 'RS256' | 'ES256' | null
  /** Digests of the secrets that are valid now, end to end. */
  secrets: Buffer | null
}

/** One row for each that is asked, in the same order. */
export async function findRefreshes(
  sql: Sql,
  asked: AskedRefresh[],
  { at, usedBefore }: { at: Date; usedBefore: Date },
): Promise<FoundRefresh[]> {
  return await sql<FoundRefresh[]>`
    select asked.client_id as asked_client_id, a.enabled, a.id_token_alg,
      (select string_agg(s.digest, ''::bytea) from directory_client_secrets s
       where s.client_id = a.client_id and (s.expires_at is null or s.expires_at > ${at})) as secrets,
      t.grant_id, t.user_id, t.scope, t.auth_time, t.expires_at, t.rotated_at,
      g.client_id, g.customer_id, g.revoked_at,
      (g.last_used_at >= ${usedBefore}) is not true as use_to_note,
      u.name, u.email, u.email_verified, c.name as org_name, m.user_id is not null as belongs
    from unnest(
      string_to_array(${asked.map(({ client_id }) => client_id).join(',')}, ',')::uuid[],
      ${digestArray(
        sql,
        asked.map(({ digest }) => digest),
      )}
    ) with ordinality as asked (client_id, digest, place)
    left join directory_applications a on a.client_id = asked.client_id
    left join refresh_tokens t on t.digest = asked.digest
    left join grants g on g.id = t.grant_id
    left join directory_users u on u.id = t.user_id
    left join directory_customers c on c.id = g.customer_id
    left join directory_memberships m on m.customer_id = g.customer_id and m.user_id = t.user_id and m.active
    order by asked.place`
}

export interface Rotation {
  digest: Buffer
  new_digest: Buffer
  access_digest: Buffer
  /** Space-separated, as on the wire; the new refresh token keeps the scope of the old one (RFC 6749 section 6). */
  access_scope: string
}

export interface RotationTimes {
  at: Date
  access_expires_at: Date
  refresh_expires_at: Date
}

/**
 * Rotates all of these and stores their successors; answers the digests that were rotated by this very statement. Rows are
 * locked in the order of their digests (a hot pool walks in the order it is given), so that two processes with the same
 * tokens never wait for each other in a circle. A row that another rotated while this waited for it is left alone.
 */
export async function rotateRefreshTokens(sql: Sql, rotations: Rotation[], times: RotationTimes): Promise<Buffer[]> {
  const digests = (key: 'digest' | 'new_digest' | 'access_digest') =>
    digestArray(
      sql,
      rotations.map((row) => row[key]),
    )
  const rows = await sql<{ digest: Buffer }[]>`
    with rotated as (
      update refresh_tokens t set rotated_at = ${times.at}
      from (
        select * from unnest(
          ${digests('digest')}, ${digests('new_digest')}, ${digests('access_digest')},
          string_to_array(${rotations.map((row) => row.access_scope).join(',')}, ',')
        ) as asked (digest, new_digest, access_digest, access_scope)
        order by digest
      ) asked
      where t.digest = asked.digest and t.rotated_at is null
      returning asked.*, t.grant_id, t.user_id, t.scope, t.auth_time
    ), access as (
      insert into access_tokens (digest, grant_id, user_id, scope, expires_at)
      select access_digest, grant_id, user_id, coalesce(access_scope, ''), ${times.access_expires_at} from rotated
    ), refresh as (
      insert into refresh_tokens (digest, grant_id, user_id, scope, auth_time, expires_at)
      select new_digest, grant_id, user_id, scope, auth_time, ${times.refresh_expires_at} from rotated
    )
    select digest from rotated`
  return rows.map(({ digest }) => digest)
}
