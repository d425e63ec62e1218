import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { type ApiError, saveFile } from '../api/http.ts'
import { notifyError } from '../api/notify.tsx'
import { type Device, type DeviceTotal, deviceName } from '../api/organization.ts'
import { useMay } from '../api/permitted.ts'
import { Confirm, Dialog } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { maxSelected } from '../components/table/selection.ts'
import { partsOf } from './call-parts.ts'
import { CommandMany } from './command-many.tsx'
import { Done, devicesText } from './device-amount.tsx'
import { type PartResult, useInParts } from './in-parts.ts'

interface Bulk {
  devices: Device[]
  /** Selects all that match, where the selection has not all of them. */
  all: { total: DeviceTotal; loaded: number | null; select: () => void; stop: () => void } | null
  onClear: () => void
}

interface Failed {
  name: string
  reason: string
}

/** What can be done with the selected devices, with one result each: a bar, and the dialogs that outlive it. */
export function useBulk({ devices, all, onClear }: Bulk) {
  const api = useApi()
  const [dialog, setDialog] = useState<'command' | 'move' | 'rename' | 'remove' | null>(null)
  const [failed, setFailed] = useState<Failed[]>([])
  const [exporting, setExporting] = useState(false)
  const mayCommand = useMay('devices: command')
  const onClose = () => setDialog(null)
  const close = (results: Failed[]) => {
    setFailed(results)
    onClose()
    onClear()
  }
  const save = async () => {
    setExporting(true)
    const parts: (Blob | string)[] = []
    let name = ''
    try {
      for (const part of partsOf(devices)) {
        const csv = await api.fileOf('POST /core/v1/organization/devices.csv', {
          body: { device_ids: part.map(({ id }) => id) },
        })
        // The first line of every part is the header.
        parts.push(parts.length === 0 ? csv : (await csv.text()).replace(/^.*\n/, ''))
        name ||= csv.name
      }
      saveFile(new Blob(parts, { type: 'text/csv' }), name)
    } catch (error) {
      notifyError(error as ApiError)
    }
    setExporting(false)
  }
  const bar = (
    <Group gap="xs" role="region" aria-label="Selected devices" className="no-print">
      <Text size="sm" fw={600} role="status">
        {devicesText(devices.length)} selected{devices.length === maxSelected && ' (maximum)'}
      </Text>
      {all && <SelectAll {...all} />}
      {mayCommand && (
        <Button size="xs" variant="default" aria-label="Send command" onClick={() => setDialog('command')}>
          Command
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => setDialog('move')}>
        Move
      </Button>
      <Button size="xs" variant="default" onClick={() => setDialog('rename')}>
        Rename
      </Button>
      <Button size="xs" variant="default" loading={exporting} onClick={() => void save()}>
        Export CSV
      </Button>
      <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={() => setDialog('remove')}>
        Remove
      </Button>
      <Button size="xs" variant="subtle" px="xs" aria-label="Clear selection" onClick={onClear}>
        Clear
      </Button>
    </Group>
  )
  const dialogs = (
    <>
      {dialog === 'command' && <CommandMany devices={devices} onClose={onClose} />}
      {dialog === 'move' && <MoveDevices devices={devices} onDone={close} onClose={onClose} />}
      {dialog === 'rename' && <RenameDevices devices={devices} onDone={close} onClose={onClose} />}
      {dialog === 'remove' && <RemoveDevices devices={devices} onDone={close} onClose={onClose} />}
      {failed.length > 0 && <Failures failed={failed} onClose={() => setFailed([])} />}
    </>
  )
  return { bar, dialogs }
}

/** “Select all 616 that match”, then how far that is. */
function SelectAll({ total: { total, more }, loaded, select, stop }: NonNullable<Bulk['all']>) {
  if (loaded !== null) {
    return (
      <Button size="xs" variant="light" onClick={stop}>
        {`${loaded.toLocaleString('en')} of ${Math.min(total, maxSelected).toLocaleString('en')} · Stop`}
      </Button>
    )
  }
  const which = more ? `the first ${maxSelected.toLocaleString('en')}` : `all ${total.toLocaleString('en')}`
  return (
    <Button size="xs" variant="light" onClick={select}>
      Select {which} that match
    </Button>
  )
}

interface BulkDialogProps {
  devices: Device[]
  onDone: (failed: Failed[]) => void
  onClose: () => void
}

function failuresOf(results: PartResult[]): Failed[] {
  return results.flatMap(({ device, error }) => (error ? { name: deviceName(device), reason: error } : []))
}

interface Change {
  name?: string
  space_id?: string | null
}

function useChangeList(devices: Device[], verb: string, onDone: (failed: Failed[]) => void) {
  const api = useApi()
  const { run, done } = useInParts()
  const change = useChange<(index: number) => Change, PartResult[]>({
    run: (changeOf) =>
      run(devices, async (part, first) => {
        const changes = part.map(({ id }, index) => ({ id, ...changeOf(first + index) }))
        const { results } = await api.send('POST /core/v1/organization/devices/change-list', {
          body: { devices: changes },
        })
        return results.map(({ error }) => error ?? null)
      }),
    invalidates: ['GET /core/v1/organization/devices'],
    done: (results) => {
      const failed = failuresOf(results)
      onDone(failed)
      const changed = results.length - failed.length
      return changed > 0 ? `${devicesText(changed)} ${verb}.` : undefined
    },
    silent: true,
  })
  return { change, done }
}

function MoveDevices({ devices, onDone, onClose }: BulkDialogProps) {
  const form = useForm({ initialValues: { space_id: null as string | null } })
  const { change, done } = useChangeList(devices, 'moved', onDone)
  const mutate = () => change.mutate(() => ({ space_id: form.values.space_id }))
  return (
    <FormDialog
      form={form}
      title={`Move ${devicesText(devices.length)}`}
      verb="Move"
      change={{ ...change, mutate }}
      onClose={onClose}
    >
      <SpacePicker label="Space" placeholder="No space" {...form.getInputProps('space_id')} clearable data-autofocus />
      <Done done={done} of={devices.length} />
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
  const { change, done } = useChangeList(devices, 'renamed', onDone)
  const { pattern, first } = form.values
  const names = pattern.trim() ? namesOf(pattern, Number(first) || 0, devices) : []
  const mutate = () => change.mutate((index) => ({ name: names[index]! }))
  return (
    <FormDialog
      form={form}
      title={`Rename ${devicesText(devices.length)}`}
      verb="Rename"
      ready={names.length > 0}
      change={{ ...change, mutate }}
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
      <Done done={done} of={devices.length} />
    </FormDialog>
  )
}

function RemoveDevices({ devices, onDone, onClose }: BulkDialogProps) {
  const api = useApi()
  const { run, done } = useInParts()
  const remove = useChange<void, PartResult[]>({
    run: () =>
      run(devices, async (part) => {
        const device_ids = part.map(({ id }) => id)
        const { results } = await api.send('POST /core/v1/organization/devices/remove-list', { body: { device_ids } })
        return results.map(({ outcome }) => (outcome === 'not_found' ? 'Device not found.' : null))
      }),
    invalidates: ['GET /core/v1/organization/devices'],
    done: (results) => {
      const failed = failuresOf(results)
      onDone(failed)
      return `${devicesText(results.length - failed.length)} removed.`
    },
    silent: true,
  })
  const count = devicesText(devices.length)
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
      <Done done={done} of={devices.length} />
    </Confirm>
  )
}

function Failures({ failed, onClose }: { failed: Failed[]; onClose: () => void }) {
  return (
    <Dialog title={`${devicesText(failed.length)} could not be changed`} onClose={onClose}>
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
