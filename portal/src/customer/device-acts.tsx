import { Button, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { type Device, deviceName, type Space } from '../api/organization.ts'
import { Confirm } from '../parts/confirm.tsx'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { spaceOptions } from './space-tree.ts'

export type DeviceAct = 'rename' | 'move' | 'replace' | 'remove'

interface DeviceActsProps {
  act: DeviceAct
  device: Device
  spaces: Space[]
  onClose: () => void
  onRemoved: () => void
}

export function DeviceActs({ act, device, spaces, onClose, onRemoved }: DeviceActsProps) {
  const api = useApi()
  const name = deviceName(device)
  const replace = useChange({
    run: () => api.post(`/devices/${device.id}/replace`),
    touches: [`/devices/${device.id}`],
    done: () => 'For the next hour the new hardware can register in its place.',
    quiet: true,
  })
  const remove = useChange({
    run: () => api.remove(`/devices/${device.id}`),
    touches: ['/devices', '/info'],
    done: () => {
      onRemoved()
      return `${name} was removed.`
    },
    quiet: true,
  })
  if (act === 'rename' || act === 'move')
    return <ChangeDevice act={act} device={device} spaces={spaces} onClose={onClose} />
  if (act === 'replace') {
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
  return (
    <Confirm
      title={`Remove ${name}?`}
      verb="Remove device"
      name={name}
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      <Text size="sm" mb="xs">
        Its credentials stop working at once, and whatever it sends is refused with 410. Your organization no longer
        sees it or its history.
      </Text>
      <Text size="sm">This cannot be undone. The same hardware can register again, as a new device with a new id.</Text>
    </Confirm>
  )
}

function ChangeDevice({ act, device, spaces, onClose }: Omit<DeviceActsProps, 'onRemoved'>) {
  const api = useApi()
  const [name, setName] = useState(device.name ?? '')
  const [space, setSpace] = useState(device.space_id)
  const save = useChange({
    run: () =>
      api.patch(`/devices/${device.id}`, act === 'rename' ? { name: name.trim() || null } : { space_id: space }),
    touches: ['/devices'],
    done: () => {
      onClose()
      return null
    },
    quiet: true,
  })
  const errors = fieldErrors(save.error)
  return (
    <Modal
      opened
      onClose={onClose}
      title={act === 'rename' ? 'Rename device' : 'Move to another space'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap="sm">
          {act === 'rename' ? (
            <TextInput
              label="Name"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              error={errors.name}
              data-autofocus
            />
          ) : (
            <Select
              label="Space"
              placeholder="No space"
              data={spaceOptions(spaces)}
              value={space}
              onChange={setSpace}
              error={errors.space_id}
              clearable
              searchable
              data-autofocus
            />
          )}
          <FormFailure error={save.error} />
          <Button type="submit" loading={save.isPending}>
            {act === 'rename' ? 'Rename' : 'Move'}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
