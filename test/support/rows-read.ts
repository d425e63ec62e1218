import type { Context } from '../../server/src/context.ts'
import { joinTransaction, transaction } from '../../server/src/platform/database/database.ts'
import { until } from './until.ts'

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

/**
 * How many blocks of the table's indexes the work reads. A scan may pass over entries of an index without returning them:
 * these are no rows that are read, and cost time all the same.
 */
export async function indexBlocksRead(
  context: Context,
  table: string,
  work: (context: Context) => Promise<unknown>,
): Promise<number> {
  await context.sql`analyze ${context.sql(table)}`
  const count = async () => {
    const [row] = await context.sql<{ blocks: number }[]>`
      select sum(idx_blks_hit + idx_blks_read)::int as blocks from pg_statio_user_indexes where relname = ${table}`
    return row!.blocks
  }
  const counts: number[] = []
  // A connection may report what it did before at any time, so the least of a few is the right one.
  for (let round = 0; round < 3; round += 1) {
    const before = await count()
    await transaction(context.sql, async (sql) => {
      await work({ ...context, sql: joinTransaction(sql) })
      await sql`select pg_stat_force_next_flush()`
    })
    await until(async () => (await count()) > before)
    counts.push((await count()) - before)
  }
  return Math.min(...counts)
}
