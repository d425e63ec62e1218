import type { Fragment, Sql } from '../../platform/database/sql.ts'
import type { Statement } from '../../platform/database/statement.ts'
import { bucketOf } from '../bucket.ts'

/**
 * Buckets that one statement may write to: those of one shard of a distributed database. One Postgres has a single lane,
 * with every bucket in it.
 */
export function laneOf(_sql: Sql, _bucket: number): number {
  return 0
}

/** The items of each lane, in order of lanes: whoever locks rows of several lanes does so in this order. */
export function byLane<Item>(sql: Sql, items: readonly Item[], deviceIdOf: (item: Item) => string): Item[][] {
  const lanes = new Map<number, Item[]>()
  for (const item of items) {
    const lane = laneOf(sql, bucketOf(deviceIdOf(item)))
    const found = lanes.get(lane)
    if (found) found.push(item)
    else lanes.set(lane, [item])
  }
  return [...lanes].sort(([one], [other]) => one - other).map(([, found]) => found)
}

/** A statement that writes to several tables, all in the lane of this bucket. */
export async function runInLane<Rows extends readonly unknown[]>(
  _sql: Sql,
  _bucket: number,
  statement: Statement<Rows>,
): Promise<Rows> {
  return await statement
}

/**
 * Names the buckets of the devices, where that spares a distributed database its other shards. One Postgres would only
 * search its index once per bucket.
 */
export function inBuckets(sql: Sql, _table: Fragment, _deviceIds: readonly string[]): Fragment {
  return sql``
}
