import { Button, Modal, MultiSelect, Stack } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Group, User } from '../api/organization.ts'
import { FormFailure } from '../parts/form.tsx'

export function UserGroups({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const groups = usePages<Group>('/groups')
  const [chosen, setChosen] = useState((user.groups ?? []).map(({ id }) => id))
  const save = useChange({
    run: () => api.patch(`/users/${user.id}`, { groups: chosen }),
    touches: ['/users', '/groups'],
    done: () => {
      onClose()
      return null
    },
    quiet: true,
  })
  return (
    <Modal opened onClose={onClose} title={`Groups of ${user.name}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap="sm">
          <MultiSelect
            label="Groups"
            description="A group can be the sign-in policy of a connected app"
            data={groups.items.map(({ id, name }) => ({ value: id, label: name }))}
            value={chosen}
            onChange={setChosen}
            searchable
            data-autofocus
          />
          <FormFailure error={save.error} />
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
