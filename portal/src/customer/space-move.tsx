import { ActionIcon, Group, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { Space } from '../api/organization.ts'
import { Icon } from '../components/page/icon.tsx'

export interface Target {
  id: string | null
  name: string
}

export const topLevel: Target = { id: null, name: 'the top level' }

/** Moves a space, with undo; `failure` is what to show when it was refused. */
export function useMoveSpace() {
  const api = useApi()
  const [refused, setRefused] = useState<{ space: Space; error: ApiError } | null>(null)
  const change = useChange<{ space: Space; to: Target }, Space>({
    run: ({ space, to }) =>
      api.send('PATCH /core/v1/organization/spaces/{id}', { id: space.id, body: { parent_id: to.id } }),
    invalidates: ['GET /core/v1/organization/spaces'],
    optimistic: ({ space, to }) => ({
      list: 'GET /core/v1/organization/spaces',
      id: space.id,
      changes: { parent_id: to.id },
    }),
    done: (_result, { space, to }) => `${space.name} moved to ${to.name}.`,
    undo: ({ space }, etag) =>
      api.send('PATCH /core/v1/organization/spaces/{id}', { id: space.id, body: { parent_id: space.parent_id }, etag }),
    silent: true,
  })
  const move = (space: Space, to: Target) => {
    setRefused(null)
    if (space.parent_id === to.id) return
    change.mutate({ space, to }, { onError: (error) => setRefused({ space, error }) })
  }
  const failure = refused && <MoveFailure {...refused} onClose={() => setRefused(null)} />
  return { move, failure }
}

/** A synced space cannot be moved (contract 1.6): says why, and what to do instead. */
function MoveFailure({ space, error, onClose }: { space: Space; error: ApiError; onClose: () => void }) {
  return (
    <Paper withBorder p="sm" role="alert" style={{ borderColor: 'var(--mantine-color-error)' }}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text fw={600} size="sm">
            {space.name} was not moved
          </Text>
          <Text size="sm">
            {error.code === 'space_move_refused'
              ? 'This space, or one inside it, is synced with another cloud by a connected application. Move it there, or revoke the application under Connected apps to make the space your own.'
              : error.message}
          </Text>
        </div>
        <ActionIcon variant="subtle" color="gray" onClick={onClose} aria-label="Dismiss">
          <Icon name="close" size={14} />
        </ActionIcon>
      </Group>
    </Paper>
  )
}
