import type { Pool } from '../../server/src/platform/database/sql.ts'
import { newId } from '../../server/src/platform/secrets/identifiers.ts'

/** Tokens that a long life leaves behind: of these grants, live and rotated, in both tables alike. */
export async function addTokenRows(sql: Pool, rows: number, grantIds: string[]): Promise<void> {
  const userId = newId()
  const each = Math.ceil(rows / 2)
  for (let from = 0; from < each; from += 500_000) {
    const until = Math.min(from + 500_000, each)
    for (const [table, extra, values] of [
      ['access_tokens', '', ''],
      ['refresh_tokens', ', auth_time, rotated_at', `, now(), case when n % 10 > 0 then now() end`],
    ] as const) {
      await sql.unsafe(
        `insert into ${table} (digest, grant_id, user_id, scope, expires_at${extra})
         select digest, ($1::uuid[])[1 + n % cardinality($1::uuid[])], $2::uuid, 'openid profile email', now() + interval '1 day' + n * interval '1 ms'${values}
         from (select n, sha256(convert_to('${userId}' || n, 'UTF8')) as digest from generate_series($3::int, $4::int) n) rows`,
        [grantIds as never, userId, from, until - 1],
      )
    }
  }
  await sql`vacuum analyze access_tokens, refresh_tokens`
  await sql`checkpoint`
}
