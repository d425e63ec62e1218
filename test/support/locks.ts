import type { Pool, Sql } from '../../server/src/platform/database/sql.ts'
import { until } from './until.ts'

/** Takes locks in a separate transaction, and returns the function that releases them with a commit. */
export async function holdLocks(sql: Pool, take: (hold: Sql) => Promise<unknown>): Promise<() => Promise<void>> {
  const hold = await sql.reserve()
  await hold`begin`
  await take(hold)
  return async () => {
    await hold`commit`
    hold.release()
  }
}

/** Until so many statements on this database wait for a lock. */
export async function untilWaiting(sql: Pool, statements = 1): Promise<void> {
  await until(async () => {
    // A statement for a shard waits on the server that has it.
    const activity = sql.shards ? sql`citus_stat_activity` : sql`pg_stat_activity`
    const waiting = await sql`
      select from ${activity} where wait_event_type = 'Lock' and datname = current_database()`
    return waiting.length === statements
  }, 'statements that wait for a lock')
}

/** Runs the second while the first has done everything but commit: the lock on its audit event holds it back. */
export async function overlap<First, Second>(
  sql: Pool,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const release = await holdLocks(sql, (hold) => hold`lock table audit_events in exclusive mode`)
  const ahead = first()
  await untilWaiting(sql)
  const behind = second()
  await untilWaiting(sql, 2)
  await release()
  return await Promise.all([ahead, behind])
}
