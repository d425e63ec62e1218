import { Checkbox, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { ConnectedApp, User } from '../api/organization.ts'
import { Confirm } from '../components/confirm.tsx'

/** Tokens belong to the organization and stay when somebody leaves, so this offers to end those of the apps they connected. */
export function RemoveUser({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const apps = usePages<ConnectedApp>('/connected-apps')
  const theirs = apps.items.filter(({ connected_at, users }) => connected_at && users.some(({ id }) => id === user.id))
  const [ending, setEnding] = useState<string[]>([])
  const remove = useChange({
    run: async () => {
      await api.remove(`/users/${user.id}`)
      for (const { client_id, policy } of theirs.filter(({ client_id: id }) => ending.includes(id))) {
        const { kind, group_id } = policy
        const same = kind === 'group' ? { kind, group_id } : { kind }
        await api.patch(`/connected-apps/${client_id}`, { policy: same, revoke_tokens: true })
      }
    },
    touches: ['/users', '/info', '/connected-apps', '/invitations'],
    done: () => `${user.name} was removed from this organization.`,
    quiet: true,
  })
  return (
    <Confirm title={`Remove ${user.name}?`} verb="Remove" onConfirm={() => remove.mutateAsync()} onClose={onClose}>
      <Stack gap="xs">
        <Text size="sm">
          {user.name} can no longer act for this organization. Their account stays; they may belong to others.
          {user.role === 'administrator' && ' Invitations and links they made end now.'}
        </Text>
        <Text size="sm">
          Applications they connected keep their tokens: tokens belong to the organization. No application is told any
          more that {user.name} belongs here.
        </Text>
        {theirs.length > 0 && (
          <Checkbox.Group
            label="Also end every token of"
            description="The approval stays: whoever may sign in connects the application again"
            value={ending}
            onChange={setEnding}
          >
            <Stack gap={6} mt={6}>
              {theirs.map(({ client_id, name }) => (
                <Checkbox key={client_id} value={client_id} label={name} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {theirs.length === 0 && <Text size="sm">To end an application’s tokens, revoke it under Connected apps.</Text>}
      </Stack>
    </Confirm>
  )
}
