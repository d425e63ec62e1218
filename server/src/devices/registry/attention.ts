import type { Sql } from '../../platform/database/sql.ts'
import type { Context } from '../context.ts'
import * as store from '../store/attention-sql.ts'
import { listByIds, listModelsInUse } from '../store/device-lists-sql.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'
import { readSlowly } from '../telemetry/slow-reads.ts'
import { listAlarms } from '../telemetry-store/telemetry-store.ts'
import { type Device, withDetails } from './device-details.ts'
import { reachedBy } from './device-lists.ts'

/** Decision 7.48. The first devices of each status, of a customer or of some of its spaces; the device list has the others. */
export async function listAttention(
  context: Context,
  owner: CustomerOwner,
  { space_ids: asked, limit = 10 }: { space_ids?: string[] | undefined; limit?: number | undefined },
  signal?: AbortSignal,
): Promise<{ items: Device[]; next: null }> {
  const { filter } = await reachedBy(context, owner, { space_ids: asked })
  const { space_ids } = filter
  const [alarms, others] = await Promise.all([
    readSlowly(context, owner, signal, (sql) => findAlarms(sql, owner, space_ids, limit, signal)),
    findByStatus(context, owner, space_ids, limit),
  ])
  return { items: [...alarms, ...others], next: null }
}

/** Without those whose status has just changed. */
async function findByStatus({ sql }: Context, owner: CustomerOwner, spaceIds: string[] | undefined, limit: number) {
  const rows = await store.listByStatus(sql, owner.customer_id, spaceIds, limit)
  const found = await withDetails(sql, owner, rows)
  return found.filter(({ status }, index) => status === rows[index]!.status)
}

/** States that are looked at in one statement. */
const statesAtOnce = 10_000

/** Devices that are online and whose state has an alarm, the latest change of status first. */
async function findAlarms(
  sql: Sql,
  owner: CustomerOwner,
  spaceIds: string[] | undefined,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Device[]> {
  const { customer_id: customerId } = owner
  // Begins with the customer's models, since reading the dictionaries of all would cost more than everything else.
  const alarming = await store.findAlarmingValues(sql, await listModelsInUse(sql, { customer_id: customerId }), signal)
  const models = Object.keys(alarming)
  if (models.length === 0) return []
  const online = await store.listOnline(sql, customerId, models, spaceIds, signal)
  online.sort((one, other) => other.status_at.getTime() - one.status_at.getTime() || (one.id < other.id ? -1 : 1))
  const alarms = new Set<string>()
  for (let from = 0; from < online.length && alarms.size < limit; from += statesAtOnce) {
    const found = await listAlarms(sql, online.slice(from, from + statesAtOnce), alarming, signal)
    for (const { device_id } of found) alarms.add(device_id)
  }
  const ids = online.flatMap(({ id }) => (alarms.has(id) ? id : [])).slice(0, limit)
  const rows = ids.length === 0 ? [] : await listByIds(sql, owner, ids)
  const devices = new Map((await withDetails(sql, owner, rows)).map((device) => [device.id, device]))
  return ids.flatMap((id) => devices.get(id) ?? []).filter(({ reason }) => reason === 'alarm')
}
