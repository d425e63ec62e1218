import { concerning, type Fragment, type Sql, toText } from '../../platform/database/sql.ts'
import type { Statement } from '../../platform/database/statement.ts'
import { bucketOf } from '../bucket.ts'

/**
 * Buckets that one statement may write to: those of one shard of a distributed database. One Postgres has a single lane,
 * with every bucket in it.
 */
export function laneOf(sql: Sql, bucket: number): number {
  return sql.shards?.shardOf(bucket) ?? 0
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

/** One function for each lane, created when it is first called: where one lane fails, those of others do not. */
export function perLane<Item, Result>(
  sql: Sql,
  deviceIdOf: (item: Item) => string,
  create: () => (item: Item) => Promise<Result>,
): (item: Item) => Promise<Result> {
  const lanes = new Map<number, (item: Item) => Promise<Result>>()
  return (item) => {
    const lane = laneOf(sql, bucketOf(deviceIdOf(item)))
    const known = lanes.get(lane) ?? create()
    lanes.set(lane, known)
    return known(item)
  }
}

/**
 * A statement that writes to several tables, all in the lane of this bucket. A distributed database runs it on the
 * server that has them (`distribute.ts`); its rows then come as JSON, so that instants are text. `late` when it may write
 * to a day of history that is packed.
 */
export async function runInLane<Rows extends readonly unknown[]>(
  sql: Sql,
  bucket: number,
  statement: Statement<Rows>,
  { late = false } = {},
): Promise<Rows> {
  if (!sql.shards) return await statement
  const { text, values } = statement.prepared()
  const call = sql<{ row: Rows[number] }[]>`
    select run_on_shard(${bucket}::smallint, ${text}, ${values.map(toText)}::text[], ${late}) as row`
  const rows = await concerning(sql, [bucket], call)
  return rows.map(({ row }) => row) as unknown as Rows
}

/**
 * Names the buckets of the devices, where that spares a distributed database its other shards. One Postgres would only
 * search its index once per bucket.
 */
export function inBuckets(sql: Sql, table: Fragment, deviceIds: readonly string[]): Fragment {
  if (!sql.shards) return sql``
  const buckets = [...new Set(deviceIds.map(bucketOf))]
  return concerning(sql, buckets, sql`and ${table}.bucket = any(${buckets}::smallint[])`)
}

/**
 * For work on all buckets: on a distributed database, leaves out those of servers that do not respond. Their work is done
 * when they respond again. `table` with a dot behind it.
 */
export function inReach(sql: Sql, table: Fragment = sql``): Fragment {
  if (!sql.shards) return sql`true`
  const buckets = sql.shards.reachable()
  return concerning(
    sql,
    buckets ?? sql.shards.allBuckets(),
    buckets ? sql`${table}bucket = any(${buckets}::smallint[])` : sql`true`,
  )
}
