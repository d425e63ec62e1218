import { Select, TextInput } from '@mantine/core'
import { useApi, useChange } from '../api/api.tsx'
import type { Device, Space } from '../api/organization.ts'
import { FormDialog, useFields } from '../components/form.tsx'
import { spaceOptions } from './space-tree.ts'

interface DeviceActProps {
  device: Device
  onClose: () => void
}

export function RenameDevice({ device, onClose }: DeviceActProps) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ name: device.name ?? '' })
  const rename = useChange({
    run: () => api.patch(`/devices/${device.id}`, { name: form.name.trim() || null }),
    touches: ['/devices'],
    done: () => {
      onClose()
      return 'The device has its new name.'
    },
    undo: () => api.patch(`/devices/${device.id}`, { name: device.name }),
    quiet: true,
  })
  const field = fieldsOf(rename.error)
  return (
    <FormDialog title="Rename device" verb="Rename" change={rename} onClose={onClose}>
      <TextInput label="Name" {...field('name')} data-autofocus />
    </FormDialog>
  )
}

export function MoveDevice({ device, spaces, onClose }: DeviceActProps & { spaces: Space[] }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ space_id: device.space_id })
  const move = useChange({
    run: () => api.patch(`/devices/${device.id}`, form),
    touches: ['/devices'],
    done: () => {
      onClose()
      return 'The device was moved.'
    },
    undo: () => api.patch(`/devices/${device.id}`, { space_id: device.space_id }),
    quiet: true,
  })
  const field = fieldsOf(move.error)
  return (
    <FormDialog title="Move to another space" verb="Move" change={move} onClose={onClose}>
      <Select
        label="Space"
        placeholder="No space"
        data={spaceOptions(spaces)}
        {...field('space_id')}
        clearable
        searchable
        data-autofocus
      />
    </FormDialog>
  )
}
