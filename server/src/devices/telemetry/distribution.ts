import type { Sql } from '../../platform/database/sql.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { bucketCount } from '../bucket.ts'
import * as store from '../telemetry-store/telemetry-store.ts'

/**
 * Makes the schema fit the database that it is on: on Citus (`LANDBRIDGE_DISTRIBUTED=citus`) telemetry is spread by
 * bucket over its servers (decision 3.15). Repeatable; one process at a time.
 */
export async function prepareDistribution(sql: Sql): Promise<void> {
  await requireDistribution(sql)
  if (!sql.shards) return
  if (!(await store.hasExtension(sql, 'citus_columnar'))) await store.createColumnarExtension(sql)
  for (const signature of functions) await store.distributeFunction(sql, signature)
  await store.distributeTables(sql)
  for (const name of ['history_default', ...(await store.listPartitions(sql))]) {
    // Not again at each start: it locks the day on every server, and fails while one does not respond.
    if (!(await store.isPacked(sql, name)) && !(await store.isIndexed(sql, name))) await store.indexDay(sql, name)
  }
  await store.createRunner(sql)
  await learnShards(sql)
}

/** Refuses a setting that does not fit the database. Changes nothing: `doctor` calls it too. */
export async function requireDistribution(sql: Sql): Promise<void> {
  const onCitus = await store.hasExtension(sql, 'citus')
  if (sql.shards && !onCitus) throw new StartFailure(withoutCitus)
  if (!sql.shards && onCitus && (await store.isDistributed(sql))) throw new StartFailure(undeclared)
}

/** Of a database that was distributed before. */
export async function learnShards(sql: Sql): Promise<void> {
  if (sql.shards) sql.shards.learn(await store.listShards(sql, bucketCount), await store.listPlacements(sql))
}

/** What statements of telemetry call. */
const functions = [
  'alarms_after(jsonb, jsonb[], json[], timestamptz[])',
  'fold_state(jsonb, bigint[], json[], timestamptz[], timestamptz[])',
  'rest_after(jsonb, bigint[], json[], timestamptz[], timestamptz[])',
  'device_bucket(uuid)',
]

const undeclared =
  'This database is distributed: set LANDBRIDGE_DISTRIBUTED=citus on every process, as when it was created.'

const withoutCitus =
  'LANDBRIDGE_DISTRIBUTED=citus: the database has no extension Citus. Add it to shared_preload_libraries, run "create extension citus" on every server and add the workers with citus_add_node (docs/operate.md), or leave the variable out.'
