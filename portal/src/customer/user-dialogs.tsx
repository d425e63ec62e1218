import { Checkbox, MultiSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAll, useApi, useChange, useEtag, usePages } from '../api/api.tsx'
import type { ConnectedApp, Group, InvitationLink, User } from '../api/organization.ts'
import { InvitationSecret } from '../components/account/invitations.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'

function useGroupOptions(): { value: string; label: string }[] {
  return useAll<Group>('/groups').items.map(({ id, name }) => ({ value: id, label: name }))
}

export function InviteUser({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const groups = useGroupOptions()
  const form = useForm({ initialValues: { name: '', email: '', role: 'member', groups: [] as string[], views: false } })
  const invite = useChange({
    run: () => {
      const { name, groups: chosen, views, ...rest } = form.values
      return api.post<InvitationLink>('/invitations', {
        ...rest,
        ...(name.trim() ? { name: name.trim() } : {}),
        ...(chosen.length > 0 ? { groups: chosen } : {}),
        ...(views && rest.role === 'member' ? { can_view_devices: true } : {}),
      })
    },
    invalidates: ['/invitations', '/users'],
    silent: true,
  })
  if (invite.data) {
    return <InvitationSecret invitation={invite.data} link={invite.data.link} onClose={onClose} />
  }
  return (
    <FormDialog form={form} title="Invite user" verb="Create invitation link" change={invite} onClose={onClose}>
      <TextInput label="Email" type="email" {...form.getInputProps('email')} required data-autofocus />
      <TextInput label="Name" description="Optional; they can enter it themselves" {...form.getInputProps('name')} />
      <Radio.Group label="Role" {...form.getInputProps('role')}>
        <Stack gap={6} mt={6}>
          <Radio value="member" label="Member" description="Connects applications that an administrator approved" />
          <Radio
            value="administrator"
            label="Administrator"
            description="Manages this organization and approves applications"
          />
        </Stack>
      </Radio.Group>
      {form.values.role === 'member' && (
        <Checkbox
          mt="xs"
          label="Can view devices"
          description="Sees devices and spaces in this portal, without changing anything"
          {...form.getInputProps('views', { type: 'checkbox' })}
        />
      )}
      {groups.length > 0 && <MultiSelect label="Groups" data={groups} {...form.getInputProps('groups')} searchable />}
    </FormDialog>
  )
}

export function UserGroups({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const groups = useGroupOptions()
  const path = `/users/${user.id}`
  const etag = useEtag(path)
  const form = useForm({ initialValues: { groups: user.groups.map(({ id }) => id) } })
  const save = useChange({
    run: () => api.patch(path, form.values, etag),
    invalidates: ['/users', '/groups'],
    done: onClose,
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title={`Groups of ${user.name}`}
      verb="Save"
      change={save}
      ready={etag !== undefined}
      onClose={onClose}
    >
      <MultiSelect
        label="Groups"
        description="A group can be the sign-in policy of a connected app"
        data={groups}
        {...form.getInputProps('groups')}
        searchable
        // The choices would cover the button.
        openOnFocus={false}
        data-autofocus
      />
    </FormDialog>
  )
}

/** Tokens belong to the organization and stay when a user leaves, so this offers to revoke those of the apps they connected. */
export function RemoveUser({ user, onClose }: { user: User; onClose: () => void }) {
  const api = useApi()
  const apps = usePages<ConnectedApp>('/connected-apps')
  const theirs = apps.items.filter(({ connected_at, users }) => connected_at && users.some(({ id }) => id === user.id))
  const [chosen, setChosen] = useState<string[]>([])
  const remove = useChange({
    run: async () => {
      await api.remove(`/users/${user.id}`)
      for (const { client_id, policy } of theirs.filter(({ client_id: id }) => chosen.includes(id))) {
        const { kind, group_id } = policy
        const same = kind === 'group' ? { kind, group_id } : { kind }
        await api.patch(`/connected-apps/${client_id}`, { policy: same, revoke_tokens: true })
      }
    },
    invalidates: ['/users', '/info', '/connected-apps', '/invitations'],
    done: () => `${user.name} removed.`,
    silent: true,
  })
  return (
    <Confirm title={`Remove ${user.name}?`} verb="Remove" onConfirm={() => remove.mutateAsync()} onClose={onClose}>
      <Stack gap="xs">
        <Text size="sm">
          {user.name} loses access to this organization. Their account and other memberships stay.
          {user.role === 'administrator' && ' Invitations and links they created stop working.'}
        </Text>
        <Text size="sm">
          Applications they connected keep their tokens: tokens belong to the organization. Applications no longer see{' '}
          {user.name} as a user.
        </Text>
        {theirs.length > 0 && (
          <Checkbox.Group
            label="Also revoke all tokens of"
            description="The approval stays: permitted users can connect the application again"
            value={chosen}
            onChange={setChosen}
          >
            <Stack gap={6} mt={6}>
              {theirs.map(({ client_id, name }) => (
                <Checkbox key={client_id} value={client_id} label={name} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        {theirs.length === 0 && <Text size="sm">To revoke an application’s tokens, see Connected apps.</Text>}
      </Stack>
    </Confirm>
  )
}
