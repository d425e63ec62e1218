import { Menu, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useMemo, useRef } from 'react'
import { type Calls, useApi, useChange } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { DataPoint, Series, StatusPeriods, Timelines } from '../api/organization.ts'
import { seriesColor } from '../theme.ts'
import { ActionMenu } from './action-menu.tsx'
import type { ChartPoint, ChartSeries, ChartStates, StatePeriod } from './chart.tsx'
import { concernOf, type Dictionary, formatValue, labelOf, unitOf } from './data-points.ts'
import { Icon } from './icon.tsx'
import { Failure, Loading, Panel } from './page.tsx'
import { RangePicker } from './range-picker.tsx'
import { statusColor, statusLabel } from './status.tsx'
import { iso, spanOf, type TimeRange, useTimeRange } from './time-range.ts'

export const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }))

/** The service returns at most this many data points per request. */
export const maxLines = 20

/** As many points as fit the chart, whatever the range. */
const buckets = 400

export interface ChartedDevice {
  id: string
  sn: string
  last_seen_at: string | null
  state: Record<string, DataPoint>
}

interface DeviceChartProps {
  device: ChartedDevice
  keys: string[]
  dictionary: Dictionary
  /** What the chart opens with. */
  range?: string
}

/** Numbers as lines, everything else and the status as timelines. */
export function DeviceChart({ device, keys, dictionary, range: initial = '1h' }: DeviceChartProps) {
  const api = useApi()
  const [range, setRange] = useTimeRange(initial)
  const isNumber = (key: string) => typeof (device.state[key]?.value ?? 0) === 'number'
  const wanted = { numbers: keys.filter(isNumber), others: keys.filter((key) => !isNumber(key)) }
  const history = useRangeQuery(device, ['chart', wanted], range, (span, signal) =>
    readChart(api, device.id, wanted, span, signal),
  )
  const { data } = history
  const series = useMemo(
    () => keys.flatMap((key): ChartSeries[] => (data?.lines[key] ? [lineOf(dictionary, key, data.lines[key])] : [])),
    [data, keys, dictionary],
  )
  const states = useMemo(
    () => [
      ...keys.flatMap((key): ChartStates[] =>
        data?.timelines[key] ? [laneOf(dictionary, key, data.timelines[key])] : [],
      ),
      ...(data ? [statusLane(data.statuses, data.span)] : []),
    ],
    [data, keys, dictionary],
  )
  return (
    <Panel
      title="History"
      actions={
        <RangePicker range={range} onChange={setRange}>
          <ExportCsv device={device} keys={keys} range={range} />
        </RangePicker>
      }
    >
      {history.error && !data ? (
        <Failure error={history.error} retry={() => void history.refetch()} />
      ) : !data ? (
        <Loading />
      ) : (
        <Suspense fallback={<Loading />}>
          <Chart series={series} states={states} {...data.span} onZoom={(from, to) => setRange({ from, to })} />
        </Suspense>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        {history.error?.message ?? hintOf(device, keys)}
      </Text>
    </Panel>
  )
}

function hintOf({ state }: ChartedDevice, keys: string[]): string {
  if (Object.keys(state).length === 0) return 'Lines appear as soon as the device sends values.'
  if (keys.length === 0) return 'Choose a data point to see its chart.'
  return 'Drag across the chart to zoom in. Shaded: lowest to highest value.'
}

interface Span {
  from: number
  to: number
}

/** While the range lasts until now, it is read again when a message arrives, and as time passes. */
export function useRangeQuery<Data>(
  device: { id: string; last_seen_at: string | null },
  about: unknown[],
  range: TimeRange,
  read: (span: Span, signal: AbortSignal) => Promise<Data>,
) {
  const api = useApi()
  const live = 'last' in range || range.to > Date.now() / 1000
  const query = useQuery<Data & { span: Span }, ApiError>({
    queryKey: [api.name, `/devices/${device.id}`, ...about, range],
    queryFn: async ({ signal }) => {
      const span = spanOf(range)
      return { ...(await read(span, signal)), span }
    },
    placeholderData: keepPreviousData,
    refetchInterval: live ? 30_000 : false,
  })
  useArrivals(device.last_seen_at, () => live && void query.refetch({ cancelRefetch: false }))
  return query
}

const arrivalMilliseconds = 1_500

/** Calls when a message arrived, but no more often than the service should be asked. */
export function useArrivals(arrived: string | null, onArrival: () => void): void {
  const call = useRef(onArrival)
  call.current = onArrival
  const seen = useRef(arrived)
  const waiting = useRef<number | undefined>(undefined)
  useEffect(() => {
    if (seen.current === arrived) return
    seen.current = arrived
    waiting.current ??= window.setTimeout(() => {
      waiting.current = undefined
      call.current()
    }, arrivalMilliseconds)
  }, [arrived])
  useEffect(
    () => () => {
      window.clearTimeout(waiting.current)
      waiting.current = undefined
    },
    [],
  )
}

async function readChart(
  api: Calls,
  id: string,
  { numbers, others }: { numbers: string[]; others: string[] },
  span: Span,
  signal: AbortSignal,
) {
  const query = { from: iso(span.from), to: iso(span.to), limit: 100 }
  const [lines, timelines, statuses] = await Promise.all([
    readLines(api, id, numbers, span, signal),
    readTimelines(api, id, others, span, signal),
    api.get<StatusPeriods>(`/devices/${id}/status-history`, query, signal),
  ])
  return { lines, timelines, statuses }
}

/** Averages per bucket, each with the least and the greatest value, in the middle of its bucket. */
export async function readLines(
  api: Calls,
  id: string,
  keys: string[],
  { from, to }: Span,
  signal: AbortSignal,
): Promise<Record<string, ChartPoint[]>> {
  if (keys.length === 0) return {}
  const query = { from: iso(from), to: iso(to), keys: repeated(keys), buckets }
  const { series, bucket_seconds } = await api.get<Series>(`/devices/${id}/series`, query, signal)
  const middle = (at: string) => Math.min(to, Date.parse(at) / 1000 + bucket_seconds / 2)
  return Object.fromEntries(
    Object.entries(series).map(([key, points]) => [
      key,
      points.map(({ at, avg, min, max }): ChartPoint => [middle(at), avg, min, max]),
    ]),
  )
}

export async function readTimelines(
  api: Calls,
  id: string,
  keys: string[],
  { from, to }: Span,
  signal: AbortSignal,
): Promise<Timelines['timelines']> {
  if (keys.length === 0) return {}
  const query = { from: iso(from), to: iso(to), keys: repeated(keys) }
  return (await api.get<Timelines>(`/devices/${id}/timelines`, query, signal)).timelines
}

/** A single `keys` parameter is split at commas; a repeated one may hold any name. */
function repeated(keys: string[]): string[] {
  return keys.length === 1 ? [keys[0]!, keys[0]!] : keys
}

export function lineOf(dictionary: Dictionary, key: string, points: ChartPoint[]): ChartSeries {
  const { decimals = null } = dictionary.get(key) ?? {}
  return { label: labelOf(dictionary, key), unit: unitOf(dictionary, key), decimals, points }
}

const grey = 'var(--mantine-color-gray-5)'
const red = 'var(--mantine-color-red-6)'

export function laneOf(dictionary: Dictionary, key: string, periods: Timelines['timelines'][string]): ChartStates {
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
export function statusLane({ items, next }: StatusPeriods, span: Span): ChartStates {
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

interface ExportCsvProps {
  device: ChartedDevice
  keys: string[]
  range: TimeRange
}

function ExportCsv({ device, keys, range }: ExportCsvProps) {
  const api = useApi()
  const save = useChange({
    run: (chosen: string[]) => {
      const { from, to } = spanOf(range)
      const query = { from: iso(from), to: iso(to), ...(chosen.length > 0 ? { keys: repeated(chosen) } : {}) }
      const name = `${device.sn.replaceAll(/[^\w.-]+/g, '_')}_${iso(from).slice(0, 10)}_${iso(to).slice(0, 10)}.csv`
      return api.save(`/devices/${device.id}/history.csv`, query, name)
    },
  })
  return (
    <ActionMenu label="Export CSV" icon="download">
      <Menu.Label>Messages of this range as CSV</Menu.Label>
      <Menu.Item leftSection={<Icon name="download" />} disabled={keys.length === 0} onClick={() => save.mutate(keys)}>
        Data points in the chart
      </Menu.Item>
      <Menu.Item leftSection={<Icon name="download" />} onClick={() => save.mutate([])}>
        All data points
      </Menu.Item>
    </ActionMenu>
  )
}
