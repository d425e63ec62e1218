import type { Sql } from './sql.ts'

/**
 * Locks those of the partitions that no other process has, until the transaction ends, and returns them; none is waited
 * for. `lockClass` tells the locks of one kind of work from those of another.
 */
export async function tryLockPartitions(sql: Sql, lockClass: number, partitions: readonly number[]): Promise<number[]> {
  const rows = await sql<{ partition: number }[]>`
    select partition from unnest(${[...partitions]}::int[]) as wanted (partition)
    where pg_try_advisory_xact_lock(${lockClass}::int, partition)`
  return rows.map(({ partition }) => partition)
}
