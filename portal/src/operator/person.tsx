import { Badge, Button, Group, Menu, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { PersonDetails } from '../api/operator.ts'
import { EndSessions } from '../components/account/end-sessions.tsx'
import { ResetPassword } from '../components/account/reset-password.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Empty, Fact, Loaded, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { DataTable } from '../components/table/table.tsx'
import { customerPath } from './customers.tsx'
import { InviteToCustomer, RemoveMembership, roleName, useMembershipChange } from './membership.tsx'

export function Person() {
  const { userId = '' } = useParams()
  const person = useRead('GET /core/v1/operator/users/{id}', { id: userId })
  const [dialog, setDialog] = useState<'reset' | 'sessions' | 'release' | 'add' | null>(null)
  const onClose = () => setDialog(null)
  return (
    <Loaded of={person}>
      {(data) => (
        <Page
          title={data.name}
          badges={<SignInBadge person={data} />}
          about={data.email}
          above={[{ label: 'People', to: '/operator/people' }]}
          actions={
            <>
              <Button variant="default" onClick={() => setDialog('add')}>
                Add to a customer
              </Button>
              <Button onClick={() => setDialog('reset')}>Reset password</Button>
              <ActionMenu label="More actions">
                <Menu.Item onClick={() => setDialog('sessions')}>Sign out everywhere</Menu.Item>
                <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog('release')}>
                  Release email
                </Menu.Item>
              </ActionMenu>
            </>
          }
        >
          <Group gap="xl" className="facts">
            <Fact label="Signed in">{browsers(data.sign_in.sessions)}</Fact>
            <Fact label="Last active">
              <When at={data.sign_in.last_seen_at} never="not signed in" />
            </Fact>
            <Fact label="Password reset link">
              {data.sign_in.reset_link_expires_at ? (
                <>
                  Expires <When at={data.sign_in.reset_link_expires_at} />
                </>
              ) : (
                'None'
              )}
            </Fact>
            <Fact label="User ID">
              <Copied value={data.id} />
            </Fact>
            <Fact label="Created">
              <When at={data.created_at} />
            </Fact>
          </Group>
          <Customers person={data} />

          <Title order={2}>Partners</Title>
          <DataTable
            list={{ items: data.partners }}
            label="Partners"
            unit="partner"
            rowKey={({ id }) => id}
            to={({ id }) => `/operator/partners/${id}`}
            columns={[{ label: 'Name', cell: ({ name }) => name }]}
            empty={
              <Text size="sm" c="dimmed" p="md">
                Not a member of any partner.
              </Text>
            }
          />

          {dialog === 'reset' && <ResetPassword user={data} onClose={onClose} />}
          {dialog === 'sessions' && <EndSessions user={data} onClose={onClose} />}
          {dialog === 'add' && <InviteToCustomer email={data.email} onClose={onClose} />}
          {dialog === 'release' && <ReleaseEmail person={data} onClose={onClose} />}
        </Page>
      )}
    </Loaded>
  )
}

function SignInBadge({ person: { sign_in } }: { person: PersonDetails }) {
  if (!sign_in.has_password) return <Badge color="red">Cannot sign in: no password</Badge>
  return (
    <Badge color={sign_in.sessions > 0 ? 'green' : 'gray'}>{sign_in.sessions > 0 ? 'Signed in' : 'Signed out'}</Badge>
  )
}

function browsers(count: number): string {
  return count === 0 ? 'No' : `In ${count} ${count === 1 ? 'browser' : 'browsers'}`
}

function Customers({ person }: { person: PersonDetails }) {
  const [removing, setRemoving] = useState<PersonDetails['customers'][number] | null>(null)
  const change = useMembershipChange()
  const userOf = ({ role, active }: PersonDetails['customers'][number]) => ({
    id: person.id,
    name: person.name,
    role,
    active,
  })
  return (
    <>
      <Title order={2}>Customers</Title>
      <DataTable
        list={{ items: person.customers }}
        label="Customers"
        unit="customer"
        rowKey={({ id }) => id}
        to={customerPath}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          {
            label: 'Role',
            cell: ({ role, active }) => (
              <Group gap={6}>
                {roleName(role)}
                {!active && <Badge color="gray">Deactivated</Badge>}
              </Group>
            ),
          },
          {
            label: 'Actions',
            actions: true,
            cell: (customer) => (
              <ActionMenu label={`Actions for ${customer.name}`}>
                <Menu.Item
                  onClick={() => {
                    const role = customer.role === 'member' ? 'administrator' : 'member'
                    change.mutate({ customer, user: userOf(customer), changes: { role } })
                  }}
                >
                  {customer.role === 'member' ? 'Make administrator' : 'Make member'}
                </Menu.Item>
                <Menu.Divider />
                <Menu.Item c="var(--mantine-color-error)" onClick={() => setRemoving(customer)}>
                  Remove from customer
                </Menu.Item>
              </ActionMenu>
            ),
          },
        ]}
        empty={
          <Empty icon="people" title="No customers">
            Not a member of any customer.
          </Empty>
        }
      />
      {removing && <RemoveMembership customer={removing} user={userOf(removing)} onClose={() => setRemoving(null)} />}
    </>
  )
}

function ReleaseEmail({ person, onClose }: { person: PersonDetails; onClose: () => void }) {
  const api = useApi()
  const release = useChange({
    run: () => api.send('POST /core/v1/operator/users/{id}/release-email', { id: person.id }),
    invalidates: ['GET /core/v1/operator/users'],
    done: () => `${person.email} released.`,
    silent: true,
  })
  return (
    <Confirm
      title={`Release ${person.email}?`}
      verb="Release email"
      name={person.email}
      onConfirm={() => release.mutateAsync()}
      onClose={onClose}
    >
      For an account that somebody else created with this email. It is signed out everywhere and nobody can sign in to
      it again; its memberships stay. The email can then be invited as a new person.
    </Confirm>
  )
}
