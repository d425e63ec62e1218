import { Group, Stack, Table, Text } from '@mantine/core'
import { Suspense, useMemo } from 'react'
import { useApi, usePages } from '../../api/api.tsx'
import type { Status } from '../../api/organization.ts'
import { RangePicker, useTimeRange } from '../chart/range-picker.tsx'
import { iso, spanOf, type TimeRange } from '../chart/time-range.ts'
import { formatDuration, formatShare } from '../page/amounts.ts'
import { Empty, Fact, Loaded, Loading, Panel } from '../page/page.tsx'
import { exactTime } from '../page/when.tsx'
import { LoadedList, LoadMore } from '../table/list.tsx'
import { Chart } from './device-chart.tsx'
import { statusTimeline } from './device-series.ts'
import { useArrivals, useRangeQuery } from './range-query.ts'
import { StatusBadge, statuses } from './status.tsx'

interface KnownDevice {
  id: string
  last_seen_at: string | null
  status_at: string
}

/** How long a device had each status in a range, drawn and listed. */
export function DeviceStatus({ device }: { device: KnownDevice }) {
  const api = useApi('organization', 'partner')
  const [range, setRange] = useTimeRange('24h')
  const read = useRangeQuery({
    deviceId: device.id,
    about: ['status'],
    range,
    arrived: null,
    read: async (span, signal) => {
      const query = { id: device.id, from: iso(span.from), to: iso(span.to) }
      const [uptime, periods] = await Promise.all([
        api.read(`GET /core/v1/${api.kind}/devices/{id}/uptime`, query, signal),
        api.read(`GET /core/v1/${api.kind}/devices/{id}/status-history`, { ...query, limit: 100 }, signal),
      ])
      return { uptime, periods }
    },
  })
  // A change of the status is rare, and should be seen at once.
  useArrivals(device.status_at, () => void read.refetch({ cancelRefetch: false }))
  const { data } = read
  const states = useMemo(() => (data ? [statusTimeline(data.periods, data.span)] : []), [data])
  return (
    <Stack gap="md">
      <Panel title="Uptime" actions={<RangePicker range={range} onChange={setRange} />}>
        <Loaded of={read}>
          {({ uptime, span }) => (
            <Stack gap="md">
              <Group gap="xl" className="facts">
                <Fact label="Uptime">
                  <Text fw={600} size="lg" className="numbers">
                    {uptime.uptime === null ? 'Not seen yet' : formatShare(uptime.uptime)}
                  </Text>
                </Fact>
                {statuses
                  .filter(({ value }) => value !== 'never_seen' || uptime.seconds.never_seen > 0)
                  .map(({ value, label }) => (
                    <Fact key={value} label={label}>
                      {formatDuration(uptime.seconds[value as Status])}
                    </Fact>
                  ))}
              </Group>
              <Suspense fallback={<Loading rows={1} />}>
                <Chart
                  series={[]}
                  states={states}
                  {...span}
                  height={64}
                  onZoom={(from, to) => setRange({ from, to })}
                />
              </Suspense>
              <Text size="xs" c="dimmed">
                Uptime is the share of time in which the device was reachable: online or with an error.
              </Text>
            </Stack>
          )}
        </Loaded>
      </Panel>
      <Panel title="Status history">
        <Periods device={device} range={range} />
      </Panel>
    </Stack>
  )
}

function Periods({ device, range }: { device: KnownDevice; range: TimeRange }) {
  // The same list until the range changes: another `from` at every render would be another list.
  const query = useMemo(() => {
    const { from, to } = spanOf(range)
    return { from: iso(from), ...('last' in range ? {} : { to: iso(to) }), limit: 25 }
  }, [range])
  const { kind } = useApi('organization', 'partner')
  const list = usePages(`GET /core/v1/${kind}/devices/{id}/status-history`, { id: device.id, ...query })
  useArrivals(device.status_at, () => void list.refetch({ cancelRefetch: false }))
  return (
    <LoadedList
      list={list}
      empty={
        <Empty icon="clock" title="No status in this range">
          The device was not known then. Choose another range.
        </Empty>
      }
    >
      {(periods) => (
        <>
          <Table aria-label="Status history">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Status</Table.Th>
                <Table.Th>From</Table.Th>
                <Table.Th visibleFrom="xs">To</Table.Th>
                <Table.Th ta="right">Duration</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {periods.map(({ status, from, to }) => (
                <Table.Tr key={from}>
                  <Table.Td>
                    <StatusBadge status={status} />
                  </Table.Td>
                  <Table.Td fz="sm">{exactTime(new Date(from))}</Table.Td>
                  <Table.Td fz="sm" visibleFrom="xs">
                    {to === null ? 'now' : exactTime(new Date(to))}
                  </Table.Td>
                  <Table.Td fz="sm" ta="right" className="one-line">
                    {formatDuration(((to === null ? Date.now() : Date.parse(to)) - Date.parse(from)) / 1000)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <LoadMore list={list}>Show older</LoadMore>
        </>
      )}
    </LoadedList>
  )
}
