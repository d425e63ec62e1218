import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { useApi, useRead } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import { pathOf } from '../api/operations.ts'
import type { Aggregate, SpaceDataPoint } from '../api/organization.ts'
import type { ChartPoint } from '../components/chart/chart.tsx'
import { type Dictionary, labelOf, sortForChart, unitOf } from '../components/device/data-points.ts'
import { useDictionaries } from '../components/device/dictionary.ts'
import { formatNumber } from '../components/page/numbers.ts'
import { Failure, Loaded, Loading, Panel } from '../components/page/page.tsx'
import { useFilters } from '../components/table/filters.tsx'

const Chart = lazy(async () => ({ default: (await import('../components/chart/chart.tsx')).Chart }))

const ranges = [
  { value: '6h', label: '6 h', seconds: 21_600 },
  { value: '24h', label: '24 h', seconds: 86_400 },
  { value: '7d', label: '7 d', seconds: 604_800 },
]
const ways = [
  { value: 'average', label: 'Average' },
  { value: 'sum', label: 'Sum' },
]

/** One data point over all devices below the space. What is shown is in the address. */
export function SpaceChart({ spaceId, empty }: { spaceId: string; empty: boolean }) {
  const points = useRead('GET /core/v1/organization/spaces/{id}/data-points', { id: spaceId })
  return (
    <Panel title="All devices together">
      <Loaded of={points}>
        {({ items }) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed" py="xl" ta="center">
              {empty ? 'A chart appears once there are devices here.' : 'No device here has sent a number yet.'}
            </Text>
          ) : (
            <ChosenChart spaceId={spaceId} points={items} />
          )
        }
      </Loaded>
    </Panel>
  )
}

function ChosenChart({ spaceId, points }: { spaceId: string; points: SpaceDataPoint[] }) {
  const api = useApi()
  const filters = useFilters('key', 'show', 'range')
  const dictionaries = useDictionaries([...new Set(points.map(({ model_id }) => model_id))])
  const dictionaryOf = (point: SpaceDataPoint): Dictionary => dictionaries.get(point.model_id) ?? new Map()
  const chosen =
    points.find(({ key }) => key === filters.values.key) ??
    points.find((point) => dictionaryOf(point).get(point.key)?.chart) ??
    mostTelling(points, dictionaryOf)
  const dictionary = dictionaryOf(chosen)
  const { key } = chosen
  const way = ways.find(({ value }) => value === filters.values.show) ?? ways[0]!
  const range = ranges.find(({ value }) => value === filters.values.range) ?? ranges[1]!
  const read = useQuery<Aggregate & { span: { from: number; to: number } }, ApiError>({
    queryKey: [api.name, pathOf('GET /core/v1/organization/spaces/{id}/series', { id: spaceId }), key, range.value],
    queryFn: async ({ signal }) => {
      const to = Date.now()
      const from = to - range.seconds * 1000
      const query = { key, from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      const data = await api.read('GET /core/v1/organization/spaces/{id}/series', { id: spaceId, ...query }, signal)
      return { ...data, span: { from: from / 1000, to: to / 1000 } }
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })
  const lines = useMemo(() => {
    const intervals = read.data?.series ?? []
    const middle = (read.data?.bucket_seconds ?? 0) / 2
    const drawn = intervals.map(({ at, min, avg, max, sum }): ChartPoint => {
      const seconds = Date.parse(at) / 1000 + middle
      return way.value === 'sum' ? [seconds, sum] : [seconds, avg, min, max]
    })
    const label = `${labelOf(dictionary, key)}, ${way.label.toLowerCase()}`
    return [{ label, unit: unitOf(dictionary, key) || null, points: drawn }]
  }, [read.data, way, dictionary, key])
  const options = points.map((point) => ({ value: point.key, label: labelOf(dictionaryOf(point), point.key) }))
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Select
          aria-label="Data point"
          data={options}
          value={key}
          onChange={(value) => filters.set('key', value, { replace: true })}
          allowDeselect={false}
          searchable={options.length > 6}
          style={{ flex: '1 1 160px' }}
        />
        <SegmentedControl
          size="xs"
          aria-label="What to show"
          data={ways}
          value={way.value}
          onChange={(value) => filters.set('show', value, { replace: true })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Range"
          data={ranges.map(({ value, label }) => ({ value, label }))}
          value={range.value}
          onChange={(value) => filters.set('range', value, { replace: true })}
        />
      </Group>
      {read.error && !read.data ? (
        <Failure error={read.error} retry={() => void read.refetch()} />
      ) : read.data ? (
        <Suspense fallback={<Loading />}>
          <Chart series={lines} from={read.data.span.from} to={read.data.span.to} />
          <Text size="xs" c="dimmed">
            {aboutChart(read.data, way.value)}
          </Text>
        </Suspense>
      ) : (
        <Loading />
      )}
    </Stack>
  )
}

/** Of those that the most devices send. */
function mostTelling(points: SpaceDataPoint[], dictionaryOf: (point: SpaceDataPoint) => Dictionary): SpaceDataPoint {
  const numbers = points.filter(({ type }) => type === 'number')
  const common = numbers.filter(({ devices }) => devices * 2 >= numbers[0]!.devices)
  // Each by the dictionary of its own model.
  const dictionary = new Map(common.flatMap((point) => [...dictionaryOf(point)]))
  const [first] = sortForChart(dictionary, new Map(common.map(({ key }) => [key, undefined])))
  return common.find(({ key }) => key === first) ?? points[0]!
}

function aboutChart({ devices, complete, bucket_seconds }: Aggregate, way: string): string {
  const which = `${complete ? '' : 'the first '}${formatNumber(devices)} ${devices === 1 ? 'device' : 'devices'}`
  const each = `every ${lengthOf(bucket_seconds)}`
  if (way === 'sum') return `The last values of ${which} added up, ${each}.`
  return `The average of ${which}, ${each}. Shaded: lowest to highest value.`
}

function lengthOf(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (minutes < 1) return `${seconds} seconds`
  if (minutes < 90) return minutes === 1 ? 'minute' : `${minutes} minutes`
  return `${Math.round(minutes / 60)} hours`
}
