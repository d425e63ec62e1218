import { Grid } from '@mantine/core'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useChangeAddress } from '../page/address.ts'
import { AddressTabs, type Tab } from '../page/address-tabs.tsx'
import { Loading, Panel } from '../page/page.tsx'
import { type Dictionary, firstChartKeys, toDictionary } from './data-points.ts'
import { type ChartedDevice, DeviceChart } from './device-chart.tsx'
import { DeviceCompare } from './device-compare.tsx'
import { DeviceMessages } from './device-messages.tsx'
import { DeviceStatus } from './device-status.tsx'
import { DeviceValues } from './device-values.tsx'
import { useDictionary } from './dictionary.ts'

interface ShownDevice extends ChartedDevice {
  name?: string | null
  model_id: string
  status_at: string
}

interface DeviceTelemetryProps {
  device: ShownDevice
  /** When the customer who looks claimed it. */
  since?: string | null
  /** Tabs beside the values, of one portal only. */
  more?: Tab[]
}

/** Latest values, their history, the status, other devices to compare with, and the raw messages. */
export function DeviceTelemetry({ device, since = null, more = [] }: DeviceTelemetryProps) {
  const dictionary = useDictionary(device.model_id)
  return (
    <AddressTabs
      tabs={[
        {
          value: 'now',
          label: 'Values',
          // The keys to open with are known only with the dictionary.
          content: dictionary ? <ValuesAndChart {...{ device, since, dictionary }} /> : <Loading />,
        },
        ...more,
        { value: 'status', label: 'Status', content: <DeviceStatus device={device} /> },
        {
          value: 'compare',
          label: 'Compare',
          content: <DeviceCompare device={device} dictionary={dictionary ?? toDictionary([])} />,
        },
        {
          value: 'messages',
          label: 'Raw messages',
          content: (
            <Panel>
              <DeviceMessages device={device} />
            </Panel>
          ),
        },
      ]}
    />
  )
}

type ValuesAndChartProps = Required<Omit<DeviceTelemetryProps, 'more'>> & { dictionary: Dictionary }

function ValuesAndChart({ device, since, dictionary }: ValuesAndChartProps) {
  const [chartKeys, changeChartKeys] = useChartKeys(dictionary, device.state)
  return (
    <Grid gap="md" columns={24}>
      <Grid.Col span={{ base: 24, md: 15, xl: 16 }} order={{ base: 2, md: 1 }}>
        <DeviceChart {...{ device, since, dictionary }} keys={chartKeys} />
      </Grid.Col>
      <Grid.Col span={{ base: 24, md: 9, xl: 8 }} order={{ base: 1, md: 2 }}>
        <Panel title="Latest values">
          <DeviceValues {...{ dictionary, chartKeys }} state={device.state} onChart={changeChartKeys} />
        </Panel>
      </Grid.Col>
    </Grid>
  )
}

type Change = (keys: string[]) => string[]

/** `?keys=temperature&keys=a,b`: a name may contain a comma. By default what the partner chose, or the first number. */
function useChartKeys(dictionary: Dictionary, state: ChartedDevice['state']): [string[], (change: Change) => void] {
  const [search] = useSearchParams()
  const changeAddress = useChangeAddress()
  const keysIn = (address: URLSearchParams) =>
    address.has('keys') ? [...new Set(address.getAll('keys'))].filter(Boolean) : firstChartKeys(dictionary, state)
  const wanted = JSON.stringify(keysIn(search))
  const chartKeys = useMemo(() => JSON.parse(wanted) as string[], [wanted])
  const changeChartKeys = (change: Change) =>
    changeAddress(
      (now) => {
        const keys = change(keysIn(now))
        now.delete('keys')
        // Without any, an empty one says that none is wanted.
        for (const key of keys.length > 0 ? keys : ['']) now.append('keys', key)
      },
      { replace: true },
    )
  return [chartKeys, changeChartKeys]
}
