import type { Context } from '../../context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import * as store from '../store/attention.ts'
import { listByIds } from '../store/device-lists.ts'
import { readSlowly } from '../telemetry/slow-reads.ts'
import { type Alarm, listAlarms } from '../telemetry-store/telemetry-store.ts'
import { type Device, withStates } from './with-states.ts'

export { reasons } from '../store/attention.ts'

/** A device that needs attention, and the value that its model's dictionary calls an alarm. */
export interface AttentionItem extends Device {
  reason: (typeof store.reasons)[number]
  alarm: Alarm['alarm'] | null
}

/** Decision 7.48. The first devices of each reason, of a customer or of some of its spaces; the device list has the others. */
export async function listAttention(
  context: Context,
  customerId: string,
  { space_ids, limit = 10 }: { space_ids?: string[] | undefined; limit?: number | undefined },
  signal?: AbortSignal,
): Promise<{ items: AttentionItem[]; next: null }> {
  const [alarms, others] = await Promise.all([
    readSlowly(context, { customer_id: customerId }, signal, (sql) =>
      findAlarms(sql, customerId, space_ids, limit, signal),
    ),
    findByStatus(context, customerId, space_ids, limit),
  ])
  return { items: [...alarms, ...others], next: null }
}

/** Without those whose status has just changed. */
async function findByStatus({ sql }: Context, customerId: string, spaceIds: string[] | undefined, limit: number) {
  const found = await withStates(sql, await store.listByStatus(sql, customerId, spaceIds, limit))
  return found.flatMap((device) => (device.status === device.reason ? { ...device, alarm: null } : []))
}

/** States that are looked at in one statement. */
const statesAtOnce = 10_000

/** Devices that are online and whose state has an alarm, the latest change of status first. */
async function findAlarms(
  sql: Sql,
  customerId: string,
  spaceIds: string[] | undefined,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<AttentionItem[]> {
  const values = await store.findAlarmingValues(sql, customerId, signal)
  if (values.length === 0) return []
  const alarming = Object.fromEntries(values.map((of) => [of.model_id, of.alarming]))
  const online = await store.listOnline(sql, customerId, Object.keys(alarming), spaceIds, signal)
  online.sort((one, other) => other.status_at.getTime() - one.status_at.getTime() || (one.id < other.id ? -1 : 1))
  const alarms = new Map<string, Alarm['alarm']>()
  for (let from = 0; from < online.length && alarms.size < limit; from += statesAtOnce) {
    const found = await listAlarms(sql, online.slice(from, from + statesAtOnce), alarming, signal)
    for (const { device_id, alarm } of found) alarms.set(device_id, alarm)
  }
  const first = online.filter(({ id }) => alarms.has(id)).slice(0, limit)
  const ids = first.map(({ id }) => id)
  const rows = ids.length === 0 ? [] : await listByIds(sql, { customer_id: customerId }, ids)
  const devices = new Map((await withStates(sql, rows)).map((device) => [device.id, device]))
  return ids.flatMap((id) => {
    const device = devices.get(id)
    return device ? { ...device, reason: 'alarm' as const, alarm: alarms.get(id)! } : []
  })
}
