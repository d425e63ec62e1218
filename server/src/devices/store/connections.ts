import type { Sql } from '../../platform/database/sql.ts'

/** Numbers the new current connection of each device; a device may occur only once. */
export async function insertConnections(sql: Sql, deviceIds: readonly string[], cell: string | null, at: Date) {
  return await sql<{ device_id: string; number: number; cell_before: string | null }[]>`
    insert into device_connections as current (device_id, number, connected_at, cell)
    select device_id, 1, ${at}, ${cell}::text from unnest(${deviceIds.toSorted()}::uuid[]) as device_id
    on conflict (device_id) do update set number = current.number + 1, connected_at = excluded.connected_at,
      cell = excluded.cell, cell_before = current.cell
    returning device_id, number::float8 as number, cell_before`
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
      ${connections.map(({ device_id }) => device_id)}::uuid[],
      ${connections.map(({ number }) => number)}::float8[],
      ${connections.map(({ key_digest }) => key_digest.toString('hex'))}::text[]
    ) as mine (device_id, number, hex)
    join device_connections current using (device_id)
    join device_states state using (device_id)
    where current.number > mine.number or state.removed_at is not null or state.key_digest <> decode(mine.hex, 'hex')`
}
