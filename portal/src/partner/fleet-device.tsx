import { Alert, Badge, Button, Grid, Group, Tabs, Text, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { FleetDeviceWithState } from '../api/partner.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copied } from '../parts/copy.tsx'
import { DeviceChart } from '../parts/device-chart.tsx'
import { DeviceMessages } from '../parts/device-messages.tsx'
import { DeviceValues } from '../parts/device-values.tsx'
import { Fact } from '../parts/fact.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, Panel, Shown } from '../parts/page.tsx'
import { StatusBadge } from '../parts/status.tsx'
import { When } from '../parts/when.tsx'

export function FleetDevice() {
  const { partnerId, deviceId = '' } = useParams()
  const device = useRead<FleetDeviceWithState>(`/devices/${deviceId}`, {}, { every: 2_000 })
  return (
    <Shown of={device}>{(data) => <FleetDevicePage device={data} above={`/partner/${partnerId}/devices`} />}</Shown>
  )
}

function FleetDevicePage({ device, above }: { device: FleetDeviceWithState; above: string }) {
  const api = useApi()
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const [act, setAct] = useState<'replace' | 'remove' | null>(null)
  const asked = search.get('keys')
  const first = Object.keys(device.state)
    .sort()
    .find((key) => typeof device.state[key]?.value === 'number')
  const drawn = useMemo(
    () => (asked === null ? (first ? [first] : []) : asked.split(',').filter(Boolean)),
    [asked, first],
  )
  const replace = useChange({
    run: () => api.post(`/devices/${device.id}/replace`),
    touches: [`/devices/${device.id}`],
    done: () => 'For the next hour the device can register again.',
    quiet: true,
  })
  const remove = useChange({
    run: () => api.remove(`/devices/${device.id}`),
    touches: ['/devices'],
    done: () => {
      void navigate(above)
      return `${device.sn} was removed.`
    },
    quiet: true,
  })
  return (
    <Page
      title={device.sn}
      heading={
        <Group gap="sm">
          <Title order={1}>{device.sn}</Title>
          <StatusBadge status={device.status} />
          <Badge color={device.claimed ? 'green' : 'gray'}>{device.claimed ? 'Claimed' : 'Not claimed'}</Badge>
        </Group>
      }
      above={[{ label: 'Fleet', to: above }]}
      actions={
        <>
          <Button variant="default" onClick={() => setAct('replace')}>
            Open for replacement
          </Button>
          <Button variant="light" color="red" onClick={() => setAct('remove')}>
            Remove
          </Button>
        </>
      }
    >
      {device.replace_until && new Date(device.replace_until) > new Date() && (
        <Alert color="yellow" p="xs" icon={<Icon name="clock" />}>
          The device may register again until <When at={device.replace_until} />.
        </Alert>
      )}
      <Group gap="xl" align="flex-start" className="facts">
        <Fact label="Last seen">
          <When at={device.last_seen_at} />
        </Fact>
        <Fact label="Registered">
          <When at={device.registered_at} />
        </Fact>
        <Fact label="Firmware">{device.firmware_version}</Fact>
        <Fact label="MAC">
          <Copied value={device.mac} label="Copy MAC" />
        </Fact>
        <Fact label="Device id">
          <Copied value={device.id} shown={`${device.id.slice(0, 8)}…`} label="Copy device id" />
        </Fact>
      </Group>
      <Tabs defaultValue="now" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="now">Values and chart</Tabs.Tab>
          <Tabs.Tab value="messages">Raw messages</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="now">
          <Grid gap="md">
            <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
              <DeviceChart deviceId={device.id} keys={drawn} arrived={device.last_seen_at} />
            </Grid.Col>
            <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
              <Panel title="Latest values">
                <DeviceValues
                  state={device.state}
                  drawn={drawn}
                  onDrawn={(keys) => setSearch({ keys: keys.join(',') }, { replace: true })}
                />
              </Panel>
            </Grid.Col>
          </Grid>
        </Tabs.Panel>
        <Tabs.Panel value="messages">
          <Panel>
            <DeviceMessages deviceId={device.id} />
          </Panel>
        </Tabs.Panel>
      </Tabs>
      {act === 'replace' && (
        <Confirm
          title="Open for replacement?"
          verb="Open for one hour"
          onConfirm={() => replace.mutateAsync()}
          onClose={() => setAct(null)}
        >
          For one hour a device of the same model, MAC and serial number may register again. It keeps its id and history
          and gets new credentials; the old ones stop working at that moment.
        </Confirm>
      )}
      {act === 'remove' && (
        <Confirm
          title={`Remove ${device.sn}?`}
          verb="Remove device"
          name={device.sn}
          onConfirm={() => remove.mutateAsync()}
          onClose={() => setAct(null)}
        >
          <Text size="sm">
            Its credentials stop working at once; what it sends is refused with 410.{' '}
            {device.claimed ? 'The customer who claimed it loses it. ' : ''}This cannot be undone; the same hardware can
            register again as a new device.
          </Text>
        </Confirm>
      )}
    </Page>
  )
}
