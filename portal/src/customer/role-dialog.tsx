import { ActionIcon, Group, ScrollArea, Select, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, useEtag, useRead } from '../api/api.tsx'
import type { RoleInSpace } from '../api/organization.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Loaded } from '../components/page/page.tsx'
import { roleMeanings, roleNames } from './access-text.ts'

type Role = RoleInSpace['role']

interface Holder {
  kind: 'user' | 'group'
  id: string
  name: string
}

interface EditRolesProps {
  holder: Holder
  onClose: () => void
}

const listOf = { user: 'users', group: 'groups' } as const

/** What a user or a group may do, and where. */
export function EditRoles({ holder, onClose }: EditRolesProps) {
  const list = listOf[holder.kind]
  const roles = useRead(`GET /core/v1/organization/${list}/{id}/roles`, { id: holder.id })
  const etag = useEtag(`GET /core/v1/organization/${list}/{id}/roles`, { id: holder.id })
  if (roles.data && etag !== undefined)
    return <RolesForm holder={holder} roles={roles.data.roles} etag={etag} onClose={onClose} />
  return (
    <Dialog onClose={onClose} title={`Roles of ${holder.name}`}>
      <Loaded of={roles}>{() => null}</Loaded>
    </Dialog>
  )
}

interface Place {
  role: Role
  space_id: string | null
  /** `Oslo / Ground floor`, or `Everywhere`. */
  name: string
}

const everywhere = { value: 'everywhere', label: 'Everywhere' }
const roleChoices = Object.entries(roleNames).map(([value, label]) => ({ value, label }))

function RolesForm({ holder, roles, etag, onClose }: EditRolesProps & { roles: RoleInSpace[]; etag: string }) {
  const api = useApi()
  const form = useForm({
    initialValues: {
      roles: roles.map(
        ({ role, space_id, space_path }): Place => ({
          role,
          space_id,
          name: space_id ? space_path.join(' / ') : everywhere.label,
        }),
      ),
    },
  })
  const places = form.values.roles
  const set = (next: Place[]) => form.setFieldValue('roles', next)
  const save = useChange({
    run: () =>
      api.send(`PUT /core/v1/organization/${listOf[holder.kind]}/{id}/roles`, {
        id: holder.id,
        body: { roles: places.map(({ role, space_id }) => ({ role, space_id })) },
        etag,
      }),
    invalidates: [
      'GET /core/v1/organization/users',
      'GET /core/v1/organization/second-factors',
      'GET /core/v1/organization/groups',
      'GET /core/v1/organization/access',
    ],
    done: () => {
      onClose()
      return `Roles of ${holder.name} saved.`
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title={`Roles of ${holder.name}`} verb="Save" change={save} onClose={onClose}>
      <Text size="sm" c="dimmed">
        {holder.kind === 'group' ? 'Every member of the group has them. ' : ''}A role counts in its space and everything
        below it.
      </Text>
      {places.length > 0 ? <Places places={places} onChange={set} /> : <Text size="sm">No roles yet.</Text>}
      <AddRole
        // Anew with each, so that the field is empty for the next.
        key={places.length}
        taken={places}
        onAdd={(place) => set([...places, place])}
        error={form.errors.roles}
      />
    </FormDialog>
  )
}

function Places({ places, onChange }: { places: Place[]; onChange: (places: Place[]) => void }) {
  return (
    <ScrollArea.Autosize mah={320} type="auto" offsetScrollbars="present">
      <Stack gap={6} component="ul" className="plain-list" aria-label="Roles">
        {places.map((place, index) => (
          <Group key={place.space_id ?? everywhere.value} component="li" wrap="nowrap" gap="xs">
            <Text size="sm" style={{ flex: 1, overflowWrap: 'anywhere' }}>
              {place.name}
            </Text>
            <Select
              aria-label={`Role in ${place.name}`}
              data={roleChoices}
              value={place.role}
              allowDeselect={false}
              onChange={(role) => role && onChange(places.with(index, { ...place, role: role as Role }))}
              size="xs"
              w={110}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove the role in ${place.name}`}
              onClick={() => onChange(places.toSpliced(index, 1))}
            >
              <Icon name="close" size={14} />
            </ActionIcon>
          </Group>
        ))}
      </Stack>
    </ScrollArea.Autosize>
  )
}

interface AddRoleProps {
  taken: Place[]
  onAdd: (place: Place) => void
  error: React.ReactNode
}

/** First the role, then the space, which adds it. */
function AddRole({ taken, onAdd, error }: AddRoleProps) {
  const [role, setRole] = useState<Role>(taken.at(-1)?.role ?? 'viewer')
  const isTaken = (id: string | null) => taken.some(({ space_id }) => space_id === id)
  const add = (value: string | null, name: string) => {
    const space_id = value === everywhere.value ? null : value
    if (value !== null && !isTaken(space_id)) onAdd({ role, space_id, name })
  }
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <Select
        label="Add a role"
        description={roleMeanings[role]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={roleChoices}
        value={role}
        allowDeselect={false}
        onChange={(value) => value && setRole(value as Role)}
        w={150}
        style={{ flexShrink: 0 }}
      />
      <SpacePicker
        label="in the space"
        placeholder="Choose a space"
        first={isTaken(null) ? [] : [everywhere]}
        value={null}
        onChange={(value, option) => add(value, option?.label ?? '')}
        error={error}
        style={{ flex: 1, minWidth: 0 }}
      />
    </Group>
  )
}
