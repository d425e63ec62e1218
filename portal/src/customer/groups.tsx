import { Anchor, Button, Menu, Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Group, User } from '../api/organization.ts'
import { ActsMenu } from '../components/acts-menu.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { ListPage } from '../components/list-page.tsx'
import { ListTable } from '../components/list-table.tsx'
import { Empty } from '../components/page.tsx'
import { When } from '../components/when.tsx'

export function Groups() {
  const [act, setAct] = useState<{ kind: 'people' | 'rename' | 'remove'; group: Group } | null>(null)
  const onClose = () => setAct(null)
  return (
    <ListPage
      title="Groups"
      about="A group of people can be all a connected app lets in: see the app’s sign-in policy."
      list={usePages<Group>('/groups')}
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
              onClick={() => setAct({ kind: 'people', group })}
            >
              {group.name}
            </Anchor>
          ),
        },
        { label: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
        {
          label: 'Actions',
          acts: true,
          cell: (group) => (
            <ActsMenu label={`Actions for ${group.name}`}>
              <Menu.Item onClick={() => setAct({ kind: 'people', group })}>Show its people</Menu.Item>
              <Menu.Item onClick={() => setAct({ kind: 'rename', group })}>Rename</Menu.Item>
              <Menu.Item c="var(--mantine-color-error)" onClick={() => setAct({ kind: 'remove', group })}>
                Delete
              </Menu.Item>
            </ActsMenu>
          ),
        },
      ]}
      create={{ verb: 'New group', Dialog: NameGroup }}
      empty={{
        icon: 'people',
        title: 'No groups yet',
        teaches: 'Make one, for instance “Facility team”, and narrow a connected app to it.',
      }}
    >
      {act?.kind === 'people' && <People group={act.group} onClose={onClose} />}
      {act?.kind === 'rename' && <NameGroup group={act.group} onClose={onClose} />}
      {act?.kind === 'remove' && <RemoveGroup group={act.group} onClose={onClose} />}
    </ListPage>
  )
}

/** A new group, or a known one by another name. */
function NameGroup({ group, onClose }: { group?: Group; onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ name: group?.name ?? '' })
  const save = useChange({
    run: () => (group ? api.patch(`/groups/${group.id}`, form) : api.post('/groups', form)),
    touches: ['/groups', '/users', '/info'],
    done: onClose,
    quiet: true,
  })
  const field = fieldsOf(save.error)
  return (
    <FormDialog
      title={group ? `Rename ${group.name}` : 'New group'}
      verb={group ? 'Rename' : 'Create group'}
      change={save}
      onClose={onClose}
    >
      <TextInput label="Name" {...field('name')} required data-autofocus />
    </FormDialog>
  )
}

function RemoveGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () => api.remove(`/groups/${group.id}`),
    touches: ['/groups', '/users', '/info'],
    done: () => `${group.name} was deleted.`,
    quiet: true,
  })
  return (
    <Confirm
      title={`Delete ${group.name}?`}
      verb="Delete group"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      Its people stay. A group that is a connected app’s sign-in policy cannot be deleted before that policy is changed.
    </Confirm>
  )
}

function People({ group, onClose }: { group: Group; onClose: () => void }) {
  const api = useApi()
  const path = `/groups/${group.id}/members`
  const list = usePages<User>(path)
  const users = usePages<User>('/users')
  const others = users.items.filter(({ id }) => !list.items.some((member) => member.id === id))
  const add = useChange<string>({
    run: (userId) => api.put(`${path}/${userId}`),
    touches: ['/groups', '/users'],
  })
  const takeOut = useChange<User>({
    run: (user) => api.remove(`${path}/${user.id}`),
    touches: ['/groups', '/users'],
    done: (_answer, { name }) => `${name} is no longer in ${group.name}.`,
    undo: (user) => api.put(`${path}/${user.id}`),
  })
  return (
    <Dialog onClose={onClose} title={group.name}>
      <Stack gap="sm">
        <Select
          label="Add a person"
          placeholder={others.length > 0 ? 'Choose one' : 'Everyone is in it'}
          data={others.map(({ id, name, email }) => ({ value: id, label: `${name}, ${email}` }))}
          value={null}
          onChange={(id) => id && add.mutate(id)}
          disabled={others.length === 0}
          searchable
        />
        <ListTable
          list={list}
          label={`People in ${group.name}`}
          rowKey={({ id }) => id}
          columns={[
            { label: 'Name', cell: ({ name }) => name },
            {
              label: 'Actions',
              acts: true,
              cell: (user) => (
                <Button size="compact-xs" variant="default" onClick={() => takeOut.mutate(user)}>
                  Take out
                </Button>
              ),
            },
          ]}
          empty={
            <Empty icon="people" title="Nobody is in it">
              Choose the first person above.
            </Empty>
          }
        />
      </Stack>
    </Dialog>
  )
}
