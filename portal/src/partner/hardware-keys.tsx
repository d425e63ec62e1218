import { Badge, Button, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { HardwareKey, Model } from '../api/partner.ts'
import { Confirm } from '../components/form/dialog.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { HiddenKey } from './hardware-key.tsx'

export function HardwareKeys({ model, keys }: { model: Model; keys: HardwareKey[] }) {
  const api = useApi()
  const [revoking, setRevoking] = useState<HardwareKey | null>(null)
  const add = useChange({
    run: () => api.send('POST /core/v1/partner/models/{id}/hardware-keys', { id: model.id }),
    invalidates: [['GET /core/v1/partner/models/{id}/hardware-keys', { id: model.id }]],
    done: () => 'Hardware key added.',
  })
  const revoke = useChange<HardwareKey>({
    run: ({ id }) =>
      api.send('DELETE /core/v1/partner/models/{id}/hardware-keys/{key_id}', { id: model.id, key_id: id }),
    invalidates: [['GET /core/v1/partner/models/{id}/hardware-keys', { id: model.id }]],
    done: () => 'Hardware key revoked.',
    silent: true,
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
          Add key
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        Anyone with the model ID and a hardware key can register devices of this model. To rotate, add a second key, use
        it, then revoke the first. Registered devices are not affected: they have their own credentials.
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
                  <HiddenKey value={key.hardware_key} />
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
          No device can register with it any more. This cannot be undone. The {revoking.uses} devices registered with it
          keep working.
        </Confirm>
      )}
    </Panel>
  )
}
