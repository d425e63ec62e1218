import { Badge, Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import { useLiveDevice } from '../api/live.ts'
import { type DeviceWithState, deviceName, type Model, type Space } from '../api/organization.ts'
import { ActsMenu } from '../components/acts-menu.tsx'
import { Copied } from '../components/copy.tsx'
import { RemoveDevice, ReplaceDevice, ReplaceWindow } from '../components/device-confirms.tsx'
import { DeviceFacts } from '../components/device-facts.tsx'
import { DeviceTelemetry } from '../components/device-telemetry.tsx'
import { Fact } from '../components/fact.tsx'
import { Icon } from '../components/icon.tsx'
import { Page, Shown } from '../components/page.tsx'
import { StatusBadge } from '../components/status.tsx'
import { MoveDevice, RenameDevice } from './device-acts.tsx'

export function Device() {
  const { deviceId = '' } = useParams()
  const device = useRead<DeviceWithState>(`/devices/${deviceId}`)
  const live = useLiveDevice(deviceId)
  return <Shown of={device}>{(data) => <DevicePage device={data} live={live} />}</Shown>
}

function DevicePage({ device, live }: { device: DeviceWithState; live: boolean }) {
  const { customerId } = useParams()
  const list = `/customer/${customerId}/devices`
  const [act, setAct] = useState<'rename' | 'move' | 'replace' | 'remove' | null>(null)
  const onClose = () => setAct(null)
  const spaces = usePages<Space>('/spaces')
  const models = useRead<{ items: Model[] }>('/models', { limit: 100 })
  const name = deviceName(device)
  return (
    <Page
      title={name}
      badges={
        <>
          <StatusBadge status={device.status} />
          {live && (
            <Badge size="xs" color="green" title="Values appear here as they arrive">
              Live
            </Badge>
          )}
        </>
      }
      above={[{ label: 'Devices', to: list }]}
      actions={
        <>
          <Button variant="default" onClick={() => setAct('rename')}>
            Rename
          </Button>
          <Button variant="default" onClick={() => setAct('move')}>
            Move
          </Button>
          <ActsMenu label="More actions">
            <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setAct('replace')}>
              Replace the hardware
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<Icon name="trash" />}
              onClick={() => setAct('remove')}
            >
              Remove device
            </Menu.Item>
          </ActsMenu>
        </>
      }
    >
      <ReplaceWindow until={device.replace_until} />
      <DeviceFacts device={device}>
        <Fact label="Space">{spaces.items.find(({ id }) => id === device.space_id)?.name ?? 'none'}</Fact>
        <Fact label="Model">{models.data?.items.find(({ id }) => id === device.model_id)?.name ?? '…'}</Fact>
        <Fact label="Serial">
          <Copied value={device.sn} label="Copy serial number" />
        </Fact>
      </DeviceFacts>
      <DeviceTelemetry device={device} />
      {act === 'rename' && <RenameDevice device={device} onClose={onClose} />}
      {act === 'move' && <MoveDevice device={device} spaces={spaces.items} onClose={onClose} />}
      {act === 'replace' && <ReplaceDevice device={device} name={name} onClose={onClose} />}
      {act === 'remove' && (
        <RemoveDevice
          device={device}
          name={name}
          loss="Your organization no longer sees it or its history."
          list={list}
          onClose={onClose}
        />
      )}
    </Page>
  )
}
