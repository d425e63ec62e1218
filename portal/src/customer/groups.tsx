import { Anchor, Button, Menu, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAll, useApi, useChange, usePages } from '../api/api.tsx'
import type { Group, User } from '../api/organization.ts'
import { Confirm, Dialog } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { Empty } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, SearchFilter, useFilters } from '../components/table/filters.tsx'
import { ListPage } from '../components/table/list-page.tsx'
import { DataTable } from '../components/table/table.tsx'
import { EditRoles } from './role-dialog.tsx'

export function Groups() {
  const [dialog, setDialog] = useState<{ kind: 'members' | 'roles' | 'rename' | 'remove'; group: Group } | null>(null)
  const onClose = () => setDialog(null)
  const filters = useFilters('search')
  const { search } = filters.values
  return (
    <ListPage
      title="Groups"
      about="A group can limit who may sign in to a connected app, and give its members roles in spaces."
      list={usePages('GET /core/v1/organization/groups', { search })}
      listKey={JSON.stringify(filters.values)}
      filters={<SearchFilter filters={filters} name="search" label="Search groups" placeholder="Search by name" />}
      noMatch={
        search ? (
          <NoMatch title="No group found" onClear={filters.clear}>
            No group has this name.
          </NoMatch>
        ) : undefined
      }
      unit="group"
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Name',
          cell: (group) => (
            <Anchor
              component="button"
              type="button"
              size="sm"
              fw={500}
              ta="left"
              onClick={() => setDialog({ kind: 'members', group })}
            >
              {group.name}
            </Anchor>
          ),
        },
        { label: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
        {
          label: 'Actions',
          actions: true,
          cell: (group) => (
            <ActionMenu label={`Actions for ${group.name}`}>
              <Menu.Item onClick={() => setDialog({ kind: 'members', group })}>Show members</Menu.Item>
              <Menu.Item onClick={() => setDialog({ kind: 'roles', group })}>Edit roles</Menu.Item>
              <Menu.Item onClick={() => setDialog({ kind: 'rename', group })}>Rename</Menu.Item>
              <Menu.Item c="var(--mantine-color-error)" onClick={() => setDialog({ kind: 'remove', group })}>
                Delete
              </Menu.Item>
            </ActionMenu>
          ),
        },
      ]}
      create={{ verb: 'New group', Dialog: NameGroup }}
      empty={{
        icon: 'people',
        title: 'No groups yet',
        hint: 'Create a group, such as “Facility team”, limit a connected app to it, or give it a role in a space.',
      }}
    >
      {dialog?.kind === 'members' && <Members group={dialog.group} onClose={onClose} />}
      {dialog?.kind === 'roles' && <EditRoles holder={{ ...dialog.group, kind: 'group' }} onClose={onClose} />}
      {dialog?.kind === 'rename' && <NameGroup group={dialog.group} onClose={onClose} />}
      {dialog?.kind === 'remove' && <RemoveGroup group={dialog.group} onClose={onClose} />}
    </ListPage>
  )
}

/** Creates a group, or renames the given one. */
function NameGroup({ group, onClose }: { group?: Group; onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { name: group?.name ?? '' } })
  const save = useChange({
    run: () =>
      group
        ? api.send('PATCH /core/v1/organization/groups/{id}', { id: group.id, body: form.values })
        : api.send('POST /core/v1/organization/groups', { body: form.values }),
    invalidates: [
      'GET /core/v1/organization/groups',
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
      'GET /core/v1/organization/info',
    ],
    done: onClose,
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title={group ? `Rename ${group.name}` : 'New group'}
      verb={group ? 'Rename' : 'Create group'}
      change={save}
      onClose={onClose}
    >
      <TextInput label="Name" {...form.getInputProps('name')} required data-autofocus />
    </FormDialog>
  )
}

function RemoveGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () => api.send('DELETE /core/v1/organization/groups/{id}', { id: group.id }),
    invalidates: [
      'GET /core/v1/organization/groups',
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
      'GET /core/v1/organization/info',
    ],
    done: () => `${group.name} deleted.`,
    silent: true,
  })
  return (
    <Confirm
      title={`Delete ${group.name}?`}
      verb="Delete group"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      Its members stay in the organization and lose the roles of the group. A group in use as a sign-in policy of a
      connected app cannot be deleted.
    </Confirm>
  )
}

function Members({ group, onClose }: { group: Group; onClose: () => void }) {
  const api = useApi()
  const list = usePages('GET /core/v1/organization/groups/{id}/members', { id: group.id })
  const users = useAll('GET /core/v1/organization/users')
  const others = users.items.filter(({ id }) => !list.items.some((member) => member.id === id))
  const add = useChange<string>({
    run: (userId) =>
      api.send('PUT /core/v1/organization/groups/{id}/members/{user_id}', { id: group.id, user_id: userId }),
    invalidates: [
      'GET /core/v1/organization/groups',
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
    ],
  })
  const remove = useChange<User>({
    run: (user) =>
      api.send('DELETE /core/v1/organization/groups/{id}/members/{user_id}', { id: group.id, user_id: user.id }),
    invalidates: [
      'GET /core/v1/organization/groups',
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
    ],
    done: (_result, { name }) => `${name} removed from ${group.name}.`,
    undo: (user) =>
      api.send('PUT /core/v1/organization/groups/{id}/members/{user_id}', { id: group.id, user_id: user.id }),
  })
  return (
    <Dialog onClose={onClose} title={`Members of ${group.name}`}>
      <Stack gap="sm">
        <Select
          label="Add a person"
          placeholder={others.length > 0 ? 'Choose a person' : 'Everyone is a member'}
          data={others.map(({ id, name, email }) => ({ value: id, label: `${name}, ${email}` }))}
          value={null}
          onChange={(id) => id && add.mutate(id)}
          disabled={others.length === 0}
          searchable
        />
        <DataTable
          list={list}
          label={`Members of ${group.name}`}
          unit="member"
          rowKey={({ id }) => id}
          columns={[
            { label: 'Name', cell: ({ name }) => name },
            {
              label: 'Actions',
              actions: true,
              cell: (user) => (
                <Button size="compact-xs" variant="default" onClick={() => remove.mutate(user)}>
                  Remove
                </Button>
              ),
            },
          ]}
          empty={
            <Empty icon="people" title="No members yet">
              Choose the first person above.
            </Empty>
          }
        />
      </Stack>
    </Dialog>
  )
}
