import { ActionIcon, Anchor, Button, Group, Menu, Paper, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import type { Space } from '../api/organization.ts'
import { ActsMenu } from '../components/acts-menu.tsx'
import { Confirm } from '../components/confirm.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { Listed, More } from '../components/listed.tsx'
import { Empty, Page } from '../components/page.tsx'
import { MoveDialog } from './space-move.tsx'
import { flatten, isUnder, type SpaceAct, type SpaceNode, treeOf } from './space-tree.ts'
import { SpaceTreeView } from './space-tree-view.tsx'

export function Spaces() {
  const api = useApi()
  const { customerId } = useParams()
  const list = usePages<Space>('/spaces')
  const [act, setAct] = useState<SpaceAct | null>(null)
  const [refused, setRefused] = useState<{ space: SpaceNode; error: ApiError } | null>(null)
  const roots = treeOf(list.items)
  const all = flatten(roots)

  const move = useChange<{ space: SpaceNode; parentId: string | null }, Space>({
    run: ({ space, parentId }) => api.patch<Space>(`/spaces/${space.id}`, { parent_id: parentId }),
    touches: ['/spaces'],
    meanwhile: ({ space, parentId }) => ({ list: '/spaces', id: space.id, shows: { parent_id: parentId } }),
    done: (_answer, { space, parentId }) =>
      `${space.name} moved to ${all.find(({ id }) => id === parentId)?.name ?? 'the top'}.`,
    undo: ({ space }) => api.patch(`/spaces/${space.id}`, { parent_id: space.parent_id }),
    quiet: true,
  })
  const tryMove = (space: SpaceNode, parentId: string | null) => {
    setRefused(null)
    if (space.parent_id === parentId || (parentId && isUnder(space, parentId))) return
    move.mutate({ space, parentId }, { onError: (error) => setRefused({ space, error }) })
  }
  const create = (
    <Button leftSection={<Icon name="add" />} onClick={() => setAct({ kind: 'create', parent: null })}>
      New space
    </Button>
  )
  return (
    <Page
      title="Spaces"
      about="Sites, floors and rooms, as a tree. Drag a space onto another to move it, or use the arrow keys and M."
      actions={create}
    >
      {refused && <MoveRefused {...refused} onClose={() => setRefused(null)} />}
      <Paper withBorder p="xs">
        <Listed
          list={list}
          empty={
            <Empty icon="tree" title="No spaces yet" action={create}>
              Start with a site or a building; add floors and rooms below it. Devices are put into spaces when you claim
              them, or later.
            </Empty>
          }
        >
          {() => (
            <SpaceTreeView
              roots={roots}
              onMove={tryMove}
              onAsk={setAct}
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
              menu={(space) => <SpaceMenu space={space} onAsk={setAct} />}
            />
          )}
        </Listed>
        <More list={list}>Show more</More>
      </Paper>
      {(act?.kind === 'create' || act?.kind === 'rename') && <NameSpace act={act} onClose={() => setAct(null)} />}
      {act?.kind === 'move' && <MoveDialog space={act.space} all={all} onMove={tryMove} onClose={() => setAct(null)} />}
      {act?.kind === 'remove' && <RemoveSpace space={act.space} onClose={() => setAct(null)} />}
    </Page>
  )
}

function SpaceMenu({ space, onAsk }: { space: SpaceNode; onAsk: (act: SpaceAct) => void }) {
  return (
    <ActsMenu label={`Actions for ${space.name}`} size="sm" tabIndex={-1}>
      <Menu.Item onClick={() => onAsk({ kind: 'create', parent: space })} leftSection={<Icon name="add" />}>
        New space inside
      </Menu.Item>
      <Menu.Item onClick={() => onAsk({ kind: 'rename', space })} leftSection={<Icon name="pencil" />}>
        Rename
      </Menu.Item>
      <Menu.Item onClick={() => onAsk({ kind: 'move', space })} leftSection={<Icon name="swap" />}>
        Move
      </Menu.Item>
      <Menu.Item
        c="var(--mantine-color-error)"
        onClick={() => onAsk({ kind: 'remove', space })}
        leftSection={<Icon name="trash" />}
      >
        Delete
      </Menu.Item>
    </ActsMenu>
  )
}

/** Spec 1.6, told to a person: why, and what they can do instead. */
function MoveRefused({ space, error, onClose }: { space: SpaceNode; error: ApiError; onClose: () => void }) {
  return (
    <Paper withBorder p="sm" role="alert" style={{ borderColor: 'var(--mantine-color-error)' }}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Text fw={600} size="sm">
            {space.name} was not moved
          </Text>
          <Text size="sm">
            {error.code === 'space_move_refused'
              ? 'This space, or one inside it, is kept in step with another cloud by a connected application, so it stays under its parent. Move it in that cloud, or revoke the application under Connected apps to make the space your own.'
              : error.message}
          </Text>
        </div>
        <ActionIcon variant="subtle" color="gray" onClick={onClose} aria-label="Dismiss">
          <Icon name="cross" size={14} />
        </ActionIcon>
      </Group>
    </Paper>
  )
}

function NameSpace({ act, onClose }: { act: SpaceAct & { kind: 'create' | 'rename' }; onClose: () => void }) {
  const api = useApi()
  const renaming = act.kind === 'rename' ? act.space : null
  const parent = act.kind === 'create' ? act.parent : null
  const [form, fieldsOf] = useFields({ name: renaming?.name ?? '' })
  const save = useChange({
    run: () =>
      renaming
        ? api.patch(`/spaces/${renaming.id}`, form)
        : api.post('/spaces', { ...form, ...(parent ? { parent_id: parent.id } : {}) }),
    touches: ['/spaces', '/info'],
    done: onClose,
    quiet: true,
  })
  const field = fieldsOf(save.error)
  return (
    <FormDialog
      title={renaming ? `Rename ${renaming.name}` : parent ? `New space in ${parent.name}` : 'New space'}
      verb={renaming ? 'Rename' : 'Create space'}
      change={save}
      onClose={onClose}
    >
      <TextInput label="Name" placeholder="Ground floor" {...field('name')} data-autofocus required />
    </FormDialog>
  )
}

function RemoveSpace({ space, onClose }: { space: SpaceNode; onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () => api.remove(`/spaces/${space.id}`),
    touches: ['/spaces', '/info'],
    done: () => `${space.name} was deleted.`,
    quiet: true,
  })
  return (
    <Confirm
      title={`Delete ${space.name}?`}
      verb="Delete space"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      A space can be deleted when nothing is in it: move its spaces and devices out first.
    </Confirm>
  )
}
