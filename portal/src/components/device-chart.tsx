import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useApi } from '../api/api.tsx'
import { readSeries } from '../api/history.ts'
import { Loading, Panel } from './page.tsx'

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }))

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
  /** Changes whenever something new arrived, so that the line goes on by itself. */
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
      title="Over time"
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
          Choose a data point to draw it.
        </Text>
      ) : (
        <Suspense fallback={<Loading />}>
          <Chart
            series={series}
            from={history.data?.from ?? Date.now() / 1000 - seconds}
            to={history.data?.to ?? Date.now() / 1000}
            onRange={(from, to) => setZoom({ from, to })}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {history.error ? history.error.message : 'Drag across the chart to look closer.'}
          </Text>
        </Suspense>
      )}
    </Panel>
  )
}
