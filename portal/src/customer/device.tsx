import { ActionIcon, Badge, Button, Grid, Group, Menu, Tabs, Title } from '@mantine/core'
import { useMemo, useState } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import { useLiveDevice } from '../api/live.ts'
import { type DeviceWithState, deviceName, type Model, type Space } from '../api/organization.ts'
import { Copied } from '../parts/copy.tsx'
import { DeviceChart } from '../parts/device-chart.tsx'
import { DeviceMessages } from '../parts/device-messages.tsx'
import { DeviceValues } from '../parts/device-values.tsx'
import { Fact } from '../parts/fact.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, Panel, Shown } from '../parts/page.tsx'
import { StatusBadge } from '../parts/status.tsx'
import { When } from '../parts/when.tsx'
import { type DeviceAct, DeviceActs } from './device-acts.tsx'

export function Device() {
  const { customerId, deviceId = '' } = useParams()
  const device = useRead<DeviceWithState>(`/devices/${deviceId}`)
  const live = useLiveDevice(deviceId)
  return (
    <Shown of={device}>
      {(data) => <DevicePage device={data} live={live} above={`/customer/${customerId}/devices`} />}
    </Shown>
  )
}

function DevicePage({ device, live, above }: { device: DeviceWithState; live: boolean; above: string }) {
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const tab = search.get('tab') ?? 'now'
  const [act, setAct] = useState<DeviceAct | null>(null)
  const spaces = usePages<Space>('/spaces')
  const models = useRead<{ items: Model[] }>('/models', { limit: 100 })
  const name = deviceName(device)
  const first = useMemo(() => firstNumber(device), [device])
  const asked = search.get('keys')
  const drawn = useMemo(() => (asked === null ? first : asked.split(',').filter(Boolean)), [asked, first])
  const set = (field: string, value: string) =>
    setSearch(
      (now) => {
        now.set(field, value)
        return now
      },
      { replace: true },
    )
  return (
    <Page
      title={name}
      heading={
        <Group gap="sm">
          <Title order={1}>{name}</Title>
          <StatusBadge status={device.status} />
          {live && (
            <Badge size="xs" color="green" title="Values appear here as they arrive">
              Live
            </Badge>
          )}
        </Group>
      }
      above={[{ label: 'Devices', to: above }]}
      actions={
        <>
          <Button variant="default" onClick={() => setAct('rename')}>
            Rename
          </Button>
          <Button variant="default" onClick={() => setAct('move')}>
            Move
          </Button>
          <Menu position="bottom-end" width={230}>
            <Menu.Target>
              <ActionIcon variant="default" size={36} aria-label="More actions">
                <Icon name="dots" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setAct('replace')}>
                Replace the hardware
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item color="red" leftSection={<Icon name="trash" />} onClick={() => setAct('remove')}>
                Remove device
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      <Facts
        device={device}
        space={spaces.items.find(({ id }) => id === device.space_id)?.name}
        model={models.data?.items.find(({ id }) => id === device.model_id)?.name}
      />
      <Tabs value={tab} onChange={(value) => set('tab', value ?? 'now')} keepMounted={false}>
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
                <DeviceValues state={device.state} drawn={drawn} onDrawn={(keys) => set('keys', keys.join(','))} />
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
      {act && (
        <DeviceActs
          act={act}
          device={device}
          spaces={spaces.items}
          onClose={() => setAct(null)}
          onRemoved={() => void navigate(above)}
        />
      )}
    </Page>
  )
}

function firstNumber({ state }: DeviceWithState): string[] {
  const key = Object.keys(state)
    .sort((a, b) => a.localeCompare(b))
    .find((candidate) => typeof state[candidate]?.value === 'number')
  return key ? [key] : []
}

function Facts({
  device,
  space,
  model,
}: {
  device: DeviceWithState
  space: string | undefined
  model: string | undefined
}) {
  return (
    <Group gap="xl" align="flex-start" className="facts">
      <Fact label="Last seen">
        <When at={device.last_seen_at} />
      </Fact>
      <Fact label="Space">{space ?? 'none'}</Fact>
      <Fact label="Model">{model ?? '…'}</Fact>
      <Fact label="Firmware">{device.firmware_version}</Fact>
      <Fact label="MAC">
        <Copied value={device.mac} label="Copy MAC" />
      </Fact>
      <Fact label="Serial">
        <Copied value={device.sn} label="Copy serial number" />
      </Fact>
      <Fact label="Device id">
        <Copied value={device.id} shown={`${device.id.slice(0, 8)}…`} label="Copy device id" />
      </Fact>
    </Group>
  )
}
