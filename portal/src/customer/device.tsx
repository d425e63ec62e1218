import { Anchor, Badge, Button, Menu, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import { useLiveDevice } from '../api/live.ts'
import { type Device as DeviceData, type DeviceWithState, deviceName } from '../api/organization.ts'
import { useMayThere, useWithin } from '../api/permitted.ts'
import { DeviceFacts, RemoveDevice, ReplaceDevice, ReplaceWindow } from '../components/device/device.tsx'
import { DeviceTelemetry } from '../components/device/device-telemetry.tsx'
import { useDictionary } from '../components/device/dictionary.ts'
import { SpacePath } from '../components/device/space-path.tsx'
import { StatusBadge } from '../components/device/status.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import type { Tab } from '../components/page/address-tabs.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Fact, Loaded, Page } from '../components/page/page.tsx'
import { listAddress } from '../components/table/place.ts'
import { DeviceCommands } from './device-commands.tsx'
import { DeviceSettings } from './device-settings.tsx'
import { DeviceTags } from './device-tags.tsx'

export function Device() {
  const { deviceId = '' } = useParams()
  const device = useRead('GET /core/v1/organization/devices/{id}', { id: deviceId })
  const live = useLiveDevice(deviceId)
  return <Loaded of={device}>{(data) => <DevicePage device={data} live={live} />}</Loaded>
}

function DevicePage({ device, live }: { device: DeviceWithState; live: boolean }) {
  const { customerId } = useParams()
  const list = `/customer/${customerId}/devices`
  const [dialog, setDialog] = useState<'rename' | 'move' | 'replace' | 'remove' | null>(null)
  const onClose = () => setDialog(null)
  const model = useRead('GET /core/v1/organization/models/{id}', { id: device.model_id })
  const name = deviceName(device)
  const mayChange = useMayThere('devices: manage', device.space_id)
  return (
    <Page
      title={name}
      wide
      badges={
        <>
          <StatusBadge status={device.status} />
          {live && (device.status === 'online' || device.status === 'error') && (
            <Badge size="xs" color="green" title="Values update as they arrive">
              Live
            </Badge>
          )}
        </>
      }
      above={[{ label: 'Devices', to: listAddress(list) }]}
      actions={
        mayChange && (
          <>
            <Button variant="default" onClick={() => setDialog('rename')}>
              Rename
            </Button>
            <Button variant="default" onClick={() => setDialog('move')}>
              Move
            </Button>
            <ActionMenu label="More actions" needs="devices: manage">
              <Menu.Item leftSection={<Icon name="refresh" />} onClick={() => setDialog('replace')}>
                Replace hardware
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item
                c="var(--mantine-color-error)"
                leftSection={<Icon name="trash" />}
                onClick={() => setDialog('remove')}
              >
                Remove device
              </Menu.Item>
            </ActionMenu>
          </>
        )
      }
    >
      <ReplaceWindow until={device.replace_until} />
      <DeviceFacts device={device}>
        <Fact label="Space">
          {device.space_id ? (
            <Anchor component={Link} to={`/customer/${customerId}/spaces/${device.space_id}`} size="sm">
              <SpacePath path={device.space_path} />
            </Anchor>
          ) : (
            'No space'
          )}
        </Fact>
        <Fact label="Model">{model.data?.name ?? '…'}</Fact>
        <Fact label="Serial">
          <Copied value={device.sn} label="Copy serial number" />
        </Fact>
      </DeviceFacts>
      <DeviceTelemetry device={device} since={device.claimed_at} more={useCommandTabs(device)} />
      <DeviceTags device={device} />
      {dialog === 'rename' && <RenameDevice device={device} onClose={onClose} />}
      {dialog === 'move' && <MoveDevice device={device} onClose={onClose} />}
      {dialog === 'replace' && <ReplaceDevice device={device} name={name} onClose={onClose} />}
      {dialog === 'remove' && (
        <RemoveDevice
          device={device}
          name={name}
          loss="Your organization loses access to it and its history."
          list={list}
          onClose={onClose}
        />
      )}
    </Page>
  )
}

/** Only where the model declares something, or a link asks for it. */
function useCommandTabs(device: DeviceWithState): Tab[] {
  const declared = useRead('GET /core/v1/organization/devices/{id}/declared-commands', { id: device.id })
  const settable = [...(useDictionary(device.model_id)?.values() ?? [])].filter((entry) => entry.settable)
  const [address] = useSearchParams()
  const commands = (
    <Loaded of={declared}>{(data) => <DeviceCommands device={device} commands={data.commands} />}</Loaded>
  )
  const tabs = [
    { value: 'commands', label: 'Commands', content: commands, isUsed: Boolean(declared.data?.commands.length) },
    {
      value: 'settings',
      label: 'Settings',
      content: <DeviceSettings device={device} settable={settable} />,
      isUsed: settable.length > 0,
    },
  ]
  return tabs.filter(({ value, isUsed }) => isUsed || address.get('tab') === value)
}

interface DeviceDialogProps {
  device: DeviceData
  onClose: () => void
}

function RenameDevice({ device, onClose }: DeviceDialogProps) {
  const api = useApi()
  const form = useForm({ initialValues: { name: device.name ?? '' } })
  const rename = useChange({
    run: () =>
      api.send('PATCH /core/v1/organization/devices/{id}', {
        id: device.id,
        body: { name: form.values.name.trim() || null },
      }),
    invalidates: ['GET /core/v1/organization/devices'],
    done: () => {
      onClose()
      return 'Device renamed.'
    },
    undo: (_input, etag) =>
      api.send('PATCH /core/v1/organization/devices/{id}', { id: device.id, body: { name: device.name }, etag }),
    silent: true,
  })
  return (
    <FormDialog form={form} title="Rename device" verb="Rename" change={rename} onClose={onClose}>
      <TextInput label="Name" {...form.getInputProps('name')} data-autofocus />
    </FormDialog>
  )
}

function MoveDevice({ device, onClose }: DeviceDialogProps) {
  const api = useApi()
  const everywhere = useWithin('devices: manage') === null
  const form = useForm({ initialValues: { space_id: device.space_id } })
  const move = useChange({
    run: () => api.send('PATCH /core/v1/organization/devices/{id}', { id: device.id, body: form.values }),
    invalidates: ['GET /core/v1/organization/devices'],
    done: () => {
      onClose()
      return 'Device moved.'
    },
    undo: (_input, etag) =>
      api.send('PATCH /core/v1/organization/devices/{id}', {
        id: device.id,
        body: { space_id: device.space_id },
        etag,
      }),
    silent: true,
  })
  return (
    <FormDialog form={form} title="Move to another space" verb="Move" change={move} onClose={onClose}>
      <SpacePicker
        label="Space"
        placeholder="No space"
        {...form.getInputProps('space_id')}
        // Who manages some spaces only would lose the device.
        clearable={everywhere}
        data-autofocus
      />
    </FormDialog>
  )
}
