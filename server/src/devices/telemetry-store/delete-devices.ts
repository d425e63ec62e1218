import type { Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { wantedDevices } from './devices-wanted.ts'
import { inBuckets } from './lanes.ts'
import { lockStates } from './states.ts'

/** Everything of devices but their history, which is dropped by the day. */
export async function deleteDevices(sql: Sql, devices: { id: string; number: number }[]): Promise<void> {
  const ids = devices.map(({ id }) => id)
  await lockStates(sql, ids)
  for (const name of [
    'device_commands',
    'status_changes',
    'offline_deadlines',
    'device_connections',
    'device_settings',
    'device_states',
  ]) {
    await sql`
      delete from ${sql(name)} mine using ${wantedDevices(sql, ids)}
      where mine.bucket = wanted.bucket and mine.device_id = wanted.device_id ${inBuckets(sql, sql`mine`, ids)}`
  }
  await sql`
    delete from status_history change
    using unnest(${ids.map(bucketOf)}::smallint[], ${devices.map(({ number }) => number)}::int[]) as wanted (bucket, number)
    where change.bucket = wanted.bucket and change.device_number = wanted.number ${inBuckets(sql, sql`change`, ids)}`
}
