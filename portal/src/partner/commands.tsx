import { Badge, Button, Group, Menu, Stack, Table, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, useEtag, useRead } from '../api/api.tsx'
import type { DeclaredCommand } from '../api/commands.ts'
import type { Model } from '../api/partner.ts'
import { commandLabel, parameterLabel } from '../components/command/command-words.ts'
import { Confirm } from '../components/form/dialog.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { durationWords } from '../components/page/duration.ts'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Loaded, Panel } from '../components/page/page.tsx'
import { CommandDialog } from './command-dialog.tsx'
import { durations, maxCommands } from './command-fields.ts'
import { moved } from './dictionary-table.tsx'

/** What customers can ask devices of this model to do. */
export function Commands({ model }: { model: Model }) {
  const name = 'GET /core/v1/partner/models/{id}/commands'
  const saved = useRead(name, { id: model.id })
  const etag = useEtag(name, { id: model.id })
  return (
    <Loaded of={{ ...saved, data: etag === undefined ? undefined : saved.data }}>
      {({ commands }) => <CommandsPanel model={model} commands={commands} etag={etag} />}
    </Loaded>
  )
}

type Open = { dialog: 'edit'; index: number } | { dialog: 'delete'; index: number; command: DeclaredCommand } | null

interface CommandsPanelProps {
  model: Model
  commands: DeclaredCommand[]
  /** The version that is shown. */
  etag: string | undefined
}

function CommandsPanel({ model, commands, etag }: CommandsPanelProps) {
  const [open, setOpen] = useState<Open>(null)
  const onClose = () => setOpen(null)
  const save = useSaveCommands({ model, commands, etag })
  const add = commands.length < maxCommands && (
    <Button
      variant={commands.length === 0 ? 'filled' : 'default'}
      leftSection={<Icon name="add" size={14} />}
      onClick={() => setOpen({ dialog: 'edit', index: commands.length })}
    >
      Add command
    </Button>
  )
  return (
    <Panel title="Commands" actions={commands.length > 0 && add}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed" maw={720}>
          What customers can ask devices of this model to do. The customer portal builds its buttons and forms from it,
          and nothing else is accepted. Values that a device keeps, such as a set point, are better settable data
          points: see the data dictionary.
        </Text>
        {commands.length === 0 ? (
          <Empty icon="play" title="No commands yet" action={add}>
            Begin with one that is easy to see, such as a restart.
          </Empty>
        ) : (
          <CommandTable
            commands={commands}
            onOpen={setOpen}
            onMove={(from, to) => save.mutate(moved(commands, from, to))}
          />
        )}
      </Stack>
      {open?.dialog === 'edit' && (
        <CommandDialog
          commands={commands}
          index={open.index}
          onSave={save.mutateAsync}
          isSaving={save.isPending}
          onClose={onClose}
        />
      )}
      {open?.dialog === 'delete' && (
        <Confirm
          title={`Delete ${commandLabel(open.command)}?`}
          verb="Delete command"
          onConfirm={() => save.mutateAsync(commands.toSpliced(open.index, 1))}
          onClose={onClose}
        >
          Customers can no longer send it. Commands that already wait are still delivered.
        </Confirm>
      )}
    </Panel>
  )
}

/** All are saved together, unless someone else was faster. */
function useSaveCommands({ model, commands: before, etag }: CommandsPanelProps) {
  const api = useApi()
  const name = 'PUT /core/v1/partner/models/{id}/commands'
  return useChange<DeclaredCommand[], unknown>({
    run: (commands) => api.send(name, { id: model.id, body: { commands }, etag }),
    invalidates: [['GET /core/v1/partner/models/{id}/commands', { id: model.id }]],
    done: () => 'Commands saved.',
    undo: (_input, now) => api.send(name, { id: model.id, body: { commands: before }, etag: now }),
    silent: true,
  })
}

interface CommandTableProps {
  commands: DeclaredCommand[]
  onOpen: (open: Open) => void
  onMove: (from: number, to: number) => void
}

function CommandTable({ commands, onOpen, onMove }: CommandTableProps) {
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table aria-label="Commands" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Command</Table.Th>
            <Table.Th visibleFrom="sm">Parameters</Table.Th>
            <Table.Th visibleFrom="md">Expires after</Table.Th>
            <Table.Th visibleFrom="md">Time to execute</Table.Th>
            <Table.Th w={44}>
              <span className="visually-hidden">Actions</span>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {commands.map((command, index) => (
            <Table.Tr key={command.name} data-command={command.name}>
              <Table.Td>
                <CommandName command={command} onEdit={() => onOpen({ dialog: 'edit', index })} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {parametersIn(command)}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="md">
                <Text size="sm">{durationWords(command.expires_after ?? durations.expires_after.usual)}</Text>
              </Table.Td>
              <Table.Td visibleFrom="md">
                <Text size="sm">{durationWords(command.timeout ?? durations.timeout.usual)}</Text>
              </Table.Td>
              <Table.Td>
                <ActionMenu label={`Actions for ${commandLabel(command)}`} needs={null}>
                  <Menu.Item onClick={() => onOpen({ dialog: 'edit', index })}>Edit</Menu.Item>
                  <Menu.Item disabled={index === 0} onClick={() => onMove(index, index - 1)}>
                    Move up
                  </Menu.Item>
                  <Menu.Item disabled={index === commands.length - 1} onClick={() => onMove(index, index + 1)}>
                    Move down
                  </Menu.Item>
                  <Menu.Divider />
                  <Menu.Item
                    c="var(--mantine-color-error)"
                    onClick={() => onOpen({ dialog: 'delete', index, command })}
                  >
                    Delete
                  </Menu.Item>
                </ActionMenu>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function CommandName({ command, onEdit }: { command: DeclaredCommand; onEdit: () => void }) {
  const { confirm, requires_online, label, name } = command
  return (
    <>
      <UnstyledButton onClick={onEdit} mih={24}>
        <VisuallyHidden>Edit </VisuallyHidden>
        <Text size="sm" fw={500} c="var(--mantine-color-anchor)" style={{ overflowWrap: 'anywhere' }}>
          {label || name}
        </Text>
        {label && (
          <Text size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
        )}
      </UnstyledButton>
      {(confirm || requires_online) && (
        <Group gap={4} mt={4}>
          {confirm && <Badge color="gray">Asks first</Badge>}
          {requires_online && <Badge color="gray">Online only</Badge>}
        </Group>
      )}
    </>
  )
}

/** `Temperature, PIN (secret)` */
function parametersIn({ parameters = [] }: DeclaredCommand): string {
  if (parameters.length === 0) return 'None'
  return parameters.map((parameter) => parameterLabel(parameter) + (parameter.secret ? ' (secret)' : '')).join(', ')
}
