import { MultiSelect } from '@mantine/core'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Group, User } from '../api/organization.ts'
import { FormDialog, useFields } from '../parts/form.tsx'

export function UserGroups({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const groups = usePages<Group>('/groups')
  const [form, fieldsOf] = useFields({ groups: (user.groups ?? []).map(({ id }) => id) })
  const save = useChange({
    run: () => api.patch(`/users/${user.id}`, form),
    touches: ['/users', '/groups'],
    done: onClose,
    quiet: true,
  })
  const field = fieldsOf(save.error)
  return (
    <FormDialog title={`Groups of ${user.name}`} verb="Save" change={save} onClose={onClose}>
      <MultiSelect
        label="Groups"
        description="A group can be the sign-in policy of a connected app"
        data={groups.items.map(({ id, name }) => ({ value: id, label: name }))}
        {...field('groups')}
        searchable
        data-autofocus
      />
    </FormDialog>
  )
}
