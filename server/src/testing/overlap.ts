import type { Pool } from '../platform/database/sql.ts'
import { until } from './until.ts'

/** Runs the second while the first has done everything but commit: what it records of itself holds it back. */
export async function overlap<First, Second>(
  sql: Pool,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  const waiting = async () => {
    const rows = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return rows.length
  }
  const hold = await sql.reserve()
  await hold`begin`
  await hold`lock table audit_events in exclusive mode`
  const ahead = first()
  await until(async () => (await waiting()) === 1)
  const behind = second()
  await until(async () => (await waiting()) === 2)
  await hold`commit`
  hold.release()
  return await Promise.all([ahead, behind])
}
