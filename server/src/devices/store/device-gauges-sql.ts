import { cancelWhen, type Sql } from '../../platform/database/sql.ts'
import type { EffectiveStatus } from './devices-sql.ts'

/** 4 MB of the table, which is about 20,000 devices. */
const sampledPages = 512

/**
 * How many devices are in each status: counted while the table has no more pages than that, and then estimated from as
 * many of its pages. `repeatable` chooses the same pages each time, so the estimate only moves when devices do.
 */
export async function estimateDevices(
  sql: Sql,
  signal: AbortSignal,
): Promise<{ status: EffectiveStatus; count: number }[]> {
  return await cancelWhen(
    signal,
    sql<{ status: EffectiveStatus; count: number }[]>`
      with size as materialized (
        select pg_relation_size(oid) / current_setting('block_size')::float8 as pages, relpages, reltuples
        from pg_class where oid = 'devices'::regclass
      ), sampled as materialized (
        select status, removed_at is not null as removed, count(*) as count
        from devices tablesample system ((select least(100, 100 * ${sampledPages} / greatest(1, pages)) from size))
          repeatable (1)
        group by 1, 2
      ), scale as (
        select case
          when pages <= ${sampledPages} then 1
          -- Rows per page as of the last vacuum: more exact than the number of pages that the sample happened to have.
          when reltuples > 0 and relpages > 0 then reltuples / relpages * pages / (select sum(count) from sampled)
          else pages / ${sampledPages} end as factor
        from size
      )
      select status, round(count * factor)::float8 as count from sampled, scale where not removed`,
  )
}
