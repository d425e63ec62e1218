import { Badge, Group, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { User } from '../api/organization.ts'
import { useSession } from '../api/session.tsx'
import { ActsMenu } from '../components/acts-menu.tsx'
import { ListPage } from '../components/list-page.tsx'
import { Invitations } from './invitations.tsx'
import { InviteUser } from './invite-user.tsx'
import { RemoveUser } from './remove-user.tsx'
import { ResetLink } from './reset-link.tsx'
import { UserGroups } from './user-groups.tsx'

export function Users() {
  const api = useApi()
  const { data: session } = useSession()
  const [act, setAct] = useState<{ kind: 'remove' | 'groups' | 'reset'; user: User } | null>(null)
  const onClose = () => setAct(null)
  const change = useChange<{ user: User; change: Partial<Pick<User, 'role' | 'active'>> }>({
    run: ({ user, change: what }) => api.patch(`/users/${user.id}`, what),
    touches: ['/users', '/invitations'],
    meanwhile: ({ user, change: what }) => ({ list: '/users', id: user.id, shows: what }),
    undo: ({ user }) => api.patch(`/users/${user.id}`, { role: user.role, active: user.active }),
    done: (_answer, { user, change: what }) =>
      what.role
        ? `${user.name} is now ${what.role === 'administrator' ? 'an administrator' : 'a member'}.`
        : `${user.name} ${what.active ? 'can sign in here again' : 'can no longer act here'}.`,
  })
  return (
    <ListPage
      title="Users"
      about="Administrators arrange everything here and approve applications. Members connect applications that an administrator approved."
      list={usePages<User>('/users')}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: (user) => <Person user={user} you={user.id === session?.user.id} /> },
        { label: 'Role', cell: ({ role }) => (role === 'administrator' ? 'Administrator' : 'Member') },
        {
          label: 'Groups',
          wide: true,
          cell: ({ groups }) => (
            <Group gap={4}>
              {groups?.map(({ id, name }) => (
                <Badge key={id} color="gray" size="sm">
                  {name}
                </Badge>
              ))}
            </Group>
          ),
        },
        {
          label: 'Actions',
          acts: true,
          cell: (user) => (
            <ActsMenu label={`Actions for ${user.name}`}>
              <Menu.Item
                onClick={() =>
                  change.mutate({ user, change: { role: user.role === 'member' ? 'administrator' : 'member' } })
                }
              >
                {user.role === 'member' ? 'Make administrator' : 'Make member'}
              </Menu.Item>
              <Menu.Item onClick={() => setAct({ kind: 'groups', user })}>Choose groups</Menu.Item>
              <Menu.Item onClick={() => setAct({ kind: 'reset', user })}>Link to set a new password</Menu.Item>
              <Menu.Item onClick={() => change.mutate({ user, change: { active: !user.active } })}>
                {user.active ? 'Deactivate' : 'Activate again'}
              </Menu.Item>
              <Menu.Divider />
              <Menu.Item c="var(--mantine-color-error)" onClick={() => setAct({ kind: 'remove', user })}>
                Remove from this organization
              </Menu.Item>
            </ActsMenu>
          ),
        },
      ]}
      create={{ verb: 'Invite a person', Dialog: InviteUser }}
      empty={{
        icon: 'people',
        title: 'Nobody is here yet',
        teaches: 'Invite the people who connect applications or look after devices.',
      }}
    >
      <Invitations />
      {act?.kind === 'groups' && <UserGroups user={act.user} onClose={onClose} />}
      {act?.kind === 'reset' && <ResetLink user={act.user} onClose={onClose} />}
      {act?.kind === 'remove' && <RemoveUser user={act.user} onClose={onClose} />}
    </ListPage>
  )
}

function Person({ user: { name, email, active }, you }: { user: User; you: boolean }) {
  return (
    <>
      <Group gap={6}>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {you && <Badge size="xs">You</Badge>}
        {!active && (
          <Badge size="xs" color="gray">
            Deactivated
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {email}
      </Text>
    </>
  )
}
