import type { Fragment, Sql } from '../../platform/database/sql.ts'

/** Wraps instead of overflowing; the order of two messages depends on it only where their timestamps are equal. */
export function sequenceAfter(sql: Sql, count: Fragment): Fragment {
  return sql`((state.sequence::bigint + ${count}) % 2147483647)::int`
}

/** A message that is not older than the newest replaces it. */
export function isNewest(sql: Sql, state: Fragment = sql``): Fragment {
  return sql`(message.at, message.arrived_at) >= (${state}latest_at, ${state}latest_arrived_at)`
}

/** Nor older than any message of its device before it. */
export function isNewestOfSeveral(sql: Sql): Fragment {
  return sql`array[at, arrived_at] >= greatest(
    array[latest_at, latest_arrived_at],
    max(array[at, arrived_at]) filter (where is_new)
      over (partition by device_id order by position rows between unbounded preceding and 1 preceding)
  )`
}
