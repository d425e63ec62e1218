import { concerning, type Sql } from '../../platform/database/sql.ts'
import { bucketOf } from '../bucket.ts'
import { wantedDevices } from './devices-wanted.ts'
import { inBuckets } from './lanes.ts'

/** Numbers the new current connection of each device; a device may occur only once. */
export async function insertConnections(sql: Sql, deviceIds: readonly string[], cell: string | null, at: Date) {
  const statement = sql<{ device_id: string; number: number; cell_before: string | null }[]>`
    insert into device_connections as current (bucket, device_id, number, connected_at, cell)
    select bucket, device_id, 1, ${at}, ${cell}::text from ${wantedDevices(sql, deviceIds)}
    on conflict (bucket, device_id) do update set number = current.number + 1, connected_at = excluded.connected_at,
      cell = excluded.cell, cell_before = current.cell
    returning device_id, number::float8 as number, cell_before`
  return await concerning(sql, deviceIds.map(bucketOf), statement)
}

/** The connections that must end: another took over, the device was removed, or its key was replaced. */
export async function findStaleConnections(
  sql: Sql,
  connections: readonly { device_id: string; number: number; key_digest: Buffer }[],
) {
  return await sql<{ device_id: string; number: number; removed: boolean; rekeyed: boolean }[]>`
    select mine.device_id, mine.number,
      state.removed_at is not null as removed, state.key_digest <> decode(mine.hex, 'hex') as rekeyed
    from unnest(
      ${connections.map(({ device_id }) => bucketOf(device_id))}::smallint[],
      ${connections.map(({ device_id }) => device_id)}::uuid[],
      ${connections.map(({ number }) => number)}::float8[],
      ${connections.map(({ key_digest }) => key_digest.toString('hex'))}::text[]
    ) as mine (bucket, device_id, number, hex)
    join device_connections current on current.bucket = mine.bucket and current.device_id = mine.device_id
    join device_states state on state.bucket = current.bucket and state.device_id = mine.device_id
    where (current.number > mine.number or state.removed_at is not null or state.key_digest <> decode(mine.hex, 'hex'))
      ${inBuckets(
        sql,
        sql`current`,
        connections.map(({ device_id }) => device_id),
      )}`
}
