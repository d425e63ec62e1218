import { Checkbox, MultiSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAll, useApi, useChange, useEtag, usePages } from '../api/api.tsx'
import type { User } from '../api/organization.ts'
import { InvitationSecret } from '../components/account/invitations.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { policyOf } from './policy-fields.tsx'

function useGroupOptions(): { value: string; label: string }[] {
  return useAll('GET /core/v1/organization/groups').items.map(({ id, name }) => ({ value: id, label: name }))
}

export function InviteUser({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const groups = useGroupOptions()
  const form = useForm({
    initialValues: { name: '', email: '', role: 'member' as User['role'], groups: [] as string[], views: false },
  })
  const invite = useChange({
    run: () => {
      const { name, groups: chosen, views, ...rest } = form.values
      return api.send('POST /core/v1/organization/invitations', {
        body: {
          ...rest,
          ...(name.trim() ? { name: name.trim() } : {}),
          ...(chosen.length > 0 ? { groups: chosen } : {}),
          ...(views && rest.role === 'member' ? { can_view_devices: true } : {}),
        },
      })
    },
    invalidates: [
      'GET /core/v1/organization/invitations',
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
    ],
    silent: true,
  })
  if (invite.data) {
    return <InvitationSecret invitation={invite.data} link={invite.data.link!} onClose={onClose} />
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
  const etag = useEtag('GET /core/v1/organization/users/{id}', { id: user.id })
  const form = useForm({ initialValues: { groups: user.groups.map(({ id }) => id) } })
  const save = useChange({
    run: () => api.send('PATCH /core/v1/organization/users/{id}', { id: user.id, body: form.values, etag }),
    invalidates: [
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
      'GET /core/v1/organization/groups',
    ],
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
  const apps = usePages('GET /core/v1/organization/connected-apps')
  const theirs = apps.items.filter(({ connected_at, users }) => connected_at && users.some(({ id }) => id === user.id))
  const [chosen, setChosen] = useState<string[]>([])
  const remove = useChange({
    run: async () => {
      await api.send('DELETE /core/v1/organization/users/{id}', { id: user.id })
      for (const { client_id, policy } of theirs.filter(({ client_id: id }) => chosen.includes(id))) {
        await api.send('PATCH /core/v1/organization/connected-apps/{client_id}', {
          client_id,
          body: { policy: policyOf({ policy }), revoke_tokens: true },
        })
      }
    },
    invalidates: [
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
      'GET /core/v1/organization/info',
      'GET /core/v1/organization/connected-apps',
      'GET /core/v1/organization/invitations',
    ],
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
