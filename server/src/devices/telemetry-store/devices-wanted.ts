import { concerning, type Fragment, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'

/** Rows of (bucket, device_id), in order of id, to join with a table of telemetry. */
export function wantedDevices(sql: Sql, deviceIds: readonly string[]): Fragment {
  const sorted = deviceIds.toSorted()
  return sql`unnest(${sorted.map(bucketOf)}::smallint[], ${sorted}::uuid[]) as wanted (bucket, device_id)`
}

/** Rows of (bucket, id): a command is in the bucket of its device, which its id names. */
export function wantedCommands(sql: Sql, ids: readonly string[]): Fragment {
  return sql`unnest(${ids.map(bucketOf)}::smallint[], ${[...ids]}::uuid[]) as wanted (bucket, id)`
}

/** One device, in one bucket. */
export function isDevice(sql: Sql, deviceId: string): Fragment {
  const bucket = bucketOf(deviceId)
  return concerning(sql, [bucket], sql`bucket = ${bucket}::smallint and device_id = ${deviceId}`)
}
