import { digestArray, type Fragment, type Sql } from '../../platform/database/sql.ts'
import type { SigningKey } from './signing-keys-sql.ts'
import type { Subject } from './tokens.ts'

export interface FoundRefreshToken extends Subject {
  grant_id: string
  client_id: string
  /** Space-separated, as in the token response; null once it is rotated. */
  scope: string | null
  auth_time: Date | null
  acr: string | null
  /** Space-separated. */
  amr: string | null
  expires_at: Date
  rotated_at: Date | null
  revoked_at: Date | null
  /** The last recorded use of its grant is before `usedBefore`, or there is none. */
  use_is_stale: boolean
}

export interface RefreshLookup {
  client_id: string
  digest: Buffer
}

type Nullable<Row> = { [Key in keyof Row]: Row[Key] | null }

/** The presented client and token; either may be unknown. */
export interface RefreshRow extends Nullable<FoundRefreshToken> {
  presented_client_id: string
  enabled: boolean | null
  id_token_alg: 'RS256' | 'ES256' | null
  /** The digests of its valid secrets, concatenated. */
  secrets: Buffer | null
  /** All signing keys as JSON; in the first row only. */
  keys: WrittenKey[] | null
}

export type KeyTimes = Omit<SigningKey, 'public_jwk'>

/** As JSON has it: times are texts. */
type WrittenKey = { [Name in keyof KeyTimes]: KeyTimes[Name] extends string ? KeyTimes[Name] : Text<KeyTimes[Name]> }
type Text<Time> = null extends Time ? string | null : string

export interface FoundRefreshes {
  /** One per lookup, in the same order. */
  rows: RefreshRow[]
  keys: KeyTimes[]
}

/** The keys come in the same statement: a second one would cost as much as a few more lookups. */
export async function findRefreshes(
  sql: Sql,
  lookups: RefreshLookup[],
  { at, usedBefore }: { at: Date; usedBefore: Date },
): Promise<FoundRefreshes> {
  const rows = await sql<RefreshRow[]>`
    select wanted.client_id as presented_client_id, a.enabled, a.id_token_alg,
      (select string_agg(s.digest, ''::bytea) from directory_client_secrets s
       where s.client_id = a.client_id and (s.expires_at is null or s.expires_at > ${at})) as secrets,
      t.grant_id, t.user_id, t.scope, t.auth_time, t.acr, t.amr, t.expires_at, t.rotated_at,
      g.client_id, g.customer_id, g.revoked_at,
      (g.last_used_at >= ${usedBefore}) is not true as use_is_stale,
      u.name, u.email, u.email_verified, c.name as org_name, m.user_id is not null as belongs,
      case when wanted.position = 1 then (
        select json_agg(key)
        from (select kid, alg, created_at, signs_from, retired_at, removed_at from signing_keys) key
      ) end as keys
    from unnest(
      string_to_array(${lookups.map(({ client_id }) => client_id).join(',')}, ',')::uuid[],
      ${digestArray(
        sql,
        lookups.map(({ digest }) => digest),
      )}
    ) with ordinality as wanted (client_id, digest, position)
    left join directory_applications a on a.client_id = wanted.client_id
    left join lateral (
      select grant_id, user_id, scope, auth_time, acr, amr, expires_at, null::timestamptz as rotated_at
      from refresh_tokens where digest = wanted.digest
      union all
      select grant_id, user_id, null, null, null, null, expires_at, rotated_at
      from retired_refresh_tokens where digest = ${retiredDigest(sql, sql`wanted.digest`)}
      -- The second part is not read when the first has found it.
      limit 1
    ) t on true
    left join grants g on g.id = t.grant_id
    left join directory_users u on u.id = t.user_id
    left join directory_customers c on c.id = g.customer_id
    left join directory_memberships m on m.customer_id = g.customer_id and m.user_id = t.user_id and m.active
    order by wanted.position`
  return { rows, keys: (rows[0]!.keys ?? []).map(readKey) }
}

function readKey({ kid, alg, created_at, signs_from, retired_at, removed_at }: WrittenKey): KeyTimes {
  return {
    kid,
    alg,
    created_at: new Date(created_at),
    signs_from: new Date(signs_from),
    retired_at: retired_at === null ? null : new Date(retired_at),
    removed_at: removed_at === null ? null : new Date(removed_at),
  }
}

/** What is kept of the digest of a rotated token. */
function retiredDigest(sql: Sql, digest: Fragment): Fragment {
  return sql`substr(${digest}, 1, 16)`
}

export interface Rotation {
  digest: Buffer
  new_digest: Buffer
  access_digest: Buffer
  /** Space-separated; the new refresh token keeps the scope of the old one (RFC 6749 section 6). */
  access_scope: string
}

export interface RotationTimes {
  at: Date
  access_expires_at: Date
  refresh_expires_at: Date
}

/**
 * Rotates these tokens, stores their successors and returns the digests that this statement rotated. Rows are locked in
 * the order of their digests, so that two processes with the same tokens cannot deadlock (the hot pool's plans keep the
 * order of the subquery). A row that another process rotated in the meantime is left alone.
 */
export async function rotateRefreshTokens(sql: Sql, rotations: Rotation[], times: RotationTimes): Promise<Buffer[]> {
  const digests = (key: 'digest' | 'new_digest' | 'access_digest') =>
    digestArray(
      sql,
      rotations.map((row) => row[key]),
    )
  const rows = await sql<{ digest: Buffer }[]>`
    with rotated as (
      delete from refresh_tokens t using (
        select * from unnest(
          ${digests('digest')}, ${digests('new_digest')}, ${digests('access_digest')},
          string_to_array(${rotations.map((row) => row.access_scope).join(',')}, ',')
        ) as wanted (digest, new_digest, access_digest, access_scope)
        order by digest
      ) wanted
      where t.digest = wanted.digest
      returning wanted.*, t.grant_id, t.user_id, t.scope, t.auth_time, t.acr, t.amr, t.expires_at
    ), retired as (
      insert into retired_refresh_tokens (rotated_at, expires_at, grant_id, user_id, digest)
      select ${times.at}::timestamptz, expires_at, grant_id, user_id, ${retiredDigest(sql, sql`digest`)} from rotated
    ), access as (
      insert into access_tokens (digest, grant_id, user_id, scope, expires_at)
      select access_digest, grant_id, user_id, coalesce(access_scope, ''), ${times.access_expires_at} from rotated
    ), refresh as (
      insert into refresh_tokens (digest, grant_id, user_id, scope, auth_time, acr, amr, expires_at)
      select new_digest, grant_id, user_id, scope, auth_time, acr, amr, ${times.refresh_expires_at} from rotated
    )
    select digest from rotated`
  return rows.map(({ digest }) => digest)
}
