import type { Calls } from '../../api/calls.ts'
import type { StatusPeriods, Timelines } from '../../api/organization.ts'
import { seriesColor } from '../../theme.ts'
import type { ChartPoint, ChartSeries, ChartStates, StatePeriod } from '../chart/chart.tsx'
import { iso, type TimeSpan } from '../chart/time-range.ts'
import { concernOf, type Dictionary, formatValue, labelOf, unitOf } from './data-points.ts'
import { statusColor, statusLabel } from './status.tsx'

/** Customers and partners read devices alike. */
export type DeviceApi = Calls & { kind: 'organization' | 'partner' }

/** As many points as fit the chart, whatever the range. */
const intervals = 400

/** Averages per interval, each with the least and the greatest value, in the middle of its interval. */
export async function readLines(
  api: DeviceApi,
  id: string,
  keys: string[],
  { from, to }: TimeSpan,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ChartPoint[]>> {
  if (keys.length === 0) return new Map()
  const query = { id, from: iso(from), to: iso(to), keys: repeated(keys), buckets: intervals }
  const { series, bucket_seconds } = await api.read(`GET /core/v1/${api.kind}/devices/{id}/series`, query, signal)
  const middle = (at: string) => Math.min(to, Date.parse(at) / 1000 + bucket_seconds / 2)
  return new Map(
    Object.entries(series).map(([key, points]) => [
      key,
      points.map(({ at, avg, min, max }): ChartPoint => [middle(at), avg, min, max]),
    ]),
  )
}

export async function readTimelines(
  api: DeviceApi,
  id: string,
  keys: string[],
  { from, to }: TimeSpan,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Timelines['timelines'][string]>> {
  if (keys.length === 0) return new Map()
  const query = { id, from: iso(from), to: iso(to), keys: repeated(keys) }
  const { timelines } = await api.read(`GET /core/v1/${api.kind}/devices/{id}/timelines`, query, signal)
  return new Map(Object.entries(timelines))
}

/** A single `keys` parameter is split at commas; a repeated one may hold any name. */
export function repeated(keys: string[]): string[] {
  return keys.length === 1 ? [keys[0]!, keys[0]!] : keys
}

export function lineOf(dictionary: Dictionary, key: string, points: ChartPoint[]): ChartSeries {
  const { decimals = null } = dictionary.get(key) ?? {}
  return { label: labelOf(dictionary, key), unit: unitOf(dictionary, key), decimals, points }
}

const grey = 'var(--mantine-color-gray-5)'
const red = 'var(--mantine-color-red-6)'

export function timelineOf(dictionary: Dictionary, key: string, periods: Timelines['timelines'][string]): ChartStates {
  const values = [...new Set(periods.map(({ value }) => value))].filter((value) => value !== null)
  const colorOf = (value: string | number | boolean) => {
    if (concernOf(dictionary, key, value) === 'alarm') return red
    if (typeof value === 'boolean') return value ? seriesColor(0) : grey
    return seriesColor(values.indexOf(value))
  }
  return {
    label: labelOf(dictionary, key),
    periods: periods.map(({ from, to, value, changes }) => ({
      from: Date.parse(from) / 1000,
      to: Date.parse(to) / 1000,
      ...(value === null
        ? { label: `${changes} changes`, color: grey, mixed: true }
        : { label: formatValue(dictionary, key, value), color: colorOf(value) }),
    })),
  }
}

/** What was before the last hundred changes is not read. */
export function statusTimeline({ items, next }: StatusPeriods, span: TimeSpan): ChartStates {
  const periods = items.map(
    ({ status, from, to }): StatePeriod => ({
      from: Date.parse(from) / 1000,
      to: to === null ? span.to : Date.parse(to) / 1000,
      label: statusLabel(status),
      color: statusColor(status),
    }),
  )
  const oldest = periods.at(-1)
  if (next !== null && oldest) {
    periods.push({ from: span.from, to: oldest.from, label: 'Many changes', color: grey, mixed: true })
  }
  return { label: 'Status', periods: periods.reverse() }
}

/** Two data points or devices may have the same name. */
export function uniqueLabels(labels: string[]): string[] {
  return labels.map((label, index) => {
    const before = labels.slice(0, index).filter((other) => other === label).length
    return before === 0 ? label : `${label} (${before + 1})`
  })
}
