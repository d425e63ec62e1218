import { Radio, Select, type SelectProps, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Reload } from '../api/operations.ts'
import type { CustomerUser } from '../api/operator.ts'
import { InvitationSecret } from '../components/account/invitations.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'

export function roleName(role: CustomerUser['role']): string {
  return role === 'administrator' ? 'Administrator' : 'Member'
}

const changed: Reload[] = [
  'GET /core/v1/operator/customers',
  'GET /core/v1/operator/users',
  'GET /core/v1/operator/invitations',
]

export interface Membership {
  customer: { id: string; name: string }
  user: { id: string; name: string; role: CustomerUser['role']; active: boolean }
}

/** Changes the role of a membership, or whether it is active; can be undone. */
export function useMembershipChange() {
  const api = useApi()
  return useChange<Membership & { changes: { role?: CustomerUser['role']; active?: boolean } }>({
    run: ({ customer, user, changes }) =>
      api.send('PATCH /core/v1/operator/customers/{id}/users/{user_id}', {
        id: customer.id,
        user_id: user.id,
        body: changes,
      }),
    invalidates: changed,
    undo: ({ customer, user: { id, role, active } }, etag) =>
      api.send('PATCH /core/v1/operator/customers/{id}/users/{user_id}', {
        id: customer.id,
        user_id: id,
        body: { role, active },
        etag,
      }),
    done: (_result, { user, changes }) =>
      changes.role
        ? `${user.name} is now ${changes.role === 'administrator' ? 'an administrator' : 'a member'}.`
        : `${user.name} ${changes.active ? 'activated' : 'deactivated'}.`,
  })
}

export function RemoveMembership({ customer, user, onClose }: Membership & { onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () =>
      api.send('DELETE /core/v1/operator/customers/{id}/users/{user_id}', { id: customer.id, user_id: user.id }),
    invalidates: changed,
    done: () => `${user.name} removed from ${customer.name}.`,
    silent: true,
  })
  return (
    <Confirm
      title={`Remove ${user.name} from ${customer.name}?`}
      verb="Remove"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      {user.name} loses access to {customer.name}, and links they created there stop working. The account and its other
      memberships stay. Tokens of applications they connected stay: they belong to the customer.
    </Confirm>
  )
}

interface InviteProps {
  /** Absent: the operator chooses one. */
  customer?: { id: string; name: string }
  /** Absent: the operator enters an email. */
  email?: string
  onClose: () => void
}

/** Adds a membership: nobody joins without opening the link, with the account they have or a new one. */
export function InviteToCustomer({ customer, email, onClose }: InviteProps) {
  const api = useApi()
  const form = useForm({
    initialValues: {
      email: email ?? '',
      role: 'member' as CustomerUser['role'],
      customer_id: customer?.id ?? (null as string | null),
    },
  })
  const invite = useChange({
    run: () => {
      const { customer_id, ...invitee } = form.values
      return api.send('POST /core/v1/operator/customers/{id}/invitations', { id: customer_id!, body: invitee })
    },
    invalidates: changed,
    silent: true,
  })
  if (invite.data) return <InvitationSecret invitation={invite.data} link={invite.data.link} onClose={onClose} />
  return (
    <FormDialog
      form={form}
      title={customer ? `Invite to ${customer.name}` : 'Add to a customer'}
      verb="Create invitation link"
      change={invite}
      ready={form.values.customer_id !== null}
      onClose={onClose}
    >
      <Text size="sm">
        {email
          ? `${email} joins by opening the link and signing in.`
          : 'The person joins by opening the link: with the account they have, or a new one.'}
      </Text>
      {!customer && <CustomerSelect {...form.getInputProps('customer_id')} />}
      {!email && <TextInput label="Email" type="email" {...form.getInputProps('email')} required data-autofocus />}
      <Radio.Group label="Role" {...form.getInputProps('role')}>
        <Stack gap={6} mt={6}>
          <Radio value="member" label="Member" />
          <Radio value="administrator" label="Administrator" />
        </Stack>
      </Radio.Group>
    </FormDialog>
  )
}

/** Searches on the service: there may be more customers than a list can hold. */
function CustomerSelect(input: SelectProps) {
  const [search, setSearch] = useState('')
  const found = usePages('GET /core/v1/operator/customers', { limit: 20, search: search || undefined })
  return (
    <Select
      label="Customer"
      placeholder="Search by name"
      data={found.items.map(({ id, name }) => ({ value: id, label: name }))}
      filter={({ options }) => options}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage="No customer found"
      required
      data-autofocus
      {...input}
    />
  )
}
