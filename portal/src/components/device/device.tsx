import { Alert, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useApi, useChange } from '../../api/api.tsx'
import type { Status } from '../../api/organization.ts'
import { Confirm } from '../form/dialog.tsx'
import { Copied } from '../page/copy.tsx'
import { Icon } from '../page/icon.tsx'
import { Fact } from '../page/page.tsx'
import { When } from '../page/when.tsx'
import { type Broken, DeviceReason } from './device-reason.tsx'
import { statusLabel } from './status.tsx'

interface KnownDevice extends Broken {
  id: string
  mac: string
  firmware_version: string
  status: Status
}

/** The facts that customer and partner both see, with those of one side as children. */
export function DeviceFacts({ device, children }: { device: KnownDevice; children: ReactNode }) {
  return (
    <Group gap="xl" align="flex-start" className="facts">
      <Fact label="Last seen">
        <When at={device.last_seen_at} />
      </Fact>
      {device.status !== 'never_seen' && (
        <Fact label={`${statusLabel(device.status)} since`}>
          <When at={device.status_at} />
        </Fact>
      )}
      {device.reason && (
        <Fact label="Reason">
          <DeviceReason device={device} />
        </Fact>
      )}
      {device.alarm?.since && (
        <Fact label="Alarm since">
          <When at={device.alarm.since} />
        </Fact>
      )}
      {children}
      <Fact label="Firmware">{device.firmware_version}</Fact>
      <Fact label="MAC">
        <Copied value={device.mac} label="Copy MAC" />
      </Fact>
      <Fact label="Device ID">
        <Copied value={device.id} text={`${device.id.slice(0, 8)}…`} label="Copy device ID" />
      </Fact>
    </Group>
  )
}

interface DeviceConfirmProps {
  device: { id: string }
  name: string
  onClose: () => void
}

export function ReplaceDevice({ device, name, onClose }: DeviceConfirmProps) {
  const { kind, send } = useApi('organization', 'partner')
  const replace = useChange({
    run: () => send(`POST /core/v1/${kind}/devices/{id}/replace`, { id: device.id }),
    invalidates: [[`GET /core/v1/${kind}/devices/{id}`, { id: device.id }]],
    done: () => 'New hardware can register in its place for the next hour.',
    silent: true,
  })
  return (
    <Confirm
      title={`Replace the hardware of ${name}?`}
      verb="Allow for one hour"
      onConfirm={() => replace.mutateAsync()}
      onClose={onClose}
    >
      For one hour, hardware with the same model, MAC and serial number may register again. It keeps this device’s ID
      and history and gets new credentials. The old ones then stop working.
    </Confirm>
  )
}

export function ReplaceWindow({ until }: { until: string | null }) {
  if (!until || Date.parse(until) <= Date.now()) return null
  return (
    <Alert color="yellow" p="xs" icon={<Icon name="clock" />}>
      Ready for replacement: new hardware may register in its place. Ends <When at={until} />.
    </Alert>
  )
}

interface RemoveDeviceProps extends DeviceConfirmProps {
  /** Who else is affected, in a sentence. */
  loss: string
  /** The page to go to afterwards. */
  list: string
}

export function RemoveDevice({ device, name, loss, list, onClose }: RemoveDeviceProps) {
  const { kind, send } = useApi('organization', 'partner')
  const navigate = useNavigate()
  const remove = useChange({
    run: () => send(`DELETE /core/v1/${kind}/devices/{id}`, { id: device.id }),
    invalidates: [`GET /core/v1/${kind}/devices`, `GET /core/v1/${kind}/info`],
    done: () => {
      void navigate(list)
      return `${name} was removed.`
    },
    silent: true,
  })
  return (
    <Confirm
      title={`Remove ${name}?`}
      verb="Remove device"
      name={name}
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      <Text size="sm" mb="xs">
        Its credentials stop working immediately, and its messages are rejected with status 410. {loss}
      </Text>
      <Text size="sm">This cannot be undone. The same hardware can register again, as a new device with a new ID.</Text>
    </Confirm>
  )
}
