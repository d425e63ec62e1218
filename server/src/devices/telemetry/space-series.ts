import type { Sql } from '../../platform/database/sql.ts'
import { dayBefore } from '../../platform/instants.ts'
import { listLimits } from '../../platform/own-limits.ts'
import { invalid } from '../../platform/refusal.ts'
import { bucketOf } from '../bucket.ts'
import type { Context } from '../context.ts'
import { listSpaceDevices, type SpaceDevice } from '../store/space-devices.ts'
import * as store from '../telemetry-store/telemetry-store.ts'
import { readSlowly } from './slow-reads.ts'

const { chartedDevices: maxDevices, chartedValues: maxValues, chartedIntervals: mostIntervals } = listLimits
/** Of a chart of as many devices as may be read. */
export const leastIntervals = maxValues / maxDevices

/** What the devices of these spaces send, for the choice of a chart. */
export async function listDataPoints(context: Context, customerId: string, spaceIds: string[], signal?: AbortSignal) {
  const items = await readSlowly(context, { customer_id: customerId }, signal, async (sql) => {
    const range = { after: firstId, limit: maxDevices }
    const devices = await listSpaceDevices(sql, customerId, spaceIds, range, signal)
    return await store.countDataPoints(sql, devices, listLimits.chartedDataPoints, signal)
  })
  return { items, next: null }
}

export interface AggregateQuery {
  key: string
  from?: Date | undefined
  to?: Date | undefined
  intervals?: number | undefined
}

export interface Aggregate {
  from: Date
  to: Date
  bucket_seconds: number
  /** Devices that were read, and whether they are all that have the data point. */
  devices: number
  complete: boolean
  series: store.AggregateRow[]
}

/** One data point over all devices of these spaces. The more devices, the fewer intervals. */
export async function readAggregate(
  context: Context,
  customerId: string,
  spaceIds: string[],
  { key, intervals = 96, ...range }: AggregateQuery,
  signal?: AbortSignal,
): Promise<Aggregate> {
  const to = range.to ?? context.now()
  const from = range.from ?? dayBefore(to)
  if (from > to) throw invalid({ field: 'from', message: 'must not be later than to' })
  return await readSlowly(context, { customer_id: customerId }, signal, async (sql) => {
    const found = await findSenders(sql, customerId, spaceIds, key, signal)
    const senders = found.slice(0, maxDevices)
    const fitting = Math.floor(maxValues / Math.max(1, senders.length))
    const seconds = (to.getTime() - from.getTime()) / 1000
    const intervalSeconds = Math.max(1, Math.ceil(seconds / Math.min(intervals, mostIntervals, fitting)))
    const series =
      senders.length === 0 ? [] : await store.selectAggregate(sql, senders, { key, from, to, intervalSeconds }, signal)
    const complete = found.length === senders.length
    return { from, to, bucket_seconds: intervalSeconds, devices: senders.length, complete, series }
  })
}

const firstId = '00000000-0000-0000-0000-000000000000'
/** Devices whose states are looked at in one statement. */
const statesAtOnce = 10_000

/** The devices of the spaces that have ever sent the data point: one more than may be read, where there are more. */
async function findSenders(
  sql: Sql,
  customerId: string,
  spaceIds: string[],
  key: string,
  signal: AbortSignal | undefined,
): Promise<store.Sender[]> {
  const senders: store.Sender[] = []
  for (let devices: SpaceDevice[] = [], after = firstId; senders.length <= maxDevices; after = devices.at(-1)!.id) {
    devices = await listSpaceDevices(sql, customerId, spaceIds, { after, limit: statesAtOnce }, signal)
    const ids = devices.map(({ id }) => id)
    const found = ids.length === 0 ? [] : await store.listSenders(sql, ids, key, signal)
    const sending = new Set(found.map(({ device_id }) => device_id))
    for (const { id, number, claimed_at } of devices) {
      if (sending.has(id)) senders.push({ bucket: bucketOf(id), number, claimed_at })
    }
    if (devices.length < statesAtOnce) break
  }
  return senders.slice(0, maxDevices + 1)
}
