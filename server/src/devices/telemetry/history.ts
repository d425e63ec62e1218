import type { Page } from '../../platform/http/pagination.ts'
import { dayBefore, isInReach } from '../../platform/instants.ts'
import { messageLimits } from '../../platform/own-limits.ts'
import { found, invalid } from '../../platform/refusal.ts'
import { bucketOf } from '../bucket.ts'
import type { Context } from '../context.ts'
import { findHistorySubject, type Owner } from '../store/devices-sql.ts'
import * as store from '../telemetry-store/telemetry-store.ts'
import { readSlowly } from './slow-reads.ts'

export type { HistoryItem, SeriesRow } from '../telemetry-store/telemetry-store.ts'

interface RangeQuery {
  from?: Date | undefined
  to?: Date | undefined
}

export interface HistoryQuery extends RangeQuery {
  /** Only these data points of each message. */
  keys?: string[] | undefined
  newest_first?: boolean | undefined
  limit?: number | undefined
  after?: string | undefined
}

/** A timestamp may be this far ahead (decision 7.5). */
const ahead = 10 * 60 * 1000

/** A device's messages of the last day, or of the requested range. */
export async function readHistory(
  context: Context,
  owner: Owner,
  id: string,
  query: HistoryQuery,
  signal?: AbortSignal,
): Promise<Page<store.HistoryItem>> {
  const { device, range } = await findRange(context, owner, id, query)
  const newestFirst = query.newest_first ?? false
  const limit = query.limit ?? 50
  const start = newestFirst ? { timestamp: range.to, sequence: endOfSequence } : { timestamp: range.from, sequence: -1 }
  const after = query.after === undefined ? start : readCursor(query.after)
  const order = { newestFirst, after, limit: limit + 1 }
  const rows = await readSlowly(context, owner, signal, (sql) => store.selectHistory(sql, device, range, order, signal))
  const items = rows.slice(0, limit)
  return {
    items: query.keys ? items.map((item) => pickKeys(new Set(query.keys), item)) : items,
    next: rows.length > limit ? writeCursor(items.at(-1)!) : null,
  }
}

/** The data points of the device; with those of the range itself where it removed some since. */
export async function listExportedKeys(
  context: Context,
  owner: Owner,
  id: string,
  query: HistoryQuery,
  signal?: AbortSignal,
): Promise<string[]> {
  const { keys, removes } = await store.listDataPoints(context.sql, id)
  if (!removes) return keys
  const { device, range } = await findRange(context, owner, id, query)
  const sent = await readSlowly(context, owner, signal, (sql) =>
    store.listKeysOfHistory(sql, device, range, messageLimits.dataPoints, signal),
  )
  return [...new Set([...keys, ...sent])].sort()
}

export interface SeriesQuery extends RangeQuery {
  keys: string[]
  intervals?: number | undefined
}

export interface Series {
  from: Date
  to: Date
  bucket_seconds: number
  series: Record<string, Omit<store.SeriesRow, 'key'>[]>
}

/** The same, down-sampled for a chart: at most `intervals` points per key, whatever the range. */
export async function readSeries(
  context: Context,
  owner: Owner,
  id: string,
  query: SeriesQuery,
  signal?: AbortSignal,
): Promise<Series> {
  const { device, range } = await findRange(context, owner, id, query)
  const seconds = (range.to.getTime() - range.from.getTime()) / 1000
  const intervalSeconds = Math.max(1, Math.ceil(seconds / (query.intervals ?? 300)))
  const sampling = { keys: query.keys, intervalSeconds }
  const rows = await readSlowly(context, owner, signal, (sql) =>
    store.selectSeries(sql, device, range, sampling, signal),
  )
  const series = new Map<string, Omit<store.SeriesRow, 'key'>[]>(query.keys.map((key) => [key, []]))
  for (const { key, ...point } of rows) series.get(key)!.push(point)
  return { from: range.from, to: range.to, bucket_seconds: intervalSeconds, series: Object.fromEntries(series) }
}

export interface TimelinePeriod {
  from: Date
  to: Date
  /** Null where several values were too close together to tell apart. */
  value: number | string | boolean | null
  changes: number
}

export interface Timelines {
  from: Date
  to: Date
  timelines: Record<string, TimelinePeriod[]>
}

/** What is no number, for a chart: the periods in which each key had one value, at most `intervals` of them. */
export async function readTimelines(
  context: Context,
  owner: Owner,
  id: string,
  query: SeriesQuery,
  signal?: AbortSignal,
): Promise<Timelines> {
  const { device, range } = await findRange(context, owner, id, query)
  const seconds = (range.to.getTime() - range.from.getTime()) / 1000
  const sampling = { keys: query.keys, intervalSeconds: Math.max(0.001, seconds / (query.intervals ?? 300)) }
  const rows = await readSlowly(context, owner, signal, (sql) =>
    store.selectTimelines(sql, device, range, sampling, signal),
  )
  const timelines = new Map<string, TimelinePeriod[]>(query.keys.map((key) => [key, []]))
  for (const { key, value, ...period } of rows) {
    timelines.get(key)!.push({ ...period, value: value === null ? null : JSON.parse(value) })
  }
  return { from: range.from, to: range.to, timelines: Object.fromEntries(timelines) }
}

async function findRange(context: Context, owner: Owner, id: string, query: RangeQuery) {
  const to = query.to ?? new Date(context.now().getTime() + ahead)
  const from = query.from ?? dayBefore(to)
  if (from > to) throw invalid({ field: 'from', message: 'must not be later than to' })
  const subject = found(await findHistorySubject(context.sql, owner, id), 'device')
  const since = 'customer_id' in owner ? subject.claimed_at! : new Date(0)
  // Nothing that arrived since can be older than this.
  const oldest = since.getTime() - messageLimits.oldestMilliseconds
  const start = new Date(Math.min(Math.max(from.getTime(), oldest), to.getTime()))
  const range: store.HistoryRange = { from: start, to, receivedFrom: since }
  return { device: { bucket: bucketOf(id), number: subject.number }, range }
}

function pickKeys(keys: ReadonlySet<string>, item: store.HistoryItem): store.HistoryItem {
  const telemetries = Object.fromEntries(Object.entries(item.telemetries).filter(([key]) => keys.has(key)))
  return { ...item, telemetries }
}

/** The largest integer of Postgres: no message has it as its sequence. */
const endOfSequence = 2 ** 31 - 1

function readCursor(after: string): store.HistoryCursor {
  const [, milliseconds, sequence] = /^(\d{1,15})\.(\d{1,10})$/.exec(after) ?? []
  const cursor = { timestamp: new Date(Number(milliseconds)), sequence: Number(sequence) }
  if (isInReach(cursor.timestamp) && cursor.sequence <= endOfSequence) return cursor
  throw invalid({ field: 'after', message: 'must be the `next` of a previous page' })
}

function writeCursor({ timestamp, sequence }: store.HistoryCursor): string {
  return `${timestamp.getTime()}.${sequence}`
}
