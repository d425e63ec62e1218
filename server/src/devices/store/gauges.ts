import { cancelWhen, type Sql } from '../../platform/database/sql.ts'
import type { EffectiveStatus } from './devices.ts'

/** 16 MB of the table: about 50,000 devices, or as many of a million. */
const sampledPages = 2_048

/**
 * How many devices are in each status: counted while the table is small, and then estimated from a fixed share of its
 * pages. `repeatable` chooses the same pages each time, so the estimate only moves when devices do.
 */
export async function estimateDevices(
  sql: Sql,
  signal: AbortSignal,
): Promise<{ status: EffectiveStatus; count: number }[]> {
  return await cancelWhen(
    signal,
    sql<{ status: EffectiveStatus; count: number }[]>`
      with share as materialized (
        select least(1, ${sampledPages}::float8 * current_setting('block_size')::int
          / greatest(1, pg_relation_size('devices'::regclass))) as share
      )
      select status, round(count(*) / (select share from share))::float8 as count
      from devices tablesample system (100 * (select share from share)) repeatable (1)
      where removed_at is null group by status`,
  )
}

/** How long the oldest deadline that is due has waited; 0 when none is due. */
export async function findDeadlineLag(sql: Sql, now: Date, signal: AbortSignal): Promise<number> {
  const [row] = await cancelWhen(
    signal,
    sql<[{ seconds: number }]>`
      select greatest(0, extract(epoch from ${now} - min(due_at)))::float8 as seconds from offline_deadlines`,
  )
  return row.seconds
}
