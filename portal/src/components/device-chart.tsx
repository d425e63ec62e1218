import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { type Calls, useApi } from '../api/api.tsx'
import type { Series } from '../api/organization.ts'
import { Loading, Panel } from './page.tsx'

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }))

/** The service returns at most this many series per request. */
export const maxLines = 20

const ranges = [
  { value: '15m', label: '15 min', seconds: 900 },
  { value: '1h', label: '1 h', seconds: 3_600 },
  { value: '24h', label: '24 h', seconds: 86_400 },
  { value: '7d', label: '7 d', seconds: 604_800 },
  { value: '30d', label: '30 d', seconds: 2_592_000 },
]

interface DeviceChartProps {
  deviceId: string
  keys: string[]
  /** Changes with every new message, so that the chart is loaded again. */
  arrived: string | null
  range?: string
}

export function DeviceChart({ deviceId, keys, arrived, range: first = '1h' }: DeviceChartProps) {
  const api = useApi()
  const [range, setRange] = useState(first)
  const [zoom, setZoom] = useState<{ from: number; to: number } | null>(null)
  const seconds = ranges.find(({ value }) => value === range)!.seconds
  const history = useQuery({
    queryKey: [api.name, `/devices/${deviceId}/history`, 'chart', keys, range, zoom, arrived],
    queryFn: async ({ signal }) => {
      const now = Date.now() / 1000
      const span = zoom ?? { from: now - seconds, to: now }
      return { ...span, lines: await readSeries(api, { deviceId, keys, ...span }, signal) }
    },
    enabled: keys.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: zoom ? false : 30_000,
  })
  const series = useMemo(
    () => keys.map((key) => ({ label: key, points: history.data?.lines[key] ?? [] })),
    [history.data, keys],
  )
  return (
    <Panel
      title="History"
      actions={
        <Group gap="xs">
          {zoom && (
            <Button size="xs" variant="default" onClick={() => setZoom(null)}>
              Back to now
            </Button>
          )}
          <SegmentedControl
            size="xs"
            aria-label="Range"
            data={ranges}
            value={range}
            onChange={(value) => {
              setRange(value)
              setZoom(null)
            }}
          />
        </Group>
      }
    >
      {keys.length === 0 ? (
        <Text size="sm" c="dimmed" py="xl" ta="center">
          Choose a data point to see its chart.
        </Text>
      ) : (
        <Suspense fallback={<Loading />}>
          <Chart
            series={series}
            from={history.data?.from ?? Date.now() / 1000 - seconds}
            to={history.data?.to ?? Date.now() / 1000}
            onZoom={(from, to) => setZoom({ from, to })}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {history.error ? history.error.message : 'Drag across the chart to zoom in.'}
          </Text>
        </Suspense>
      )}
    </Panel>
  )
}

interface ChartQuery {
  deviceId: string
  keys: string[]
  /** Seconds since 1970. */
  from: number
  to: number
}

/** Averages per bucket: as many points as fit the chart, whatever the range. */
async function readSeries(
  api: Calls,
  { deviceId, keys, from, to }: ChartQuery,
  signal: AbortSignal,
): Promise<Record<string, [number, number][]>> {
  // A single `keys` parameter is split at commas; a repeated one may hold any name.
  const [only, ...others] = keys
  const repeated = others.length > 0 ? keys : [only!, only!]
  const query = { from: iso(from), to: iso(to), keys: repeated, buckets: 400 }
  const { series } = await api.get<Series>(`/devices/${deviceId}/series`, query, signal)
  return Object.fromEntries(
    Object.entries(series).map(([key, points]) => [key, points.map(({ at, avg }) => [Date.parse(at) / 1000, avg])]),
  )
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
