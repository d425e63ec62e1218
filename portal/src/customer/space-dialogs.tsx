import { Button, Menu, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import type { Space } from '../api/organization.ts'
import { useWithin } from '../api/permitted.ts'
import { Confirm, Dialog } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { Icon } from '../components/page/icon.tsx'
import { type Target, topLevel } from './space-move.tsx'
import type { SpaceAction } from './space-tree.ts'

interface NameSpaceProps {
  action: SpaceAction & { kind: 'create' | 'rename' }
  onClose: () => void
}

function NameSpace({ action, onClose }: NameSpaceProps) {
  const api = useApi()
  const renaming = action.kind === 'rename' ? action.space : null
  const parent = action.kind === 'create' ? action.parent : null
  const form = useForm({ initialValues: { name: renaming?.name ?? '' } })
  const save = useChange({
    run: () =>
      renaming
        ? api.send('PATCH /core/v1/organization/spaces/{id}', { id: renaming.id, body: form.values })
        : api.send('POST /core/v1/organization/spaces', {
            body: { ...form.values, ...(parent ? { parent_id: parent.id } : {}) },
          }),
    invalidates: ['GET /core/v1/organization/spaces', 'GET /core/v1/organization/info'],
    done: onClose,
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title={renaming ? `Rename ${renaming.name}` : parent ? `New space in ${parent.name}` : 'New space'}
      verb={renaming ? 'Rename' : 'Create space'}
      change={save}
      onClose={onClose}
    >
      <TextInput label="Name" placeholder="Ground floor" {...form.getInputProps('name')} data-autofocus required />
    </FormDialog>
  )
}

interface RemoveSpaceProps {
  space: Space
  onClose: () => void
  onRemoved?: (() => void) | undefined
}

function RemoveSpace({ space, onClose, onRemoved }: RemoveSpaceProps) {
  const api = useApi()
  const remove = useChange({
    run: () => api.send('DELETE /core/v1/organization/spaces/{id}', { id: space.id }),
    invalidates: ['GET /core/v1/organization/spaces', 'GET /core/v1/organization/info'],
    done: () => {
      onRemoved?.()
      return `${space.name} deleted.`
    },
    silent: true,
  })
  return (
    <Confirm
      title={`Delete ${space.name}?`}
      verb="Delete space"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      This cannot be undone. A space that still contains spaces or devices cannot be deleted.
    </Confirm>
  )
}

interface MoveSpaceProps {
  space: Space
  onMove: (space: Space, to: Target) => void
  onClose: () => void
}

const top = { value: 'top', label: 'Top level' }

/** The alternative to dragging. */
function MoveSpace({ space, onMove, onClose }: MoveSpaceProps) {
  const everywhere = useWithin('spaces: manage') === null
  const [to, setTo] = useState({ value: space.parent_id ?? (everywhere ? top.value : ''), label: '' })
  return (
    <Dialog onClose={onClose} title={`Move ${space.name}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onMove(space, to.value === top.value ? topLevel : { id: to.value, name: to.label })
          onClose()
        }}
      >
        <Stack gap="sm">
          <SpacePicker
            label="Move to"
            first={everywhere ? [top] : []}
            outside={space.id}
            value={to.value || null}
            onChange={(value, option) => setTo(value && option ? { value, label: option.label } : top)}
            allowDeselect={false}
            data-autofocus
          />
          <Button type="submit" disabled={to.value === ''}>
            Move
          </Button>
        </Stack>
      </form>
    </Dialog>
  )
}

interface SpaceDialogProps {
  action: SpaceAction | null
  onMove: (space: Space, to: Target) => void
  onClose: () => void
  onRemoved?: () => void
}

/** The dialog of an action, while there is one. */
export function SpaceDialog({ action, onMove, onClose, onRemoved }: SpaceDialogProps) {
  if (action === null) return null
  if (action.kind === 'move') return <MoveSpace space={action.space} onMove={onMove} onClose={onClose} />
  if (action.kind === 'remove') return <RemoveSpace space={action.space} onClose={onClose} onRemoved={onRemoved} />
  return <NameSpace action={action} onClose={onClose} />
}

interface SpaceMenuProps {
  space: Space
  /** Synced spaces are not. */
  movable: boolean
  onAction: (action: SpaceAction) => void
}

export function SpaceMenuItems({ space, movable, onAction }: SpaceMenuProps) {
  return (
    <>
      <Menu.Item onClick={() => onAction({ kind: 'create', parent: space })} leftSection={<Icon name="add" />}>
        New space inside
      </Menu.Item>
      <Menu.Item onClick={() => onAction({ kind: 'rename', space })} leftSection={<Icon name="edit" />}>
        Rename
      </Menu.Item>
      {movable && (
        <Menu.Item onClick={() => onAction({ kind: 'move', space })} leftSection={<Icon name="move" />}>
          Move
        </Menu.Item>
      )}
      <Menu.Item
        c="var(--mantine-color-error)"
        onClick={() => onAction({ kind: 'remove', space })}
        leftSection={<Icon name="trash" />}
      >
        Delete
      </Menu.Item>
    </>
  )
}
