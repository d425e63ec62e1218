import { MultiSelect } from '@mantine/core'
import { useApi, useChange, useEtag } from '../api/api.tsx'
import type { User } from '../api/organization.ts'
import { FormDialog, useFields } from '../components/form.tsx'
import { useGroupChoices } from './group-choices.ts'

export function UserGroups({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const groups = useGroupChoices()
  const path = `/users/${user.id}`
  const etag = useEtag(path)
  const [form, fieldsOf] = useFields({ groups: (user.groups ?? []).map(({ id }) => id) })
  const save = useChange({
    run: () => api.patch(path, form, etag),
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
        data={groups}
        {...field('groups')}
        searchable
        data-autofocus
      />
    </FormDialog>
  )
}
