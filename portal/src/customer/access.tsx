import { Anchor, Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import type { Access as AccessOf } from '../api/organization.ts'
import { areaLabels, areas, choicesOf } from '../components/form/permissions.ts'
import { Picker, type PickerProps } from '../components/form/picker.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { Email } from '../components/page/email.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Fact, Loaded, Page, Panel } from '../components/page/page.tsx'
import { NoMatch, PickerFilter, useFilters } from '../components/table/filters.tsx'
import { DataTable } from '../components/table/table.tsx'
import { inactiveText, mayDoBriefly, mayDoText, reasonText, someReasons } from './access-text.ts'
import { EditRoles } from './role-dialog.tsx'

const kinds = [
  { value: 'user', label: 'People', id: 'user_id', unit: 'user' },
  { value: 'application', label: 'Applications', id: 'client_id', unit: 'application' },
  { value: 'api_key', label: 'API keys', id: 'api_key_id', unit: 'API key' },
] as const

type Kind = (typeof kinds)[number]

/** Who may do what, and why: in a space or anywhere, of all or of one. */
export function Access() {
  const filters = useFilters('kind', 'space_id', 'user_id', 'client_id', 'api_key_id')
  const { values } = filters
  const kind = kinds.find(({ id }) => values[id]) ?? kinds.find(({ value }) => value === values.kind) ?? kinds[0]
  const one = values[kind.id]
  const choose = (value: string) =>
    filters.setAll({ kind: value === 'user' ? null : value, user_id: null, client_id: null, api_key_id: null })
  return (
    <Page title="Access" about="Who may do what in this organization, and why." wide>
      <Group gap="xs">
        <SegmentedControl
          aria-label="Whom to list"
          value={kind.value}
          onChange={choose}
          data={kinds.map(({ value, label }) => ({ value, label }))}
        />
        <PickerFilter
          filters={filters}
          name="space_id"
          label="Space"
          placeholder="Any space"
          picker={SpacePicker}
          w={220}
        />
        {kind.value === 'user' && (
          <PickerFilter
            filters={filters}
            name="user_id"
            label="Person"
            placeholder="Anybody"
            picker={PersonPicker}
            w={220}
          />
        )}
        {one && kind.value !== 'user' && (
          <Button variant="default" onClick={() => choose(kind.value)}>
            Show all {kind.label}
          </Button>
        )}
      </Group>
      {one ? (
        <One key={one} kind={kind} id={one} spaceId={values.space_id} />
      ) : (
        <Many kind={kind} spaceId={values.space_id} />
      )}
    </Page>
  )
}

function PersonPicker(props: PickerProps) {
  return (
    <Picker
      {...props}
      useFound={usePeople}
      useOne={usePerson}
      choiceOf={({ id, name, email }) => ({ value: id, label: name, about: email })}
    />
  )
}

function usePeople(search: { limit: number; search: string | undefined }) {
  return usePages('GET /core/v1/organization/users', { ...search, sort: 'name' })
}

function usePerson(id: string, options: { enabled: boolean }) {
  return useRead('GET /core/v1/organization/users/{id}', { id }, options)
}

const emptyTexts: Record<Kind['value'], { title: string; hint: string }> = {
  user: { title: 'Nobody', hint: 'Give a user or a group a role in this space or one above it.' },
  application: { title: 'No application', hint: 'An application appears here once an administrator has approved it.' },
  api_key: { title: 'No API key', hint: 'Create one under Settings.' },
}

function Many({ kind, spaceId }: { kind: Kind; spaceId: string | null }) {
  const { customerId } = useParams()
  const [search, setSearch] = useSearchParams()
  const query = { kind: kind.value, space_id: spaceId ?? undefined }
  const list = usePages('GET /core/v1/organization/access', query)
  const to = ({ id }: AccessOf) => {
    const next = new URLSearchParams(search)
    next.set(kind.id, id)
    return `/customer/${customerId}/access?${next}`
  }
  const { title, hint } = emptyTexts[kind.value]
  return (
    <DataTable
      list={list}
      label={kind.label}
      unit={kind.unit}
      rowKey={({ id }) => id}
      to={to}
      listKey={JSON.stringify(query)}
      below={(access) => <MayDo access={access} />}
      columns={[
        { label: 'Name', cell: (access) => <Holder access={access} />, width: '24%' },
        { label: 'May do', cell: mayDoBriefly, wide: true, width: '38%' },
        { label: 'Why', cell: (access) => <Why access={access} />, wide: true, width: '38%' },
      ]}
      empty={
        spaceId ? (
          <NoMatch title={`${title} has access to this space`} onClear={() => setSearch({})}>
            {hint}
          </NoMatch>
        ) : (
          <Empty icon="shield" title={`${title} yet`}>
            {hint}
          </Empty>
        )
      }
    />
  )
}

function Holder({ access: { name, active, kind } }: { access: AccessOf }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Text span size="sm" fw={500} truncate>
        {name}
      </Text>
      {!active && (
        <Badge size="xs" color="gray" style={{ flexShrink: 0 }}>
          {inactiveText[kind]}
        </Badge>
      )}
    </Group>
  )
}

function MayDo({ access }: { access: AccessOf }) {
  return (
    <>
      <div>{mayDoBriefly(access)}</div>
      <Why access={access} inherit />
    </>
  )
}

function Why({ access, inherit = false }: { access: AccessOf; inherit?: boolean }) {
  const { reasons, more } = someReasons(access, 1)
  return (
    <Text
      {...(inherit ? { inherit } : { size: 'sm' })}
      c="dimmed"
      truncate
      title={access.held.slice(0, 20).map(reasonText).join('\n')}
    >
      {reasons.length === 0 ? 'No role' : reasons.join('; ')}
      {more && `, and ${more}`}
    </Text>
  )
}

function One({ kind, id, spaceId }: { kind: Kind; id: string; spaceId: string | null }) {
  const read = useRead('GET /core/v1/organization/access', { [kind.id]: id, space_id: spaceId ?? undefined })
  return <Loaded of={read}>{({ items }) => <Explained access={items[0]!} there={spaceId !== null} />}</Loaded>
}

function Explained({ access, there }: { access: AccessOf; there: boolean }) {
  const [editing, setEditing] = useState(false)
  const { name, email, kind, id, active, permissions } = access
  const administers = access.held.some(({ by }) => by.kind === 'administrator')
  return (
    <Stack gap="md">
      <Panel
        title={name}
        actions={
          kind === 'user' ? (
            !administers && (
              <Button
                size="xs"
                variant="default"
                leftSection={<Icon name="edit" size={14} />}
                onClick={() => setEditing(true)}
              >
                Edit roles
              </Button>
            )
          ) : (
            <Settings kind={kind} />
          )
        }
      >
        {email && (
          <Text size="sm" c="dimmed" mb="sm">
            <Email address={email} />
          </Text>
        )}
        {!active && (
          <Text size="sm" mb="sm">
            {inactiveText[kind]}: may do nothing, whatever is listed below.
          </Text>
        )}
        <Group gap="xl" className="facts" align="flex-start">
          {areas.map((area) => (
            <Fact key={area} label={areaLabels[area]}>
              {levelText(area, permissions[area])}
            </Fact>
          ))}
          {kind === 'user' && (
            <Fact label="Keys and applications">{permissions.integrations === 'manage' ? 'Manage' : 'No access'}</Fact>
          )}
        </Group>
      </Panel>
      <Panel title={there ? 'Why, in this space' : 'Why'}>
        <Reasons access={access} there={there} />
      </Panel>
      {editing && <EditRoles holder={{ kind: 'user', id, name }} onClose={() => setEditing(false)} />}
    </Stack>
  )
}

function Settings({ kind }: { kind: 'application' | 'api_key' }) {
  const { customerId } = useParams()
  const [to, label] = kind === 'application' ? ['connected-apps', 'Connected apps'] : ['api-keys', 'API keys']
  return (
    <Anchor component={Link} to={`/customer/${customerId}/settings/${to}`} size="sm">
      {label}
    </Anchor>
  )
}

const levelText = (area: (typeof areas)[number], level: string) =>
  choicesOf(area).find(({ value }) => value === level)?.label ?? level

function Reasons({ access, there }: { access: AccessOf; there: boolean }) {
  if (access.held.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {there ? 'Nothing that was given counts in this space.' : 'No role, neither directly nor by a group.'}
      </Text>
    )
  }
  return (
    <Stack gap={8} component="ul" className="plain-list" aria-label="Reasons">
      {access.held.map((held, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same role may come from several groups
        <Group key={index} component="li" justify="space-between" align="flex-start" style={{ gap: '0 16px' }}>
          <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
            {reasonText(held)}
          </Text>
          <Text size="sm" c="dimmed">
            {mayDoText(held)}
          </Text>
        </Group>
      ))}
      {access.more && (
        <Text size="sm" c="dimmed" component="li">
          And more: these are the first 100.
        </Text>
      )}
    </Stack>
  )
}
