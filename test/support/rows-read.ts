import type { Context } from '../../server/src/context.ts'
import { joinTransaction, transaction } from '../../server/src/platform/database/database.ts'

/**
 * How many rows of the table the work reads, give or take those the planner reads. By time, a missing index would show
 * only on a table larger than any test's.
 */
export async function rowsRead(
  context: Context,
  table: string,
  work: (context: Context) => Promise<unknown>,
): Promise<number> {
  await context.sql`analyze ${context.sql(table)}`
  return await transaction(context.sql, async (sql) => {
    // Counts on from what the connection did before.
    const count = async () => {
      const [row] = await sql<{ read: number }[]>`
        select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = ${table}`
      return row!.read
    }
    const before = await count()
    await work({ ...context, sql: joinTransaction(sql) })
    return (await count()) - before
  })
}
