import { Badge, Group, Menu, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { type Change, useApi, useChange, usePages } from '../api/api.tsx'
import type { User } from '../api/organization.ts'
import { useSession } from '../api/session.tsx'
import { EndSessions } from '../components/account/end-sessions.tsx'
import { InvitationTable } from '../components/account/invitations.tsx'
import { ResetPassword } from '../components/account/reset-password.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { Email } from '../components/page/email.tsx'
import { Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, SearchFilter, SelectFilter, useFilters } from '../components/table/filters.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { EditRoles } from './role-dialog.tsx'
import { FactorOf, factorChoices, MissingFactors, ResetFactors, type UserWithFactor } from './second-factors.tsx'
import { InviteUser, RemoveUser, UserGroups } from './user-dialogs.tsx'

export function Users() {
  const api = useApi()
  const { customerId } = useParams()
  const { data: session } = useSession()
  const [dialog, setDialog] = useState<{
    kind: 'remove' | 'roles' | 'groups' | 'reset' | 'factors' | 'sessions' | 'demote' | 'deactivate'
    user: UserWithFactor
  } | null>(null)
  const onClose = () => setDialog(null)
  const isYou = (user: User) => user.id === session?.user.id
  const change: Change<{ user: User; changes: Partial<Pick<User, 'role' | 'active' | 'can_view_devices'>> }, unknown> =
    {
      run: ({ user, changes }) => api.send('PATCH /core/v1/organization/users/{id}', { id: user.id, body: changes }),
      invalidates: [
        'GET /core/v1/organization/users',
        'GET /core/v1/organization/second-factors',
        'GET /core/v1/organization/invitations',
      ],
      optimistic: ({ user, changes }) => ({
        list: 'GET /core/v1/organization/second-factors/users',
        id: user.id,
        changes,
      }),
      undo: ({ user }, etag) =>
        api.send('PATCH /core/v1/organization/users/{id}', {
          id: user.id,
          body: { role: user.role, active: user.active, can_view_devices: user.can_view_devices },
          etag,
        }),
      givesUpAccess: ({ user }) => isYou(user),
      done: (_result, { user, changes }) => {
        if (changes.role)
          return `${user.name} is now ${changes.role === 'administrator' ? 'an administrator' : 'a member'}.`
        if (changes.can_view_devices !== undefined)
          return `${user.name} can ${changes.can_view_devices ? 'now' : 'no longer'} view devices.`
        return `${user.name} ${changes.active ? 'activated' : 'deactivated'}.`
      },
    }
  const update = useChange(change)
  const updateMyself = useChange({ ...change, silent: true })
  const changeRole = (user: UserWithFactor) => {
    if (user.role === 'administrator' && isYou(user)) return setDialog({ kind: 'demote', user })
    update.mutate({ user, changes: { role: user.role === 'member' ? 'administrator' : 'member' } })
  }
  const changeActive = (user: UserWithFactor) => {
    if (user.active && isYou(user)) return setDialog({ kind: 'deactivate', user })
    update.mutate({ user, changes: { active: !user.active } })
  }
  const filters = useFilters('search', 'sort', 'second_factor')
  const { search, sort, second_factor } = filters.values
  return (
    <ListPage
      title="Users"
      about="Administrators manage this organization and approve applications. Members connect approved applications, and see or manage what their roles allow."
      list={usePages('GET /core/v1/organization/second-factors/users', { search, sort, second_factor })}
      listKey={JSON.stringify(filters.values)}
      sorting={{ value: sort, set: (value) => filters.set('sort', value, { replace: true }) }}
      filters={
        <>
          <SearchFilter filters={filters} name="search" label="Search users" placeholder="Search by name or email" />
          <SelectFilter
            filters={filters}
            name="second_factor"
            label="Second factor"
            placeholder="Any second factor"
            data={factorChoices}
            w={220}
          />
        </>
      }
      noMatch={
        search || second_factor ? (
          <NoMatch title="Nobody found" onClear={filters.clear}>
            {second_factor ? 'No user matches these filters.' : 'No user has this name or email.'}
          </NoMatch>
        ) : undefined
      }
      unit="user"
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', sort: 'name', cell: (user) => <Person user={user} you={isYou(user)} /> },
        { label: 'Role', sort: 'role', cell: roleText },
        { label: 'Second factor', wide: true, cell: (user) => <FactorOf user={user} /> },
        { label: 'Joined', sort: 'created_at', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
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
          actions: true,
          cell: (user) => (
            <ActionMenu label={`Actions for ${user.name}`}>
              <Menu.Item onClick={() => changeRole(user)}>
                {user.role === 'member' ? 'Make administrator' : 'Make member'}
              </Menu.Item>
              {user.role === 'member' && (
                <Menu.Item
                  onClick={() => update.mutate({ user, changes: { can_view_devices: !user.can_view_devices } })}
                >
                  {user.can_view_devices ? 'Disallow viewing devices' : 'Allow viewing devices'}
                </Menu.Item>
              )}
              {user.role === 'member' && (
                <Menu.Item onClick={() => setDialog({ kind: 'roles', user })}>Edit roles</Menu.Item>
              )}
              <Menu.Item onClick={() => setDialog({ kind: 'groups', user })}>Edit groups</Menu.Item>
              <Menu.Item component={Link} to={`/customer/${customerId}/access?user_id=${user.id}`}>
                Show access
              </Menu.Item>
              <Menu.Item onClick={() => setDialog({ kind: 'reset', user })}>Reset password</Menu.Item>
              {(user.second_factor_reset || (user.second_factor && !isYou(user))) && (
                <Menu.Item onClick={() => setDialog({ kind: 'factors', user })}>Reset second factors</Menu.Item>
              )}
              {!isYou(user) && (
                <Menu.Item onClick={() => setDialog({ kind: 'sessions', user })}>Sign out everywhere</Menu.Item>
              )}
              <Menu.Item onClick={() => changeActive(user)}>{user.active ? 'Deactivate' : 'Activate'}</Menu.Item>
              <Menu.Divider />
              <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog({ kind: 'remove', user })}>
                Remove from organization
              </Menu.Item>
            </ActionMenu>
          ),
        },
      ]}
      create={{ verb: 'Invite user', Dialog: InviteUser }}
      empty={{
        icon: 'people',
        title: 'No users yet',
        hint: 'Invite the people who connect applications or manage devices.',
      }}
    >
      <MissingFactors onShow={() => filters.set('second_factor', 'missing')} />
      <PendingInvitations />
      {dialog?.kind === 'roles' && <EditRoles holder={{ ...dialog.user, kind: 'user' }} onClose={onClose} />}
      {dialog?.kind === 'groups' && <UserGroups user={dialog.user} onClose={onClose} />}
      {dialog?.kind === 'reset' && (
        <ResetPassword
          user={dialog.user}
          earlier=", or earlier if you are no longer an administrator here"
          onClose={onClose}
        />
      )}
      {dialog?.kind === 'sessions' && <EndSessions user={dialog.user} onClose={onClose} />}
      {dialog?.kind === 'factors' && <ResetFactors user={dialog.user} onClose={onClose} />}
      {dialog?.kind === 'demote' && (
        <Confirm
          title="Make yourself a member?"
          verb="Make me a member"
          onConfirm={() => updateMyself.mutateAsync({ user: dialog.user, changes: { role: 'member' } })}
          onClose={onClose}
        >
          You will no longer see or change this organization’s devices, people and settings, starting now. You cannot
          undo this yourself: only another administrator can make you an administrator again.
        </Confirm>
      )}
      {dialog?.kind === 'deactivate' && (
        <Confirm
          title="Deactivate yourself?"
          verb="Deactivate me"
          onConfirm={() => updateMyself.mutateAsync({ user: dialog.user, changes: { active: false } })}
          onClose={onClose}
        >
          You lose access to this organization, starting now. You cannot undo this yourself: only another administrator
          can activate you again.
        </Confirm>
      )}
      {dialog?.kind === 'remove' && <RemoveUser user={dialog.user} onClose={onClose} />}
    </ListPage>
  )
}

function roleText({ role, can_view_devices }: Pick<User, 'role' | 'can_view_devices'>): string {
  if (role === 'administrator') return 'Administrator'
  return can_view_devices ? 'Member, views devices' : 'Member'
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
        <Email address={email} />
      </Text>
    </>
  )
}

function PendingInvitations() {
  const list = usePages('GET /core/v1/organization/invitations')
  if (list.items.length === 0) return null
  return (
    <Panel title="Pending invitations">
      <InvitationTable list={list} more={[{ label: 'Role', wide: true, cell: roleText }]} />
    </Panel>
  )
}
