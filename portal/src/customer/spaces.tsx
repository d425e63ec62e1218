import { ActionIcon, Anchor, Button, Group, Menu, Paper, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useAll, useApi, useChange } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { Space } from '../api/organization.ts'
import { useMayChange } from '../api/session.tsx'
import { ActionMenu } from '../components/action-menu.tsx'
import { Icon } from '../components/icon.tsx'
import { LoadedList } from '../components/list.tsx'
import { Empty, Page } from '../components/page.tsx'
import { MoveSpace, NameSpace, RemoveSpace } from './space-dialogs.tsx'
import { flatten, isUnder, type SpaceAction, type SpaceNode, treeOf } from './space-tree.ts'
import { SpaceTreeView } from './space-tree-view.tsx'

export function Spaces() {
  const api = useApi()
  const { customerId } = useParams()
  const list = useAll<Space>('/spaces')
  const [dialog, setDialog] = useState<SpaceAction | null>(null)
  const [failure, setFailure] = useState<{ space: SpaceNode; error: ApiError } | null>(null)
  const roots = treeOf(list.items)
  const all = flatten(roots)

  const move = useChange<{ space: SpaceNode; parentId: string | null }, Space>({
    run: ({ space, parentId }) => api.patch<Space>(`/spaces/${space.id}`, { parent_id: parentId }),
    invalidates: ['/spaces'],
    optimistic: ({ space, parentId }) => ({ list: '/spaces', id: space.id, changes: { parent_id: parentId } }),
    done: (_result, { space, parentId }) =>
      `${space.name} moved to ${all.find(({ id }) => id === parentId)?.name ?? 'the top level'}.`,
    undo: ({ space }, etag) => api.patch(`/spaces/${space.id}`, { parent_id: space.parent_id }, etag),
    silent: true,
  })
  const tryMove = (space: SpaceNode, parentId: string | null) => {
    setFailure(null)
    if (!mayChange) return
    if (space.parent_id === parentId || (parentId && isUnder(space, parentId))) return
    move.mutate({ space, parentId }, { onError: (error) => setFailure({ space, error }) })
  }
  const mayChange = useMayChange()
  const create = mayChange && (
    <Button leftSection={<Icon name="add" />} onClick={() => setDialog({ kind: 'create', parent: null })}>
      New space
    </Button>
  )
  return (
    <Page
      title="Spaces"
      about={
        mayChange
          ? 'Sites, floors and rooms. Drag a space onto another to move it, or select it with the arrow keys and press M.'
          : 'Sites, floors and rooms.'
      }
      actions={create}
    >
      {failure && <MoveFailure {...failure} onClose={() => setFailure(null)} />}
      <Paper withBorder p="xs">
        <LoadedList
          list={list}
          empty={
            <Empty icon="tree" title="No spaces yet" action={create}>
              Start with a site or a building, then add floors and rooms. Assign devices when you claim them, or later.
            </Empty>
          }
        >
          {() => (
            <SpaceTreeView
              roots={roots}
              onMove={tryMove}
              onAction={(action) => mayChange && setDialog(action)}
              devicesOf={(space) => (
                <Anchor
                  component={Link}
                  to={`/customer/${customerId}/devices?space_id=${space.id}`}
                  size="xs"
                  tabIndex={-1}
                >
                  devices
                </Anchor>
              )}
              menu={(space) => <SpaceMenu space={space} onAction={setDialog} />}
            />
          )}
        </LoadedList>
      </Paper>
      {(dialog?.kind === 'create' || dialog?.kind === 'rename') && (
        <NameSpace action={dialog} onClose={() => setDialog(null)} />
      )}
      {dialog?.kind === 'move' && (
        <MoveSpace space={dialog.space} all={all} onMove={tryMove} onClose={() => setDialog(null)} />
      )}
      {dialog?.kind === 'remove' && <RemoveSpace space={dialog.space} onClose={() => setDialog(null)} />}
    </Page>
  )
}

function SpaceMenu({ space, onAction }: { space: SpaceNode; onAction: (action: SpaceAction) => void }) {
  return (
    <ActionMenu label={`Actions for ${space.name}`} size="sm" tabIndex={-1}>
      <Menu.Item onClick={() => onAction({ kind: 'create', parent: space })} leftSection={<Icon name="add" />}>
        New space inside
      </Menu.Item>
      <Menu.Item onClick={() => onAction({ kind: 'rename', space })} leftSection={<Icon name="edit" />}>
        Rename
      </Menu.Item>
      <Menu.Item onClick={() => onAction({ kind: 'move', space })} leftSection={<Icon name="move" />}>
        Move
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        onClick={() => onAction({ kind: 'remove', space })}
        leftSection={<Icon name="trash" />}
      >
        Delete
      </Menu.Item>
    </ActionMenu>
  )
}

/** A synced space cannot be moved (contract 1.6): says why, and what to do instead. */
function MoveFailure({ space, error, onClose }: { space: SpaceNode; error: ApiError; onClose: () => void }) {
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
