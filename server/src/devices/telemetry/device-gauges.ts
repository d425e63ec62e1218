import type { Context } from '../context.ts'
import * as store from '../store/device-gauges-sql.ts'
import type { EffectiveStatus } from '../store/devices-sql.ts'
import { findDeadlineLag, listPartitions } from '../telemetry-store/telemetry-store.ts'
import { dayOf, nameOf } from './partitions.ts'

const none: Record<EffectiveStatus, number> = { never_seen: 0, online: 0, offline: 0, error: 0 }

/** Devices in each status; estimated from a sample when there are more than about 20,000. */
export async function estimateDevices({ sql }: Context, signal: AbortSignal): Promise<Record<EffectiveStatus, number>> {
  const rows = await store.estimateDevices(sql, signal)
  return { ...none, ...Object.fromEntries(rows.map(({ status, count }) => [status, count])) }
}

/** Seconds by which the detection of offline devices is late. */
export async function readDeadlineLag({ sql, now }: Context, signal: AbortSignal): Promise<number> {
  return await findDeadlineLag(sql, now(), signal)
}

/** Days after today that have a partition, up to the first that has none. */
export async function countReadyDays({ sql, now }: Context): Promise<number> {
  const partitions = new Set(await listPartitions(sql))
  const today = dayOf(now())
  let days = 0
  while (partitions.has(nameOf(today + days + 1))) days += 1
  return days
}
