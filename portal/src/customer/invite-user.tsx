import { MultiSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useApi, useChange } from '../api/api.tsx'
import type { InvitationLink } from '../api/organization.ts'
import { FormDialog, useFields } from '../components/form.tsx'
import { HandOver } from '../components/invitations.tsx'
import { useGroupChoices } from './group-choices.ts'

export function InviteUser({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const groups = useGroupChoices()
  const [form, fieldsOf] = useFields({ name: '', email: '', role: 'member', groups: [] as string[] })
  const invite = useChange({
    run: () => {
      const { name, groups: chosen, ...rest } = form
      return api.post<InvitationLink>('/invitations', {
        ...rest,
        ...(name.trim() ? { name: name.trim() } : {}),
        ...(chosen.length > 0 ? { groups: chosen } : {}),
      })
    },
    touches: ['/invitations', '/users'],
    quiet: true,
  })
  const field = fieldsOf(invite.error)
  if (invite.data) {
    return <HandOver invitation={invite.data} link={invite.data.link} onClose={onClose} />
  }
  return (
    <FormDialog title="Invite a person" verb="Make an invitation link" change={invite} onClose={onClose}>
      <TextInput label="Email" type="email" {...field('email')} required data-autofocus />
      <TextInput label="Name" description="Optional; they can say it themselves" {...field('name')} />
      <Radio.Group label="Role" {...field('role')}>
        <Stack gap={6} mt={6}>
          <Radio value="member" label="Member" description="Connects applications that an administrator approved" />
          <Radio
            value="administrator"
            label="Administrator"
            description="Arranges everything here and approves applications"
          />
        </Stack>
      </Radio.Group>
      {groups.length > 0 && <MultiSelect label="Groups" data={groups} {...field('groups')} searchable />}
    </FormDialog>
  )
}
