import { findSpacePaths } from '../../directory/organization/spaces.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { findAlarmingValues } from '../store/attention-sql.ts'
import type { DeviceRow, EffectiveStatus, Owner } from '../store/devices-sql.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'

/** Decision 8.50: why a device needs attention, in the order of their weight. */
export const reasons = [
  'alarm',
  'reported_error',
  'connection_lost',
  'no_telemetry',
  'reported_offline',
  'never_seen',
] as const
export type Reason = (typeof reasons)[number]

interface Alarm extends Omit<telemetry.Alarm['alarm'], 'since'> {
  /** Null where nothing recorded it. */
  since: Date | null
}

/** A device with what only its telemetry knows, and with where it is. */
export interface Device extends DeviceRow {
  last_seen_at: Date | null
  replace_until: Date | null
  /** Null while it is well. */
  reason: Reason | null
  /** What its model's dictionary calls an alarm, while the device can be reached. */
  alarm: Alarm | null
  /** The names of its space and those above it, from the top; empty for the partner (contract 1.5). */
  space_path: string[]
}

/** Its status is that of its telemetry: the directory's may be a moment behind (decision 7.53). */
export async function withDetails<Row extends DeviceRow>(
  sql: Sql,
  owner: Owner,
  rows: Row[],
): Promise<(Row & Device)[]> {
  if (rows.length === 0) return []
  const states = await telemetry.listStates(
    sql,
    rows.map(({ id }) => id),
  )
  return await merge(sql, owner, rows, states)
}

export async function withDetail<Row extends DeviceRow>(sql: Sql, owner: Owner, row: Row): Promise<Row & Device> {
  const state = await telemetry.findStateSummary(sql, row.id)
  const [device] = await merge(sql, owner, [row], state ? [state] : [])
  return device!
}

/** The same few statements for one device and for a page of them. */
async function merge<Row extends DeviceRow>(
  sql: Sql,
  owner: Owner,
  rows: Row[],
  states: telemetry.StateSummary[],
): Promise<(Row & Device)[]> {
  const found = new Map(states.map((state) => [state.device_id, state]))
  const alarms = await findAlarms(
    sql,
    rows.filter(({ id }) => mayHaveAlarm(found.get(id)?.status)),
  )
  const paths = 'customer_id' in owner ? await findSpacePaths(sql, owner, spacesOf(rows)) : new Map()
  return rows.map((row) => {
    const state = found.get(row.id)
    const { status, last_seen_at, replace_until } = state ?? { ...row, last_seen_at: null, replace_until: null }
    const status_at = state?.status_at ?? row.status_at
    const alarm = alarms.get(row.id) ?? null
    const reason = reasonOf({ status, offline_by: state?.offline_by ?? null, alarm })
    const space_path = (row.space_id && paths.get(row.space_id)) || []
    return { ...row, status, status_at, last_seen_at, replace_until, reason, alarm, space_path }
  })
}

interface Judged extends Pick<telemetry.StateSummary, 'status' | 'offline_by'> {
  alarm: object | null
}

const offlineReasons = {
  connection: 'connection_lost',
  message: 'reported_offline',
  silence: 'no_telemetry',
} as const

export function reasonOf({ status, offline_by, alarm }: Judged): Reason | null {
  if (status === 'error') return 'reported_error'
  if (status === 'offline') return offlineReasons[offline_by ?? 'silence']
  if (status === 'never_seen') return 'never_seen'
  return alarm ? 'alarm' : null
}

/** The last values of a device that is offline are those of another time. */
function mayHaveAlarm(status: EffectiveStatus | undefined): boolean {
  return status === 'online' || status === 'error'
}

async function findAlarms(sql: Sql, rows: DeviceRow[]): Promise<Map<string, Alarm>> {
  const models = [...new Set(rows.map(({ model_id }) => model_id))]
  const alarming = models.length === 0 ? {} : await findAlarmingValues(sql, models)
  const watched = rows.filter(({ model_id }) => model_id in alarming)
  const found = watched.length === 0 ? [] : await telemetry.listAlarms(sql, watched, alarming)
  return new Map(
    found.map(({ device_id, alarm: { since, ...alarm } }) => [
      device_id,
      { ...alarm, since: since === null ? null : new Date(since) },
    ]),
  )
}

function spacesOf(rows: DeviceRow[]): string[] {
  return [...new Set(rows.flatMap(({ space_id }) => space_id ?? []))]
}
