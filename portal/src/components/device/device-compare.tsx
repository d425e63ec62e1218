import { Group, MultiSelect, Select, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { Suspense, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { readQuery, useApi, useRead } from '../../api/api.tsx'
import type { ChartSeries, ChartStates } from '../chart/chart.tsx'
import { RangePicker, useTimeRange } from '../chart/range-picker.tsx'
import { useChangeAddress } from '../page/address.ts'
import { Loaded, Loading, Panel } from '../page/page.tsx'
import { type Dictionary, firstChartKeys, sortKeys, titleOf } from './data-points.ts'
import { Chart, type ChartedDevice } from './device-chart.tsx'
import { lineOf, readLines, readTimelines, timelineOf, uniqueLabels } from './device-series.ts'
import { useRangeQuery } from './range-query.ts'

/** With the one whose page it is. */
const maxDevices = 6

interface NamedDevice {
  id: string
  /** Only for its customer. */
  name?: string | null
  space_path?: string[]
  sn: string
}

interface DeviceCompareProps {
  device: ChartedDevice & NamedDevice
  dictionary: Dictionary
}

/** One data point of up to six devices in one chart; all of it is in the address. */
export function DeviceCompare({ device, dictionary }: DeviceCompareProps) {
  const api = useApi('organization', 'partner')
  const [range, setRange] = useTimeRange('24h')
  const keys = sortKeys(dictionary, Object.keys(device.state))
  const { key, others, setKey, setOthers } = useComparison(firstChartKeys(dictionary, device.state)[0] ?? keys[0] ?? '')
  const devices = [device, ...useDevices(others)]
  const isNumber = typeof (device.state[key]?.value ?? 0) === 'number'
  const ids = [device.id, ...others]
  const read = useRangeQuery({
    deviceId: device.id,
    about: ['compare', key, ids],
    range,
    arrived: device.last_seen_at,
    read: async (span, signal) => {
      const readOne = async (id: string) => ({
        points: isNumber ? (await readLines(api, id, [key], span, signal)).get(key) : undefined,
        periods: isNumber ? undefined : (await readTimelines(api, id, [key], span, signal)).get(key),
      })
      // A device may have been removed meanwhile: the others are still shown.
      const lines = await Promise.allSettled(ids.map(readOne))
      return { lines: lines.map((line) => (line.status === 'fulfilled' ? line.value : null)) }
    },
  })
  const names = namesOf(devices)
  const labels = JSON.stringify(uniqueLabels(ids.map((id) => names.get(id) ?? '…')))
  const { series, states } = useMemo(() => {
    const named = JSON.parse(labels) as string[]
    const lines = read.data?.lines ?? []
    return {
      series: lines.flatMap((line, index): ChartSeries[] =>
        line?.points ? [{ ...lineOf(dictionary, key, line.points), label: named[index] ?? '…', axis: key }] : [],
      ),
      states: lines.flatMap((line, index): ChartStates[] =>
        line?.periods ? [{ ...timelineOf(dictionary, key, line.periods), label: named[index] ?? '…' }] : [],
      ),
    }
  }, [read.data, labels, dictionary, key])
  if (keys.length === 0) {
    return (
      <Panel title="Compare devices">
        <Text size="sm" c="dimmed">
          No values yet. As soon as the device sends some, they can be compared with those of other devices.
        </Text>
      </Panel>
    )
  }
  return (
    <Panel title="Compare devices" actions={<RangePicker range={range} onChange={setRange} />}>
      <Group mb="md" align="flex-start">
        <Select
          label="Data point"
          data={keys.map((value) => ({ value, label: titleOf(dictionary, value) }))}
          value={key}
          onChange={(value) => value !== null && setKey(value)}
          searchable
          allowDeselect={false}
          flex="1 1 180px"
          miw={0}
        />
        <OtherDevices own={device.id} others={others} known={devices} onChange={setOthers} />
      </Group>
      <Loaded of={read}>
        {({ span, lines }) => (
          <Suspense fallback={<Loading />}>
            <Chart {...{ series, states }} {...span} onZoom={(from, to) => setRange({ from, to })} />
            {lines.includes(null) && (
              <Text size="xs" c="dimmed">
                Some of these devices could not be read. They may have been removed.
              </Text>
            )}
          </Suspense>
        )}
      </Loaded>
    </Panel>
  )
}

/** `?key=temperature&with=<id>&with=<id>` */
function useComparison(first: string) {
  const [search] = useSearchParams()
  const changeAddress = useChangeAddress()
  const change = (name: string, values: string[]) =>
    changeAddress(
      (now) => {
        now.delete(name)
        for (const value of values) now.append(name, value)
      },
      { replace: true },
    )
  const others = search.getAll('with').filter((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
  return {
    key: search.get('key') ?? first,
    others: [...new Set(others)].slice(0, maxDevices - 1),
    setKey: (key: string) => change('key', [key]),
    setOthers: (ids: string[]) => change('with', ids),
  }
}

interface OtherDevicesProps {
  own: string
  others: string[]
  known: NamedDevice[]
  onChange: (ids: string[]) => void
}

function OtherDevices({ own, others, known, onChange }: OtherDevicesProps) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 200)
  const { kind } = useApi('organization', 'partner')
  const found = useRead(`GET /core/v1/${kind}/devices`, { limit: 50, ...(search ? { search } : {}) })
  const choices = new Map<string, NamedDevice>([...known, ...(found.data?.items ?? [])].map((one) => [one.id, one]))
  choices.delete(own)
  return (
    <MultiSelect
      label={`With up to ${maxDevices - 1} other devices`}
      placeholder={others.length === 0 ? 'Search by name, serial number or MAC' : ''}
      data={[...choices.values()].map((one) => ({ value: one.id, label: nameOf(one) }))}
      renderOption={({ option }) => {
        const { space_path = [] } = choices.get(option.value) ?? {}
        return (
          <div>
            {option.label}
            {space_path.length > 0 && (
              <Text size="xs" c="dimmed">
                {space_path.join(' / ')}
              </Text>
            )}
          </div>
        )
      }}
      value={others}
      onChange={onChange}
      maxValues={maxDevices - 1}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      // The service has searched.
      filter={({ options }) => options}
      clearable
      hidePickedOptions
      flex="3 1 280px"
      miw={0}
      maw="100%"
    />
  )
}

function useDevices(ids: string[]): NamedDevice[] {
  const api = useApi('organization', 'partner')
  return useQueries({
    queries: ids.map((id) => readQuery(api, `GET /core/v1/${api.kind}/devices/{id}`, { id })),
    combine: (reads) => reads.flatMap(({ data }) => data ?? []),
  })
}

/** With the path of its space where two have the same name. */
function namesOf(devices: NamedDevice[]): Map<string, string> {
  const alike = Map.groupBy(devices, nameOf)
  const isAlone = (one: NamedDevice) => alike.get(nameOf(one))!.length === 1
  return new Map(
    devices.map((one) => [one.id, [nameOf(one), ...(isAlone(one) ? [] : (one.space_path ?? []))].join(' / ')]),
  )
}

function nameOf({ name, sn }: NamedDevice): string {
  return name ?? sn
}
