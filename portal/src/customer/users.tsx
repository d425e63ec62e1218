import { ActionIcon, Badge, Button, Group, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { User } from '../api/organization.ts'
import { useSession } from '../api/session.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { Invitations } from './invitations.tsx'
import { InviteUser } from './invite-user.tsx'
import { ResetLink } from './reset-link.tsx'
import { UserGroups } from './user-groups.tsx'

export function Users() {
  const api = useApi()
  const { data: session } = useSession()
  const list = usePages<User>('/users')
  const [inviting, setInviting] = useState(false)
  const [act, setAct] = useState<{ kind: 'remove' | 'groups' | 'reset'; user: User } | null>(null)
  const change = useChange<{ user: User; change: Partial<Pick<User, 'role' | 'active'>> }>({
    run: ({ user, change: what }) => api.patch(`/users/${user.id}`, what),
    touches: ['/users'],
    done: (_answer, { user, change: what }) =>
      what.role
        ? `${user.name} is now ${what.role === 'administrator' ? 'an administrator' : 'a member'}.`
        : `${user.name} ${what.active ? 'can sign in here again' : 'can no longer act here'}.`,
  })
  const remove = useChange<User>({
    run: (user) => api.remove(`/users/${user.id}`),
    touches: ['/users', '/info'],
    done: (_answer, user) => `${user.name} was removed from this organization.`,
    quiet: true,
  })
  const invite = (
    <Button leftSection={<Icon name="add" />} onClick={() => setInviting(true)}>
      Invite a person
    </Button>
  )
  return (
    <Page
      title="Users"
      about="Administrators arrange everything here and approve applications. Members connect applications that an administrator approved."
      actions={invite}
    >
      <ListTable
        list={list}
        label="Users"
        rowKey={({ id }) => id}
        columns={[
          {
            label: 'Name',
            cell: ({ id, name, email, active }) => (
              <>
                <Group gap={6}>
                  <Text size="sm" fw={500}>
                    {name}
                  </Text>
                  {id === session?.user.id && <Badge size="xs">You</Badge>}
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
            ),
          },
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
            hidden: true,
            align: 'right',
            width: 50,
            cell: (user) => (
              <Menu position="bottom-end" width={230}>
                <Menu.Target>
                  <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${user.name}`}>
                    <Icon name="dots" />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
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
                  <Menu.Item color="red" onClick={() => setAct({ kind: 'remove', user })}>
                    Remove from this organization
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            ),
          },
        ]}
        empty={
          <Empty icon="people" title="Nobody is here yet" action={invite}>
            Invite the people who connect applications or look after devices.
          </Empty>
        }
      />
      <Invitations />
      {inviting && <InviteUser onClose={() => setInviting(false)} />}
      {act?.kind === 'groups' && <UserGroups user={act.user} onClose={() => setAct(null)} />}
      {act?.kind === 'reset' && <ResetLink user={act.user} onClose={() => setAct(null)} />}
      {act?.kind === 'remove' && (
        <Confirm
          title={`Remove ${act.user.name}?`}
          verb="Remove"
          onConfirm={() => remove.mutateAsync(act.user)}
          onClose={() => setAct(null)}
        >
          <Text size="sm" mb="xs">
            {act.user.name} can no longer act for this organization. Their account stays; they may belong to others.
          </Text>
          <Text size="sm">
            Applications they connected keep working: tokens belong to the organization. To end one, revoke it under
            Connected apps.
          </Text>
        </Confirm>
      )}
    </Page>
  )
}
