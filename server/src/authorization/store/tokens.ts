import { type Age, agedBefore, type Sql } from '../../platform/database/sql.ts'

/** The grant that a token of this client belongs to, while the token is good: not expired, not rotated, grant not revoked. */
export async function findGrantOfToken(
  sql: Sql,
  digest: Buffer,
  clientId: string,
  at: Date,
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select g.id from (
      select grant_id from access_tokens where digest = ${digest} and expires_at > ${at}
      union all
      select grant_id from refresh_tokens where digest = ${digest} and expires_at > ${at} and rotated_at is null
    ) token
    join grants g on g.id = token.grant_id
    where g.client_id = ${clientId} and g.revoked_at is null`
  return row?.id
}

export type ExpiringTable = 'access_tokens' | 'refresh_tokens' | 'authorization_codes' | 'authorization_requests'

/** The oldest first, a few at a time: an expiry job must never hold up the hot path. Answers how many went. */
export async function deleteExpired(sql: Sql, table: ExpiringTable, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from ${sql(table)} where digest = any(array(
      select digest from ${sql(table)} where expires_at < ${agedBefore(sql, age)}
      order by expires_at limit ${max} for update skip locked))`
  return count
}
