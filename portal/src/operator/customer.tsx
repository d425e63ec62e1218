import { Anchor, Badge, Button, Group, Menu, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useEtag, usePages, useRead } from '../api/api.tsx'
import type { Customer as CustomerData, CustomerUser } from '../api/operator.ts'
import { InvitationTable } from '../components/account/invitations.tsx'
import { ResetPassword } from '../components/account/reset-password.tsx'
import { ApplicationState } from '../components/application/application.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Fact, Loaded, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { DataTable } from '../components/table/table.tsx'
import { InviteToCustomer, RemoveMembership, roleName, useMembershipChange } from './membership.tsx'
import { PersonName, personPath } from './people.tsx'

export function Customer() {
  const { customerId = '' } = useParams()
  const customer = useRead('GET /core/v1/operator/customers/{id}', { id: customerId })
  const [dialog, setDialog] = useState<'invite' | 'rename' | null>(null)
  return (
    <Loaded of={customer}>
      {(data) => (
        <Page
          title={data.name}
          badges={data.lab && <Badge color="gray">Test tenant</Badge>}
          above={[{ label: 'Customers', to: '/operator/customers' }]}
          actions={
            <>
              <Button variant="default" onClick={() => setDialog('rename')}>
                Rename
              </Button>
              <Button leftSection={<Icon name="add" />} onClick={() => setDialog('invite')}>
                Invite user
              </Button>
            </>
          }
        >
          <Group gap="xl" className="facts">
            <PartnerFact id={data.partner_id} />
            <Fact label="Customer ID">
              <Copied value={data.id} />
            </Fact>
            <Fact label="Created">
              <When at={data.created_at} />
            </Fact>
          </Group>
          <Users customer={data} />
          <PendingInvitations customer={data} />
          <Apps customer={data} />
          {dialog === 'invite' && <InviteToCustomer customer={data} onClose={() => setDialog(null)} />}
          {dialog === 'rename' && <Rename customer={data} onClose={() => setDialog(null)} />}
        </Page>
      )}
    </Loaded>
  )
}

function PartnerFact({ id }: { id: string }) {
  const partner = useRead('GET /core/v1/operator/partners/{id}', { id })
  return (
    <Fact label="Partner">
      <Anchor component={Link} to={`/operator/partners/${id}`} size="sm">
        {partner.data?.name ?? 'Open'}
      </Anchor>
    </Fact>
  )
}

function Users({ customer }: { customer: CustomerData }) {
  const [dialog, setDialog] = useState<{ kind: 'remove' | 'reset'; user: CustomerUser } | null>(null)
  const change = useMembershipChange()
  return (
    <>
      <Title order={2}>Users</Title>
      <DataTable
        list={usePages('GET /core/v1/operator/customers/{id}/users', { id: customer.id })}
        label="Users"
        unit="user"
        rowKey={({ id }) => id}
        to={personPath}
        columns={[
          { label: 'Name', cell: (user) => <PersonName person={user} /> },
          {
            label: 'Role',
            cell: ({ role, active }) => (
              <Group gap={6}>
                {roleName(role)}
                {!active && <Badge color="gray">Deactivated</Badge>}
              </Group>
            ),
          },
          { label: 'Groups', wide: true, cell: ({ groups }) => groups.map(({ name }) => name).join(', ') },
          { label: 'Since', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
          {
            label: 'Actions',
            actions: true,
            cell: (user) => (
              <ActionMenu label={`Actions for ${user.name}`}>
                <Menu.Item
                  onClick={() => {
                    const role = user.role === 'member' ? 'administrator' : 'member'
                    change.mutate({ customer, user, changes: { role } })
                  }}
                >
                  {user.role === 'member' ? 'Make administrator' : 'Make member'}
                </Menu.Item>
                <Menu.Item onClick={() => change.mutate({ customer, user, changes: { active: !user.active } })}>
                  {user.active ? 'Deactivate' : 'Activate'}
                </Menu.Item>
                <Menu.Item onClick={() => setDialog({ kind: 'reset', user })}>Reset password</Menu.Item>
                <Menu.Divider />
                <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog({ kind: 'remove', user })}>
                  Remove from customer
                </Menu.Item>
              </ActionMenu>
            ),
          },
        ]}
        empty={
          <Empty icon="account" title="No users yet">
            Invite the first administrator.
          </Empty>
        }
      />
      {dialog?.kind === 'remove' && (
        <RemoveMembership customer={customer} user={dialog.user} onClose={() => setDialog(null)} />
      )}
      {dialog?.kind === 'reset' && <ResetPassword user={dialog.user} onClose={() => setDialog(null)} />}
    </>
  )
}

function PendingInvitations({ customer }: { customer: CustomerData }) {
  const list = usePages('GET /core/v1/operator/invitations', { customer_id: customer.id })
  if (list.items.length === 0) return null
  return (
    <>
      <Title order={2}>Pending invitations</Title>
      <InvitationTable list={list} more={[{ label: 'Role', cell: ({ role }) => role && roleName(role) }]} />
    </>
  )
}

function Apps({ customer }: { customer: CustomerData }) {
  return (
    <>
      <Title order={2}>Connected apps</Title>
      <DataTable
        list={usePages('GET /core/v1/operator/customers/{id}/connected-apps', { id: customer.id })}
        label="Connected apps"
        unit="app"
        rowKey={({ client_id }) => client_id}
        to={({ client_id }) => `/operator/applications/${client_id}`}
        columns={[
          {
            label: 'Name',
            cell: ({ name, partner_name }) => (
              <>
                {name}
                <Text size="xs" c="dimmed">
                  by {partner_name}
                </Text>
              </>
            ),
          },
          { label: 'State', cell: ({ enabled }) => <ApplicationState enabled={enabled} /> },
          { label: 'Approved', wide: true, cell: ({ approved_at }) => <When at={approved_at} /> },
          {
            label: 'Connected',
            wide: true,
            cell: ({ connected_at }) => <When at={connected_at} never="not connected" />,
          },
          { label: 'Last used', cell: ({ last_used_at }) => <When at={last_used_at} /> },
        ]}
        empty={
          <Empty icon="plug" title="No connected apps">
            Administrators of the customer approve applications themselves.
          </Empty>
        }
      />
    </>
  )
}

function Rename({ customer, onClose }: { customer: CustomerData; onClose: () => void }) {
  const api = useApi()
  const etag = useEtag('GET /core/v1/operator/customers/{id}', { id: customer.id })
  const form = useForm({ initialValues: { name: customer.name } })
  const save = useChange({
    run: () => api.send('PATCH /core/v1/operator/customers/{id}', { id: customer.id, body: form.values, etag }),
    invalidates: ['GET /core/v1/operator/customers'],
    done: () => {
      onClose()
      return 'Saved.'
    },
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title={`Rename ${customer.name}`}
      verb="Save"
      change={save}
      ready={etag !== undefined}
      onClose={onClose}
    >
      <TextInput label="Name" {...form.getInputProps('name')} required data-autofocus />
    </FormDialog>
  )
}
