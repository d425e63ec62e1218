import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { Command, DeclaredCommand } from '../api/commands.ts'
import { type Device, deviceName } from '../api/organization.ts'
import { useMayThere } from '../api/permitted.ts'
import { commandLabel } from '../components/command/command-words.ts'
import { AskAdministrator } from '../components/page/administrators.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Panel } from '../components/page/page.tsx'
import { CommandDialog, type Parameters } from './command-dialog.tsx'
import { CommandHistory } from './command-history.tsx'

interface DeviceCommandsProps {
  device: Device
  commands: DeclaredCommand[]
}

/** What the device can be asked to do, and what became of it. */
export function DeviceCommands({ device, commands }: DeviceCommandsProps) {
  const mayCommand = useMayThere('devices: command', device.space_id)
  return (
    <Stack gap="md">
      <Panel title="Send a command">
        {commands.length === 0 ? (
          <Text size="sm" c="dimmed">
            The model of this device has no commands.
          </Text>
        ) : mayCommand ? (
          <CommandButtons device={device} commands={commands} />
        ) : (
          <Text size="sm" c="dimmed">
            You see the commands of this device, but your role does not allow you to send any. <AskAdministrator />.
          </Text>
        )}
      </Panel>
      <Panel title="History">
        <CommandHistory device={device} commands={commands} mayCancel={mayCommand} />
      </Panel>
    </Stack>
  )
}

/** Fewer need no search. */
const manyCommands = 16

function CommandButtons({ device, commands }: DeviceCommandsProps) {
  const [opened, setOpened] = useState<DeclaredCommand | null>(null)
  const [search, setSearch] = useState('')
  const send = useSendCommand(device)
  const offline = device.status === 'offline' || device.status === 'never_seen'
  const wanted = search.trim().toLowerCase()
  const shown = commands.filter(({ name, label = '' }) => `${name}\n${label}`.toLowerCase().includes(wanted))
  const needsOnline = commands.filter(({ requires_online }) => requires_online)
  return (
    <Stack gap="sm">
      {commands.length > manyCommands && (
        <TextInput
          aria-label="Search commands"
          placeholder="Search"
          leftSection={<Icon name="search" size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          maw={280}
        />
      )}
      <Group gap="xs">
        {shown.map((command) => {
          const asks = opensDialog(command, offline)
          return (
            <Button
              key={command.name}
              variant="default"
              maw="100%"
              loading={send.isPending && send.variables?.name === command.name && !asks}
              {...(command.description ? { 'data-tooltip': command.description } : {})}
              onClick={({ detail }) => {
                if (asks) setOpened(command)
                // The second click of a double click is no second wish.
                else if (detail < 2) send.mutate({ name: command.name })
              }}
            >
              {commandLabel(command)}
              {asks && '…'}
            </Button>
          )
        })}
        {shown.length === 0 && (
          <Text size="sm" c="dimmed" role="status">
            No command of this name.
          </Text>
        )}
      </Group>
      {offline && (
        <Text size="sm" c="dimmed" role="note">
          The device is offline. Commands wait until it is back or they expire.
          {needsOnline.length > 0 && ` Not possible now: ${needsOnline.map(commandLabel).join(', ')}.`}
        </Text>
      )}
      {opened && (
        <CommandDialog
          command={opened}
          verb={commandLabel(opened)}
          target={deviceName(device)}
          blocked={offline && opened.requires_online ? offlineSentence : null}
          isSending={send.isPending}
          onSend={async (parameters) => {
            await send.mutateAsync({ name: opened.name, parameters })
            setOpened(null)
          }}
          onClose={() => setOpened(null)}
        />
      )}
    </Stack>
  )
}

const offlineSentence =
  'The device is offline, and this command is only accepted while it is online. Try again when it is back.'

function opensDialog({ parameters = [], confirm, requires_online }: DeclaredCommand, offline: boolean): boolean {
  return parameters.length > 0 || confirm === true || (requires_online === true && offline)
}

function useSendCommand(device: Device) {
  const api = useApi()
  return useChange<{ name: string; parameters?: Parameters }, Command>({
    run: ({ name, parameters }) =>
      api.send('POST /core/v1/organization/devices/{id}/commands', {
        id: device.id,
        body: { name, ...(parameters ? { parameters } : {}) },
      }),
    invalidates: [['GET /core/v1/organization/devices/{id}/commands', { id: device.id }]],
    done: (command) => `${commandLabel(command)} sent.`,
    silent: false,
  })
}
