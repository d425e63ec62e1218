import { Grid } from '@mantine/core'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { DataPoint } from '../api/organization.ts'
import { AddressTabs } from './address-tabs.tsx'
import { DeviceChart } from './device-chart.tsx'
import { DeviceMessages } from './device-messages.tsx'
import { DeviceValues } from './device-values.tsx'
import { Panel } from './page.tsx'

interface Speaking {
  id: string
  last_seen_at: string | null
  state: Record<string, DataPoint>
}

/** What a device says: now, over time, and as it came. */
export function DeviceTelemetry({ device }: { device: Speaking }) {
  const [drawn, draw] = useDrawn(device.state)
  return (
    <AddressTabs
      tabs={[
        {
          value: 'now',
          label: 'Values and chart',
          content: (
            <Grid gap="md">
              <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
                <DeviceChart deviceId={device.id} keys={drawn} arrived={device.last_seen_at} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
                <Panel title="Latest values">
                  <DeviceValues state={device.state} drawn={drawn} onDrawn={draw} />
                </Panel>
              </Grid.Col>
            </Grid>
          ),
        },
        {
          value: 'messages',
          label: 'Raw messages',
          content: (
            <Panel>
              <DeviceMessages deviceId={device.id} />
            </Panel>
          ),
        },
      ]}
    />
  )
}

/** The data points in the chart stand in the address; until someone chooses, it is the first that is a number. */
function useDrawn(state: Speaking['state']): [string[], (keys: string[]) => void] {
  const [search, setSearch] = useSearchParams()
  const first = Object.keys(state)
    .sort((a, b) => a.localeCompare(b))
    .find((key) => typeof state[key]?.value === 'number')
  const asked = search.get('keys') ?? first ?? ''
  const drawn = useMemo(() => asked.split(',').filter(Boolean), [asked])
  const draw = (keys: string[]) =>
    setSearch(
      (now) => {
        now.set('keys', keys.join(','))
        return now
      },
      { replace: true },
    )
  return [drawn, draw]
}
