import { type Age, agedBefore, digestRows, type Sql } from '../../platform/database/sql.ts'

/** What a live access token gives access to. */
export interface Bearer {
  invalid_because: null
  grant_id: string
  client_id: string
  customer_id: string
  user_id: string
  /** Space-separated, as in the token response. */
  scope: string
  /** What the customer approved; null: everything. */
  permissions: Record<string, string> | null
  within: string[] | null
}

/** A token that was issued and is no longer valid: its partner finds the reason in the integration log. */
export interface InvalidBearer {
  invalid_because: 'application_disabled' | 'grant_revoked' | 'token_expired'
  client_id: string
}

type FoundBearer = (Bearer | InvalidBearer) & {
  /** Index of the digest it was found for. */
  position: number
  grant_id: string
  /** The last recorded use of its grant is before `usedBefore`, or there is none. */
  use_is_stale: boolean
}

/**
 * Read for every request, so that a revocation takes effect at once (decision 9.2). `offset 0` keeps it one index
 * lookup per digest, whatever the planner thinks of the tables' sizes.
 */
export async function findBearers(
  sql: Sql,
  digests: Buffer[],
  { at, usedBefore }: { at: Date; usedBefore: Date },
): Promise<FoundBearer[]> {
  return await sql<FoundBearer[]>`
    select position, bearer.*
    from ${digestRows(sql, digests)} as wanted (position, digest), lateral (
      select t.grant_id, g.client_id, g.customer_id, t.user_id, t.scope, ap.permissions, ap.within,
        (g.last_used_at >= ${usedBefore}) is not true as use_is_stale,
        case
          when not a.enabled then 'application_disabled'
          when g.revoked_at is not null then 'grant_revoked'
          when t.expires_at <= ${at} then 'token_expired'
        end as invalid_because
      from access_tokens t
      join grants g on g.id = t.grant_id
      join directory_applications a on a.client_id = g.client_id
      left join approvals ap on ap.client_id = g.client_id and ap.customer_id = g.customer_id
      where t.digest = wanted.digest
      offset 0
    ) bearer`
}

export async function findTokenExpiry(sql: Sql, digest: Buffer): Promise<Date | null> {
  const [row] = await sql<{ expires_at: Date }[]>`select expires_at from access_tokens where digest = ${digest}`
  return row?.expires_at ?? null
}

/** The person who signed in and the customer they signed in for, as they are now. */
export interface Subject {
  user_id: string
  name: string
  email: string
  email_verified: boolean
  customer_id: string
  org_name: string
  /** Whether the person is an active member of the customer. */
  belongs: boolean
}

/** Who signed in, and for which customer. */
export type SubjectIds = Pick<Subject, 'user_id' | 'customer_id'>

/** One per pair of ids, in the same order; null for one that no longer exists. */
export async function findSubjects(sql: Sql, pairs: SubjectIds[]): Promise<(Subject | null)[]> {
  const ids = (key: keyof SubjectIds) => pairs.map((pair) => pair[key]).join(',')
  const rows = await sql<(Subject | { name: null })[]>`
    select wanted.user_id, wanted.customer_id, u.name, u.email, u.email_verified, c.name as org_name,
      m.user_id is not null as belongs
    from unnest(string_to_array(${ids('user_id')}, ',')::uuid[], string_to_array(${ids('customer_id')}, ',')::uuid[])
      with ordinality as wanted (user_id, customer_id, position)
    left join directory_customers c on c.id = wanted.customer_id
    left join directory_users u on u.id = wanted.user_id and c.id is not null
    left join directory_memberships m on m.customer_id = wanted.customer_id and m.user_id = wanted.user_id and m.active
    order by wanted.position`
  return rows.map((row) => (row.name === null ? null : row))
}

export type ExpiringTable = 'access_tokens' | 'refresh_tokens' | 'authorization_codes' | 'authorization_requests'

/** The oldest first, `max` per statement, so that the hot path never waits for it. Returns how many were deleted. */
export async function deleteExpired(sql: Sql, table: ExpiringTable, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from ${sql(table)} where digest = any(array(
      select digest from ${sql(table)} where expires_at < ${agedBefore(sql, age)}
      order by expires_at limit ${max} for update skip locked))`
  return count
}
