import { ActionIcon, Button, Menu, Modal, Group as Row, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { Group, User } from '../api/organization.ts'
import { Confirm } from '../parts/confirm.tsx'
import { FormFailure, fieldErrors } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { ListTable } from '../parts/list-table.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'

export function Groups() {
  const api = useApi()
  const list = usePages<Group>('/groups')
  const [naming, setNaming] = useState<Group | 'new' | null>(null)
  const [removing, setRemoving] = useState<Group | null>(null)
  const [opened, setOpened] = useState<Group | null>(null)
  const remove = useChange<Group>({
    run: (group) => api.remove(`/groups/${group.id}`),
    touches: ['/groups', '/users', '/info'],
    done: (_answer, { name }) => `${name} was deleted.`,
    quiet: true,
  })
  const create = (
    <Button leftSection={<Icon name="add" />} onClick={() => setNaming('new')}>
      New group
    </Button>
  )
  return (
    <Page
      title="Groups"
      about="A group of people can be all a connected app lets in: see the app’s sign-in policy."
      actions={create}
    >
      <ListTable
        list={list}
        label="Groups"
        rowKey={({ id }) => id}
        columns={[
          {
            label: 'Name',
            cell: (group) => (
              <Button variant="transparent" size="compact-sm" p={0} onClick={() => setOpened(group)}>
                {group.name}
              </Button>
            ),
          },
          { label: 'Created', cell: ({ created_at }) => <When at={created_at} /> },
          {
            label: 'Actions',
            hidden: true,
            align: 'right',
            width: 50,
            cell: (group) => (
              <Menu position="bottom-end">
                <Menu.Target>
                  <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${group.name}`}>
                    <Icon name="dots" />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item onClick={() => setOpened(group)}>Show its people</Menu.Item>
                  <Menu.Item onClick={() => setNaming(group)}>Rename</Menu.Item>
                  <Menu.Item color="red" onClick={() => setRemoving(group)}>
                    Delete
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            ),
          },
        ]}
        empty={
          <Empty icon="people" title="No groups yet" action={create}>
            Make one, for instance “Facility team”, and narrow a connected app to it.
          </Empty>
        }
      />
      {naming && <NameGroup group={naming === 'new' ? null : naming} onClose={() => setNaming(null)} />}
      {opened && <Members group={opened} onClose={() => setOpened(null)} />}
      {removing && (
        <Confirm
          title={`Delete ${removing.name}?`}
          verb="Delete group"
          onConfirm={() => remove.mutateAsync(removing)}
          onClose={() => setRemoving(null)}
        >
          Its people stay. A group that is a connected app’s sign-in policy cannot be deleted before that policy is
          changed.
        </Confirm>
      )}
    </Page>
  )
}

function NameGroup({ group, onClose }: { group: Group | null; onClose: () => void }) {
  const api = useApi()
  const [name, setName] = useState(group?.name ?? '')
  const save = useChange({
    run: () => (group ? api.patch(`/groups/${group.id}`, { name }) : api.post('/groups', { name })),
    touches: ['/groups', '/users', '/info'],
    done: () => {
      onClose()
      return null
    },
    quiet: true,
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={group ? `Rename ${group.name}` : 'New group'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldErrors(save.error).name}
            required
            data-autofocus
          />
          <FormFailure error={save.error} />
          <Button type="submit" loading={save.isPending}>
            {group ? 'Rename' : 'Create group'}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

function Members({ group, onClose }: { group: Group; onClose: () => void }) {
  const api = useApi()
  const path = `/groups/${group.id}/members`
  const list = usePages<User>(path)
  const take = useChange<User>({
    run: (user) => api.remove(`${path}/${user.id}`),
    touches: ['/groups', '/users'],
    done: (_answer, { name }) => `${name} is no longer in ${group.name}.`,
  })
  return (
    <Modal opened onClose={onClose} title={group.name} closeButtonProps={{ 'aria-label': 'Close' }}>
      <ListTable
        list={list}
        label={`People in ${group.name}`}
        rowKey={({ id }) => id}
        columns={[
          { label: 'Name', cell: ({ name }) => name },
          {
            label: 'Actions',
            hidden: true,
            align: 'right',
            cell: (user) => (
              <Row justify="flex-end">
                <Button size="compact-xs" variant="default" onClick={() => take.mutate(user)}>
                  Take out
                </Button>
              </Row>
            ),
          },
        ]}
        empty={
          <Empty icon="people" title="Nobody is in it">
            Add people under Users → Choose groups.
          </Empty>
        }
      />
    </Modal>
  )
}
