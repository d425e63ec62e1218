import { Button, Modal, MultiSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Group, Invitation, User } from '../api/organization.ts'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { When } from '../parts/when.tsx'

export function InviteUser({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const groups = usePages<Group>('/groups')
  const [form, setForm] = useState({ name: '', email: '', role: 'member' as User['role'], groups: [] as string[] })
  const invite = useChange({
    run: () => {
      const { name, groups: chosen, ...rest } = form
      return api.post<Invitation>('/invitations', {
        ...rest,
        ...(name.trim() ? { name: name.trim() } : {}),
        ...(chosen.length > 0 ? { groups: chosen } : {}),
      })
    },
    touches: ['/invitations', '/users'],
    quiet: true,
  })
  const errors = fieldErrors(invite.error)
  if (invite.data) {
    return (
      <SecretOnce title={`Invitation for ${invite.data.email}`} secret={invite.data.link} onClose={onClose}>
        <Text size="sm">
          Send this link to {invite.data.email}. It works once, until <When at={invite.data.expires_at} />. They join
          when they accept it.
        </Text>
      </SecretOnce>
    )
  }
  return (
    <Modal opened onClose={onClose} title="Invite a person" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          invite.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Email"
            type="email"
            value={form.email}
            onChange={(event) => setForm({ ...form, email: event.currentTarget.value })}
            error={errors.email}
            required
            data-autofocus
          />
          <TextInput
            label="Name"
            description="Optional; they can say it themselves"
            value={form.name}
            onChange={(event) => setForm({ ...form, name: event.currentTarget.value })}
            error={errors.name}
          />
          <Radio.Group
            label="Role"
            value={form.role}
            onChange={(role) => setForm({ ...form, role: role as User['role'] })}
          >
            <Stack gap={6} mt={6}>
              <Radio value="member" label="Member" description="Connects applications that an administrator approved" />
              <Radio
                value="administrator"
                label="Administrator"
                description="Arranges everything here and approves applications"
              />
            </Stack>
          </Radio.Group>
          {groups.items.length > 0 && (
            <MultiSelect
              label="Groups"
              data={groups.items.map(({ id, name }) => ({ value: id, label: name }))}
              value={form.groups}
              onChange={(chosen) => setForm({ ...form, groups: chosen })}
              searchable
            />
          )}
          <FormFailure error={invite.error} />
          <Button type="submit" loading={invite.isPending}>
            Make an invitation link
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
