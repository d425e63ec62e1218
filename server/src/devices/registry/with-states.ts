import type { Sql } from '../../platform/database/sql.ts'
import type { DeviceRow } from '../store/devices.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'

/** A device with what only its telemetry knows. */
export interface Device extends DeviceRow {
  last_seen_at: Date | null
  replace_until: Date | null
}

/** Its status is that of its telemetry: the directory's may be a moment behind (decision 7.53). */
export async function withStates<Row extends DeviceRow>(sql: Sql, rows: Row[]): Promise<(Row & Device)[]> {
  if (rows.length === 0) return []
  const states = await telemetry.listStates(
    sql,
    rows.map(({ id }) => id),
  )
  const found = new Map(states.map((state) => [state.device_id, state]))
  return rows.map((row) => merge(row, found.get(row.id)))
}

export async function withState<Row extends DeviceRow>(sql: Sql, row: Row): Promise<Row & Device> {
  return merge(row, await telemetry.findStateSummary(sql, row.id))
}

function merge<Row extends DeviceRow>(row: Row, state: telemetry.StateSummary | undefined): Row & Device {
  if (!state) return { ...row, last_seen_at: null, replace_until: null }
  const { status, status_at, last_seen_at, replace_until } = state
  return { ...row, status, status_at: status_at ?? row.status_at, last_seen_at, replace_until }
}
