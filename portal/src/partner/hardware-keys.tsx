import { ActionIcon, Badge, Button, Group, Table, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { HardwareKey, Model } from '../api/partner.ts'
import { Confirm } from '../components/confirm.tsx'
import { Copy } from '../components/copy.tsx'
import { Icon } from '../components/icon.tsx'
import { Panel } from '../components/page.tsx'
import { When } from '../components/when.tsx'

export function HardwareKeys({ model, keys }: { model: Model; keys: HardwareKey[] }) {
  const api = useApi()
  const path = `/models/${model.id}/hardware-keys`
  const [revoking, setRevoking] = useState<HardwareKey | null>(null)
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set())
  const add = useChange({
    run: () => api.post(path),
    touches: [path],
    done: () => 'A new key was added at the end of the list.',
  })
  const revoke = useChange<HardwareKey>({
    run: ({ id }) => api.remove(`${path}/${id}`),
    touches: [path],
    done: () => 'That key lets no device in any more.',
    quiet: true,
  })
  return (
    <Panel
      title="Hardware Keys"
      actions={
        <Button
          variant="default"
          leftSection={<Icon name="add" size={14} />}
          onClick={() => add.mutate()}
          loading={add.isPending}
        >
          Add a key
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        Whoever knows the model ID and a hardware key can register devices of this model. Use the first key; add a
        second to change over, then revoke the first. Devices that are registered keep working: they have credentials of
        their own.
      </Text>
      <Table.ScrollContainer minWidth={0} type="native">
        <Table aria-label="Hardware keys">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Key</Table.Th>
              <Table.Th visibleFrom="sm">Registrations</Table.Th>
              <Table.Th visibleFrom="sm">Last used</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>
                <span className="visually-hidden">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td>
                  <Group gap={4} wrap="nowrap">
                    <Text span ff="monospace" size="xs" style={{ overflowWrap: 'anywhere' }}>
                      {shown.has(key.id) ? key.hardware_key : `${key.hardware_key.slice(0, 10)}…`}
                    </Text>
                    <Tooltip label={shown.has(key.id) ? 'Hide' : 'Show'}>
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        size="sm"
                        aria-label={shown.has(key.id) ? 'Hide key' : 'Show key'}
                        onClick={() =>
                          setShown(
                            shown.has(key.id)
                              ? new Set([...shown].filter((id) => id !== key.id))
                              : new Set([...shown, key.id]),
                          )
                        }
                      >
                        <Icon name="dots" size={14} />
                      </ActionIcon>
                    </Tooltip>
                    <Copy value={key.hardware_key} label="Copy hardware key" />
                  </Group>
                </Table.Td>
                <Table.Td visibleFrom="sm">{key.uses}</Table.Td>
                <Table.Td visibleFrom="sm">
                  <When at={key.last_used_at} />
                </Table.Td>
                <Table.Td>
                  {key.revoked_at ? <Badge color="gray">Revoked</Badge> : <Badge color="green">Active</Badge>}
                </Table.Td>
                <Table.Td ta="right">
                  {!key.revoked_at && (
                    <Button size="compact-xs" variant="default" onClick={() => setRevoking(key)}>
                      Revoke
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {revoking && (
        <Confirm
          title="Revoke this hardware key?"
          verb="Revoke key"
          name={model.name}
          onConfirm={() => revoke.mutateAsync(revoking)}
          onClose={() => setRevoking(null)}
        >
          No device can register with it any more, and it cannot be brought back. It let in {revoking.uses}{' '}
          registrations; those devices keep working.
        </Confirm>
      )}
    </Panel>
  )
}
