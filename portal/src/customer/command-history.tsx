import { Badge, Button, Code, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { type Command, type DeclaredCommand, isWaiting } from '../api/commands.ts'
import type { Device } from '../api/organization.ts'
import {
  commandLabel,
  commandSentence,
  parametersText,
  senderOf,
  stateLooks,
} from '../components/command/command-words.ts'
import { Icon } from '../components/page/icon.tsx'
import { Empty } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { LoadedList, LoadMore } from '../components/table/list.tsx'
import { useFollowHead } from './follow-head.ts'

interface CommandHistoryProps {
  device: Device
  commands: DeclaredCommand[]
  mayCancel: boolean
}

/** Newest first; what happens with those that wait is shown as it happens. */
export function CommandHistory({ device, commands, mayCancel }: CommandHistoryProps) {
  const list = usePages('GET /core/v1/organization/devices/{id}/commands', { id: device.id, limit: 25 })
  useFollowHead(device.id, list)
  const declared = new Map(commands.map((command) => [command.name, command]))
  const offline = device.status === 'offline' || device.status === 'never_seen'
  return (
    <LoadedList
      list={list}
      empty={
        <Empty icon="play" title="No commands yet">
          What is sent to this device is shown here with its result, and is kept for 90 days.
        </Empty>
      }
    >
      {(items) => (
        <>
          <Stack gap={0} component="ul" className="plain-list" aria-label="Commands of this device">
            {items.map((command) => (
              <CommandLine
                key={command.id}
                command={command}
                declared={declared.get(command.name)}
                offline={offline}
                mayCancel={mayCancel}
              />
            ))}
          </Stack>
          <LoadMore list={list}>Show older</LoadMore>
        </>
      )}
    </LoadedList>
  )
}

interface CommandLineProps {
  command: Command
  declared: DeclaredCommand | undefined
  offline: boolean
  mayCancel: boolean
}

function CommandLine({ command, declared, offline, mayCancel }: CommandLineProps) {
  const [open, setOpen] = useState(false)
  const given = parametersText(command, declared)
  return (
    <Stack component="li" gap={2} py="xs" className="command-line" data-state={command.state}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Group gap="xs" style={{ minWidth: 0 }}>
          <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
            {commandLabel(command)}
          </Text>
          <CommandState command={command} />
        </Group>
        <Text size="sm" c="dimmed" component="div" style={{ flex: 'none' }}>
          <When at={command.created_at} short />
        </Text>
      </Group>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
        {commandSentence(command, offline)}
        {command.state === 'queued' && (
          <>
            {' '}
            Expires <When at={command.expires_at} />.
          </>
        )}
        {command.message && ` Its message: “${command.message}”`}
      </Text>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {[`Sent by ${senderOf(command)}`, ...(given ? [given] : [])].join(' · ')}
      </Text>
      <Group gap="md">
        <UnstyledButton
          fz="xs"
          c="var(--mantine-color-anchor)"
          mih={24}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Group gap={2}>
            <Icon name={open ? 'down' : 'right'} size={12} />
            Details<span className="visually-hidden"> of {commandLabel(command)}</span>
          </Group>
        </UnstyledButton>
        {command.state === 'queued' && mayCancel && <CancelCommand command={command} />}
      </Group>
      {open && <CommandDetails command={command} />}
    </Stack>
  )
}

export function CommandState({ command }: { command: Pick<Command, 'state'> }) {
  const { label, color } = stateLooks[command.state] ?? { label: command.state, color: 'gray' }
  return (
    <Badge color={color} {...(isWaiting(command) ? { role: 'status' } : {})}>
      {label}
    </Badge>
  )
}

function CancelCommand({ command }: { command: Command }) {
  const api = useApi()
  const cancel = useChange({
    run: () =>
      api.send('DELETE /core/v1/organization/devices/{id}/commands/{command_id}', {
        id: command.device_id,
        command_id: command.id,
      }),
    invalidates: [['GET /core/v1/organization/devices/{id}/commands', { id: command.device_id }]],
    done: () => `${commandLabel(command)} canceled.`,
  })
  return (
    <Button size="compact-xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
      Cancel<span className="visually-hidden"> {commandLabel(command)}</span>
    </Button>
  )
}

/** When each step was, and what the device returned. */
function CommandDetails({ command }: { command: Command }) {
  const steps: [string, string | null][] = [
    ['Created', command.created_at],
    [command.attempts > 1 ? `Sent, attempt ${command.attempts}` : 'Sent', command.sent_at],
    ['Received by the device', command.delivered_at],
    ['Begun', command.started_at],
    ['Ended', command.finished_at],
  ]
  return (
    <Stack gap={6} pl="sm" py={4}>
      <Group gap="lg">
        {steps.map(
          ([label, at]) =>
            at && (
              <div key={label}>
                <Text size="xs" c="dimmed">
                  {label}
                </Text>
                <When at={at} size="xs" />
              </div>
            ),
        )}
      </Group>
      {command.result !== null && command.result !== undefined && (
        <div>
          <Text size="xs" c="dimmed" mb={2}>
            Result
          </Text>
          <Code block tabIndex={0} style={{ overflowX: 'auto', maxHeight: 260 }}>
            {JSON.stringify(command.result, null, 2)}
          </Code>
        </div>
      )}
      <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {command.name} · {command.id}
      </Text>
    </Stack>
  )
}
