import { Button, Group, NumberInput, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import { notifyError } from '../api/notify.tsx'
import { type Device, type DeviceChangeResults, type DeviceRemovalResults, deviceName } from '../api/organization.ts'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { FormDialog } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { maxSelected } from '../components/selection.ts'
import { SpacePicker } from './space-picker.tsx'

interface BulkBarProps {
  devices: Device[]
  onClear: () => void
}

interface Failed {
  name: string
  reason: string
}

/** What can be done with the selected devices: one call for all of them, with one result each. */
export function BulkBar({ devices, onClear }: BulkBarProps) {
  const api = useApi()
  const [dialog, setDialog] = useState<'move' | 'rename' | 'remove' | null>(null)
  const [failed, setFailed] = useState<Failed[]>([])
  const [exporting, setExporting] = useState(false)
  const onClose = () => setDialog(null)
  const close = (results: Failed[]) => {
    setFailed(results)
    onClose()
    onClear()
  }
  const save = async () => {
    setExporting(true)
    const chosen = { device_ids: devices.map(({ id }) => id) }
    await api.savePosted('/devices.csv', chosen, 'devices.csv').catch((error: ApiError) => notifyError(error))
    setExporting(false)
  }
  return (
    <>
      {devices.length > 0 && (
        <Paper
          withBorder
          px="sm"
          py={6}
          role="region"
          aria-label="Selected devices"
          style={{ position: 'sticky', top: 64, zIndex: 5 }}
        >
          <Group gap="xs">
            <Text size="sm" fw={600} role="status">
              {amount(devices.length)} selected{devices.length === maxSelected && ' (maximum)'}
            </Text>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="move" size={14} />}
              onClick={() => setDialog('move')}
            >
              Move
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="edit" size={14} />}
              onClick={() => setDialog('rename')}
            >
              Rename
            </Button>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="download" size={14} />}
              loading={exporting}
              onClick={() => void save()}
            >
              Export CSV
            </Button>
            <Button
              size="xs"
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<Icon name="trash" size={14} />}
              onClick={() => setDialog('remove')}
            >
              Remove
            </Button>
            <Button size="xs" variant="subtle" onClick={onClear}>
              Clear selection
            </Button>
          </Group>
        </Paper>
      )}
      {dialog === 'move' && <MoveDevices devices={devices} onDone={close} onClose={onClose} />}
      {dialog === 'rename' && <RenameDevices devices={devices} onDone={close} onClose={onClose} />}
      {dialog === 'remove' && <RemoveDevices devices={devices} onDone={close} onClose={onClose} />}
      {failed.length > 0 && <Failures failed={failed} onClose={() => setFailed([])} />}
    </>
  )
}

interface BulkDialogProps {
  devices: Device[]
  onDone: (failed: Failed[]) => void
  onClose: () => void
}

function useChangeList(devices: Device[], verb: string, onDone: (failed: Failed[]) => void) {
  const api = useApi()
  return useChange<{ id: string; name?: string; space_id?: string | null }[], DeviceChangeResults>({
    run: (changes) => api.post('/devices/change-list', { devices: changes }),
    invalidates: ['/devices'],
    done: ({ results }) => {
      const failed = results.flatMap(({ error }, index) => (error ? [failure(devices[index], error)] : []))
      onDone(failed)
      const done = results.length - failed.length
      return done > 0 ? `${amount(done)} ${verb}.` : undefined
    },
    silent: true,
  })
}

function MoveDevices({ devices, onDone, onClose }: BulkDialogProps) {
  const form = useForm({ initialValues: { space_id: null as string | null } })
  const move = useChangeList(devices, 'moved', onDone)
  const mutate = () => move.mutate(devices.map(({ id }) => ({ id, space_id: form.values.space_id })))
  return (
    <FormDialog
      form={form}
      title={`Move ${amount(devices.length)}`}
      verb="Move"
      change={{ ...move, mutate }}
      onClose={onClose}
    >
      <SpacePicker label="Space" placeholder="No space" {...form.getInputProps('space_id')} clearable data-autofocus />
    </FormDialog>
  )
}

/** The names that a pattern makes, in the order of the list. */
export function namesOf(
  pattern: string,
  first: number,
  devices: readonly { sn: string; name: string | null }[],
): string[] {
  const numbered = /\{(n|serial|name)\}/.test(pattern) ? pattern : `${pattern} {n}`
  return devices.map((device, index) =>
    numbered
      .replaceAll('{n}', String(first + index))
      .replaceAll('{serial}', () => device.sn)
      .replaceAll('{name}', () => device.name ?? device.sn)
      .trim(),
  )
}

function RenameDevices({ devices, onDone, onClose }: BulkDialogProps) {
  const form = useForm({ initialValues: { pattern: '', first: 1 } })
  const rename = useChangeList(devices, 'renamed', onDone)
  const { pattern, first } = form.values
  const names = pattern.trim() ? namesOf(pattern, Number(first) || 0, devices) : []
  const mutate = () => rename.mutate(devices.map(({ id }, index) => ({ id, name: names[index]! })))
  return (
    <FormDialog
      form={form}
      title={`Rename ${amount(devices.length)}`}
      verb="Rename"
      ready={names.length > 0}
      change={{ ...rename, mutate }}
      onClose={onClose}
    >
      <Group align="flex-start" wrap="nowrap">
        <TextInput
          label="Name"
          description="{n} is a number, {serial} the serial number, {name} the current name"
          inputWrapperOrder={['label', 'input', 'description']}
          placeholder="Room sensor {n}"
          maxLength={200}
          {...form.getInputProps('pattern')}
          style={{ flex: 1 }}
          data-autofocus
        />
        <NumberInput label="First number" w={110} min={0} max={1_000_000} {...form.getInputProps('first')} />
      </Group>
      {names.length > 0 && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {[...new Set([names[0], names[1], names.at(-1)])].filter(Boolean).join(', ')}
        </Text>
      )}
    </FormDialog>
  )
}

function RemoveDevices({ devices, onDone, onClose }: BulkDialogProps) {
  const api = useApi()
  const remove = useChange<void, DeviceRemovalResults>({
    run: () => api.post('/devices/remove-list', { device_ids: devices.map(({ id }) => id) }),
    invalidates: ['/devices'],
    done: ({ results }) => {
      const failed = results.flatMap(({ outcome }, index) =>
        outcome === 'not_found' ? [failure(devices[index], 'Device not found.')] : [],
      )
      onDone(failed)
      return `${amount(results.length - failed.length)} removed.`
    },
    silent: true,
  })
  const count = amount(devices.length)
  return (
    <Confirm
      title={`Remove ${count}?`}
      verb="Remove"
      name={count}
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      They are disconnected immediately and their access keys stop working. Your organization loses access to them,
      their history, tags and notes. This cannot be undone.
    </Confirm>
  )
}

function Failures({ failed, onClose }: { failed: Failed[]; onClose: () => void }) {
  return (
    <Dialog title={`${amount(failed.length)} could not be changed`} onClose={onClose}>
      <Stack gap={4} mah={360} style={{ overflowY: 'auto' }}>
        {failed.map(({ name, reason }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two devices may have one name, and the list does not change
          <Text key={index} size="sm">
            <strong>{name}</strong>: {reason}
          </Text>
        ))}
      </Stack>
    </Dialog>
  )
}

/** The results are in the order of the call. */
function failure(device: Device | undefined, reason: string): Failed {
  return { name: device ? deviceName(device) : 'Device', reason }
}

function amount(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'device' : 'devices'}`
}
