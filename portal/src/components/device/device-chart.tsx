import { Menu, Text } from '@mantine/core'
import { lazy, Suspense, useMemo } from 'react'
import { useApi, useChange } from '../../api/api.tsx'
import type { DataPoint } from '../../api/organization.ts'
import type { ChartSeries, ChartStates } from '../chart/chart.tsx'
import { RangePicker, useTimeRange } from '../chart/range-picker.tsx'
import { iso, spanOf, type TimeRange, type TimeSpan } from '../chart/time-range.ts'
import { ActionMenu } from '../page/action-menu.tsx'
import { Icon } from '../page/icon.tsx'
import { Failure, Loading, Panel } from '../page/page.tsx'
import { exactTime } from '../page/when.tsx'
import { type Dictionary, labelOf } from './data-points.ts'
import {
  type DeviceApi,
  lineOf,
  readLines,
  readTimelines,
  repeated,
  statusTimeline,
  timelineOf,
  uniqueLabels,
} from './device-series.ts'
import { useRangeQuery } from './range-query.ts'

export const Chart = lazy(async () => ({ default: (await import('../chart/chart.tsx')).Chart }))

/** The service returns at most this many data points per request. */
export const maxLines = 20

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
  /** When the customer who looks claimed the device. */
  since?: string | null
  /** What the chart opens with. */
  range?: string
}

/** Numbers as lines, everything else and the status as timelines. */
export function DeviceChart({ device, keys, dictionary, since = null, range: initial = '1h' }: DeviceChartProps) {
  const api = useApi('organization', 'partner')
  const [range, setRange] = useTimeRange(initial)
  const isNumber = (key: string) => typeof (device.state[key]?.value ?? 0) === 'number'
  const wanted = { numbers: keys.filter(isNumber), others: keys.filter((key) => !isNumber(key)) }
  const history = useRangeQuery({
    deviceId: device.id,
    about: ['chart', wanted],
    range,
    arrived: device.last_seen_at,
    read: (span, signal) => readChart(api, device.id, wanted, span, signal),
  })
  const { data } = history
  const { series, states } = useMemo(() => {
    const drawn: { series: ChartSeries[]; states: ChartStates[] } = { series: [], states: [] }
    if (!data) return drawn
    const status = statusTimeline(data.statuses, data.span)
    const labels = uniqueLabels([...keys.map((key) => labelOf(dictionary, key)), status.label])
    for (const [index, key] of keys.entries()) {
      const label = labels[index]!
      const [points, periods] = [data.lines.get(key), data.timelines.get(key)]
      if (points) drawn.series.push({ ...lineOf(dictionary, key, points), label })
      if (periods) drawn.states.push({ ...timelineOf(dictionary, key, periods), label })
    }
    drawn.states.push({ ...status, label: labels.at(-1)! })
    return drawn
  }, [data, keys, dictionary])
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
        {history.error?.message ?? hintOf(device, keys, data && isEmpty(data) ? { ...data.span, since } : null)}
      </Text>
    </Panel>
  )
}

function isEmpty({ lines, timelines }: Omit<Awaited<ReturnType<typeof readChart>>, 'statuses'>): boolean {
  return [...lines.values(), ...timelines.values()].every(({ length }) => length === 0)
}

/** `empty` is a range without any value of these keys. */
function hintOf({ state }: ChartedDevice, keys: string[], empty: (TimeSpan & { since: string | null }) | null): string {
  if (Object.keys(state).length === 0) return 'Lines appear as soon as the device sends values.'
  if (keys.length === 0) return 'Choose a data point to see its chart.'
  if (empty?.since && new Date(empty.since).getTime() / 1000 > empty.from) {
    return `No values in this range: you see what the device sent since you claimed it on ${exactTime(new Date(empty.since))}.`
  }
  if (empty) return 'The device sent no values in this range. Choose a longer one.'
  return 'Drag across the chart to zoom in. Shaded: lowest to highest value.'
}

async function readChart(
  api: DeviceApi,
  id: string,
  { numbers, others }: { numbers: string[]; others: string[] },
  span: TimeSpan,
  signal: AbortSignal,
) {
  const query = { id, from: iso(span.from), to: iso(span.to), limit: 100 }
  const [lines, timelines, statuses] = await Promise.all([
    readLines(api, id, numbers, span, signal),
    readTimelines(api, id, others, span, signal),
    api.read(`GET /core/v1/${api.kind}/devices/{id}/status-history`, query, signal),
  ])
  return { lines, timelines, statuses }
}

interface ExportCsvProps {
  device: ChartedDevice
  keys: string[]
  range: TimeRange
}

function ExportCsv({ device, keys, range }: ExportCsvProps) {
  const api = useApi('organization', 'partner')
  const save = useChange({
    run: (chosen: string[]) => {
      const { from, to } = spanOf(range)
      const named = chosen.length > 0 ? { keys: repeated(chosen) } : {}
      const query = { id: device.id, from: iso(from), to: iso(to), headers: 'labels', ...named }
      return api.save(`GET /core/v1/${api.kind}/devices/{id}/history.csv`, query)
    },
  })
  return (
    <ActionMenu label="Export CSV" icon="download" needs={null}>
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
