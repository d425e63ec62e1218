import { Button, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { isUnder, type SpaceNode } from './space-tree.ts'

interface MoveDialogProps {
  space: SpaceNode
  all: SpaceNode[]
  onMove: (space: SpaceNode, parentId: string | null) => void
  onClose: () => void
}

/** The way to move for hands that do not drag. */
export function MoveDialog({ space, all, onMove, onClose }: MoveDialogProps) {
  const [to, setTo] = useState<string>(space.parent_id ?? 'top')
  const places = all.filter(({ id }) => !isUnder(space, id))
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
            label="Into"
            data={[
              { value: 'top', label: 'The top of the tree' },
              ...places.map(({ id, name, depth }) => ({ value: id, label: `${'\u2003'.repeat(depth)}${name}` })),
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
