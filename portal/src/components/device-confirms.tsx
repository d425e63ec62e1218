import { Alert, Text } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useApi, useChange } from '../api/api.tsx'
import { Confirm } from './confirm.tsx'
import { Icon } from './icon.tsx'
import { When } from './when.tsx'

interface DeviceConfirmProps {
  device: { id: string }
  name: string
  onClose: () => void
}

export function ReplaceDevice({ device, name, onClose }: DeviceConfirmProps) {
  const api = useApi()
  const replace = useChange({
    run: () => api.post(`/devices/${device.id}/replace`),
    touches: [`/devices/${device.id}`],
    done: () => 'For the next hour the new hardware can register in its place.',
    quiet: true,
  })
  return (
    <Confirm
      title={`Replace the hardware of ${name}?`}
      verb="Open for one hour"
      onConfirm={() => replace.mutateAsync()}
      onClose={onClose}
    >
      For one hour a device of the same model, MAC and serial number may register again. It keeps this device’s id and
      history and gets new credentials; the old ones stop working at that moment. Nothing changes if nobody registers.
    </Confirm>
  )
}

/** Shown for as long as it is open. */
export function ReplaceWindow({ until }: { until: string | null }) {
  if (!until || Date.parse(until) <= Date.now()) return null
  return (
    <Alert color="yellow" p="xs" icon={<Icon name="clock" />}>
      Open for replacement: new hardware may register in its place. That ends <When at={until} />.
    </Alert>
  )
}

interface RemoveDeviceProps extends DeviceConfirmProps {
  /** Who else loses what, in a sentence. */
  loss: string
  /** Where its list is. */
  list: string
}

export function RemoveDevice({ device, name, loss, list, onClose }: RemoveDeviceProps) {
  const api = useApi()
  const navigate = useNavigate()
  const remove = useChange({
    run: () => api.remove(`/devices/${device.id}`),
    touches: ['/devices', '/info'],
    done: () => {
      void navigate(list)
      return `${name} was removed.`
    },
    quiet: true,
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
        Its credentials stop working at once, and whatever it sends is refused with 410. {loss}
      </Text>
      <Text size="sm">This cannot be undone. The same hardware can register again, as a new device with a new id.</Text>
    </Confirm>
  )
}
