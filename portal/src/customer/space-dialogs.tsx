import { Button, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { FormDialog } from '../components/form.tsx'
import { isUnder, type SpaceAction, type SpaceNode } from './space-tree.ts'

interface NameSpaceProps {
  action: SpaceAction & { kind: 'create' | 'rename' }
  onClose: () => void
}

export function NameSpace({ action, onClose }: NameSpaceProps) {
  const api = useApi()
  const renaming = action.kind === 'rename' ? action.space : null
  const parent = action.kind === 'create' ? action.parent : null
  const form = useForm({ initialValues: { name: renaming?.name ?? '' } })
  const save = useChange({
    run: () =>
      renaming
        ? api.patch(`/spaces/${renaming.id}`, form.values)
        : api.post('/spaces', { ...form.values, ...(parent ? { parent_id: parent.id } : {}) }),
    invalidates: ['/spaces', '/info'],
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

export function RemoveSpace({ space, onClose }: { space: SpaceNode; onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () => api.remove(`/spaces/${space.id}`),
    invalidates: ['/spaces', '/info'],
    done: () => `${space.name} deleted.`,
    silent: true,
  })
  return (
    <Confirm
      title={`Delete ${space.name}?`}
      verb="Delete space"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      Only an empty space can be deleted: move its spaces and devices first.
    </Confirm>
  )
}

interface MoveSpaceProps {
  space: SpaceNode
  all: SpaceNode[]
  onMove: (space: SpaceNode, parentId: string | null) => void
  onClose: () => void
}

/** The alternative to dragging. */
export function MoveSpace({ space, all, onMove, onClose }: MoveSpaceProps) {
  const [to, setTo] = useState<string>(space.parent_id ?? 'top')
  const parents = all.filter(({ id }) => !isUnder(space, id))
  return (
    <Dialog onClose={onClose} title={`Move ${space.name}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onMove(space, to === 'top' ? null : to)
          onClose()
        }}
      >
        <Stack gap="sm">
          <Select
            label="Move to"
            data={[
              { value: 'top', label: 'Top level' },
              ...parents.map(({ id, name, depth }) => ({ value: id, label: `${'\u2003'.repeat(depth)}${name}` })),
            ]}
            value={to}
            onChange={(value) => setTo(value ?? 'top')}
            searchable
            data-autofocus
          />
          <Button type="submit">Move</Button>
        </Stack>
      </form>
    </Dialog>
  )
}
