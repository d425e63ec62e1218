import { Select, Stack, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { readQuery, useApi, useChange } from '../api/api.tsx'
import type { DeclaredCommand } from '../api/commands.ts'
import { ApiError } from '../api/http.ts'
import { type Device, deviceName } from '../api/organization.ts'
import { commandLabel } from '../components/command/command-words.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { Empty, Loading } from '../components/page/page.tsx'
import { BatchProgress, type NotSent } from './batch-progress.tsx'
import { refusedByAll, sendCommands } from './call-parts.ts'
import { CommandForm, type Parameters } from './command-dialog.tsx'
import { Done, devicesText } from './device-amount.tsx'
import { type PartResult, useInParts } from './in-parts.ts'

interface CommandManyProps {
  devices: Device[]
  onClose: () => void
}

interface Sent {
  label: string
  batches: string[]
  accepted: number
  notSent: NotSent[]
}

/** Asks for a command that the models of these devices declare, sends it to all, and shows what becomes of it. */
export function CommandMany({ devices, onClose }: CommandManyProps) {
  const offered = useOffered(devices)
  const [name, setName] = useState<string | null>(null)
  const [sent, setSent] = useState<Sent | null>(null)
  const chosen = offered?.find(({ command }) => command.name === name)
  const title = sent
    ? `${sent.label}: ${devicesText(devices.length)}`
    : `Send a command to ${devicesText(devices.length)}`
  return (
    <Dialog title={title} onClose={onClose} size="lg" closeOnClickOutside={false}>
      {sent ? (
        <BatchProgress {...sent} onClose={onClose} />
      ) : offered === undefined ? (
        <Loading rows={3} />
      ) : offered.length === 0 ? (
        <Empty icon="play" title="These devices have no commands">
          The partner who makes them declares what they can be asked to do.
        </Empty>
      ) : (
        <Stack gap="sm">
          <Select
            label="Command"
            allowDeselect={false}
            searchable={offered.length > 6}
            data={offered.map(({ command, to }) => ({
              value: command.name,
              label: commandLabel(command) + (to.length < devices.length ? ` (${devicesText(to.length)})` : ''),
            }))}
            placeholder="Choose a command"
            value={name}
            onChange={setName}
            data-autofocus
          />
          {chosen && (
            <SendToMany
              // Another command has other fields.
              key={chosen.command.name}
              {...chosen}
              others={devices.length - chosen.to.length}
              onSent={setSent}
              onClose={onClose}
            />
          )}
        </Stack>
      )}
    </Dialog>
  )
}

interface Offered {
  command: DeclaredCommand
  /** Those whose model declares it. */
  to: Device[]
}

/** By name, the one for most devices first; undefined while they are loading. */
function useOffered(devices: Device[]): Offered[] | undefined {
  const api = useApi()
  // All devices of a model have the same commands.
  const byModel = Map.groupBy(devices, ({ model_id }) => model_id)
  const groups = [...byModel.values()]
  return useQueries({
    queries: groups.map(([first]) =>
      readQuery(api, 'GET /core/v1/organization/devices/{id}/declared-commands', { id: first!.id }),
    ),
    combine: (reads) => {
      if (reads.some(({ isPending }) => isPending)) return undefined
      const offered = new Map<string, Offered>()
      for (const [index, { data }] of reads.entries()) {
        for (const command of data?.commands ?? []) {
          const { to } = offered.get(command.name) ?? { to: [] }
          offered.set(command.name, { command, ...offered.get(command.name), to: [...to, ...groups[index]!] })
        }
      }
      return [...offered.values()].sort((one, other) => other.to.length - one.to.length)
    },
  })
}

interface SendToManyProps extends Offered {
  /** How many do not have it. */
  others: number
  onSent: (sent: Sent) => void
  onClose: () => void
}

function SendToMany({ command, to, others, onSent, onClose }: SendToManyProps) {
  const api = useApi()
  const { run, done } = useInParts()
  const send = useChange<Parameters, { results: PartResult[]; batches: string[] }>({
    run: (parameters) =>
      sendCommands(run, to, async (device_ids) => {
        const body = { device_ids, name: command.name, ...(parameters ? { parameters } : {}) }
        const sent = await api.send('POST /core/v1/organization/devices/commands', { body })
        const refused = refusedByAll(sent.results)
        if (refused) throw new ApiError(422, refused, null)
        return sent
      }),
    invalidates: ['GET /core/v1/organization/commands'],
    done: ({ results, batches }) => {
      const notSent = results.flatMap(({ device, error }) =>
        error ? { id: device.id, name: deviceName(device), reason: error } : [],
      )
      onSent({ label: commandLabel(command), batches, accepted: results.length - notSent.length, notSent })
    },
    silent: true,
  })
  const offline = to.filter(({ status }) => status === 'offline' || status === 'never_seen').length
  return (
    <CommandForm
      command={command}
      verb={`Send to ${devicesText(to.length)}`}
      target={devicesText(to.length)}
      isSending={send.isPending}
      onSend={send.mutateAsync}
      onClose={onClose}
    >
      <Stack gap={2}>
        {others > 0 && (
          <Text size="sm" c="dimmed">
            {devicesText(others)} of other models {others === 1 ? 'does' : 'do'} not have this command and{' '}
            {others === 1 ? 'is' : 'are'} left out.
          </Text>
        )}
        {offline > 0 && (
          <Text size="sm" c="dimmed">
            {devicesText(offline)} {offline === 1 ? 'is' : 'are'} offline:{' '}
            {command.requires_online
              ? 'this command is refused there.'
              : 'the command waits there until the device is back or it expires.'}
          </Text>
        )}
        <Done done={done} of={to.length} />
      </Stack>
    </CommandForm>
  )
}
