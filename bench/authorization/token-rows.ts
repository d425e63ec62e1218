import type { Pool } from '../../server/src/platform/database/sql.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'

/** Tokens that a long life leaves behind: of these grants, live and rotated, in proportion to their lives. */
export async function addTokenRows(sql: Pool, rows: number, grantIds: string[]): Promise<void> {
  const userId = newId()
  const each = Math.ceil(rows / 2)
  for (let from = 0; from < each; from += 500_000) {
    const until = Math.min(from + 500_000, each)
    const rows = sql`
      select n, sha256(convert_to(${userId} || n, 'UTF8')) as digest, (${grantIds}::uuid[])[1 + n % ${grantIds.length}::int] as grant_id,
        ${userId}::uuid as user_id, 'openid profile email' as scope, now() + interval '1 day' + n * interval '1 ms' as expires_at
      from generate_series(${from}::int, ${until - 1}::int) n`
    await sql`
      insert into access_tokens (digest, grant_id, user_id, scope, expires_at)
      select digest, grant_id, user_id, scope, expires_at from (${rows}) rows`
    await sql`
      insert into refresh_tokens (digest, grant_id, user_id, scope, expires_at, auth_time)
      select digest, grant_id, user_id, scope, expires_at, now() from (${rows}) rows where n % 10 = 0`
    await sql`
      insert into retired_refresh_tokens (rotated_at, expires_at, grant_id, user_id, digest)
      select now(), expires_at, grant_id, user_id, substr(digest, 1, 16) from (${rows}) rows where n % 10 > 0`
  }
  await sql`vacuum analyze access_tokens, refresh_tokens, retired_refresh_tokens`
  await sql`checkpoint`
}
