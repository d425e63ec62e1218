import {
  Badge,
  Button,
  Code,
  Group,
  Menu,
  Paper,
  Pill,
  Stack,
  Table,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../../api/api.tsx'
import type { AuditEvent } from '../../api/organization.ts'
import { Copied } from '../page/copy.tsx'
import { Icon } from '../page/icon.tsx'
import { Empty, Fact, Page } from '../page/page.tsx'
import { When } from '../page/when.tsx'
import { NoMatch, SelectFilter, useFilters } from '../table/filters.tsx'
import { LoadedList, LoadMore } from '../table/list.tsx'
import { groupEvents } from './audit-groups.ts'
import { type EventType, eventTitle, type Names, type Reader } from './audit-sentences.ts'
import { actorName, EventSentence } from './event-sentence.tsx'

const accessEnded = /revoked|disabled|withdrawn|removed/
const alarming = /replayed|reused/

interface AuditLogProps {
  /** Those that this reader's log can have. */
  types: readonly EventType[]
  about: string
  readerOf: (names: Names) => Reader
}

export function AuditLog({ types, about, readerOf }: AuditLogProps) {
  const filters = useFilters('type', 'actor_id', 'device_id', 'application_id', 'since', 'until')
  const { since, until, ...values } = filters.values
  const query = { ...values, since: dayStart(since), until: dayStart(until, 1) }
  const { kind } = useApi()
  const list = usePages(`GET /core/v1/${kind}/audit-events`, query)
  const pages = list.data?.pages ?? []
  const reader = readerOf(Object.assign({}, ...pages.map(({ names }) => names)))
  const subject = values.device_id ?? values.application_id
  return (
    <Page title="Audit log" about={about} actions={<ExportMenu filter={query} />}>
      <Group gap="xs" align="flex-start">
        <SelectFilter
          filters={filters}
          name="type"
          label="Event type"
          placeholder="All event types"
          data={types.map((value) => ({ value, label: eventTitle(value) })).sort(byLabel)}
          w={200}
        />
        {reader.byActor !== false && <ActorFilter filters={filters} events={list.items} reader={reader} />}
        <DayFilter filters={filters} name="since" label="From" />
        <DayFilter filters={filters} name="until" label="To" />
        {subject && (
          <Pill
            size="md"
            withRemoveButton
            removeButtonProps={{ 'aria-label': 'Show all devices and applications' }}
            onRemove={() => filters.set(values.device_id ? 'device_id' : 'application_id', null)}
          >
            {reader.names[subject] ?? `${values.device_id ? 'Device' : 'Application'} ${subject.slice(0, 8)}…`}
          </Pill>
        )}
      </Group>
      <Paper withBorder>
        <LoadedList
          list={list}
          empty={
            filters.any ? (
              <NoMatch title="No matching events" onClear={filters.clear}>
                Choose other filters.
              </NoMatch>
            ) : (
              <Empty icon="log" title="No events yet">
                Every change to a grant, approval, application, secret, key or device is recorded here. Nobody can edit
                the log.
              </Empty>
            )
          }
        >
          {(events) => (
            <Table aria-label="Audit log">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Event</Table.Th>
                  <Table.Th w="1%">Time</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {groupEvents(events).map((group, index, groups) =>
                  group.length === 1 ? (
                    <EventRows key={group[0]!.id} event={group[0]!} reader={reader} filters={filters} />
                  ) : (
                    <GroupRows
                      key={group[0]!.id}
                      events={group}
                      // More of the last one may be on the next page.
                      more={index === groups.length - 1 && list.hasNextPage}
                      reader={reader}
                      filters={filters}
                    />
                  ),
                )}
              </Table.Tbody>
            </Table>
          )}
        </LoadedList>
        <LoadMore list={list}>Show older</LoadMore>
      </Paper>
    </Page>
  )
}

/** Those of the loaded events, and, once it was opened, the people who may have acted earlier. */
function ActorFilter({ filters, events, reader }: { filters: AuditFilters; events: AuditEvent[]; reader: Reader }) {
  const [opened, { open }] = useDisclosure()
  const people = usePages('GET /core/v1/organization/users', {}, { enabled: opened && reader.people === true })
  const actors = new Map(people.items.map(({ id, name }) => [id, name]))
  for (const { actor } of events) if (actor.id) actors.set(actor.id, actorName(actor, reader.names))
  const chosen = filters.values.actor_id
  if (chosen && !actors.has(chosen)) actors.set(chosen, reader.names[chosen] ?? chosen)
  return (
    <SelectFilter
      filters={filters}
      name="actor_id"
      label="Actor"
      placeholder="Anyone"
      data={[...actors].map(([value, label]) => ({ value, label })).sort(byLabel)}
      onDropdownOpen={open}
      w={170}
    />
  )
}

function byLabel(one: { label: string }, other: { label: string }): number {
  return one.label.localeCompare(other.label, 'en')
}

/** Midnight here of a day such as 2026-11-21, as an instant; what is no day filters nothing. */
function dayStart(day: string | null, daysLater = 0): string | null {
  const date = new Date(`${day}T00:00`)
  if (day === null || Number.isNaN(date.getTime())) return null
  date.setDate(date.getDate() + daysLater)
  return date.getFullYear() > 9_999 ? null : date.toISOString()
}

const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && dayStart(text) !== null

type AuditFilters = ReturnType<
  typeof useFilters<'type' | 'actor_id' | 'device_id' | 'application_id' | 'since' | 'until'>
>

/** Plain text: a browser's own date field follows the browser's language, not that of the page. */
function DayFilter({ filters, name, label }: { filters: AuditFilters; name: 'since' | 'until'; label: string }) {
  const chosen = filters.values[name] ?? ''
  const [typed, setTyped] = useState(chosen)
  const [before, setBefore] = useState(chosen)
  if (chosen !== before) {
    setBefore(chosen)
    setTyped(chosen)
  }
  const choose = (text: string) => {
    setTyped(text)
    const day = text.trim()
    if (day !== '' && !isDay(day)) return
    setBefore(day)
    filters.set(name, day || null)
  }
  return (
    <TextInput
      placeholder="YYYY-MM-DD"
      maxLength={10}
      aria-label={`${label}, as YYYY-MM-DD`}
      error={typed.length === 10 && !isDay(typed) && 'No such date'}
      leftSection={
        <Text size="xs" c="dimmed">
          {label}
        </Text>
      }
      leftSectionWidth={48}
      value={typed}
      onChange={(event) => choose(event.currentTarget.value)}
      className="filter"
      w={160}
    />
  )
}

/** Exports what the filter shows. */
function ExportMenu({ filter }: { filter: Record<string, string | null> }) {
  const api = useApi()
  const save = useChange<'csv' | 'jsonl'>({
    run: (format) => api.save(`GET /core/v1/${api.kind}/audit-events.${format}`, filter),
  })
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" loading={save.isPending}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save.mutate('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => save.mutate('jsonl')}>JSON lines</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

interface RowsProps {
  event: AuditEvent
  reader: Reader
  filters: AuditFilters
}

/** A row that opens to show the details. */
function EventRows({ event, reader, filters }: RowsProps) {
  const [opened, { toggle }] = useDisclosure()
  return (
    <>
      <EventRow {...{ event, reader, opened, toggle }} />
      {opened && (
        <Table.Tr>
          <Table.Td colSpan={2}>
            <EventFacts event={event} filters={filters} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

interface GroupProps extends Omit<RowsProps, 'event'> {
  events: AuditEvent[]
  more: boolean
}

/** One row for many events of one act, that opens to show each of them. */
function GroupRows({ events, more, reader, filters }: GroupProps) {
  const [opened, { toggle }] = useDisclosure()
  const count = `${events.length.toLocaleString('en')}${more ? '+' : ''}`
  return (
    <>
      <EventRow event={events[0]!} {...{ reader, count, opened, toggle }} />
      {opened && events.map((event) => <EventRows key={event.id} {...{ event, reader, filters }} />)}
    </>
  )
}

interface EventRowProps extends Omit<RowsProps, 'filters'> {
  count?: string
  opened: boolean
  toggle: () => void
}

function EventRow({ event, reader, count, opened, toggle }: EventRowProps) {
  return (
    <Table.Tr>
      <Table.Td>
        <UnstyledButton onClick={toggle} aria-expanded={opened} mih={24}>
          <Group gap={6} wrap="nowrap">
            <Icon name={opened ? 'down' : 'right'} size={12} />
            <Text size="xs" c="dimmed">
              {eventTitle(event.type)}
            </Text>
            {count && (
              <Badge size="xs" color="gray">
                {count} events
              </Badge>
            )}
            {accessEnded.test(event.type) && (
              <Badge size="xs" color="gray" visibleFrom="xs">
                Access ended
              </Badge>
            )}
            {alarming.test(event.type) && (
              <Badge size="xs" color="red" visibleFrom="xs">
                Security
              </Badge>
            )}
          </Group>
        </UnstyledButton>
        <div style={{ paddingLeft: 18 }}>
          <EventSentence event={event} reader={reader} count={count} />
        </div>
      </Table.Td>
      <Table.Td className="one-line" style={{ verticalAlign: 'top' }}>
        <When at={event.at} />
      </Table.Td>
    </Table.Tr>
  )
}

function EventFacts({ event, filters }: { event: AuditEvent; filters: AuditFilters }) {
  const { device_id, application_id } = event
  const facts: [string, string | null | undefined][] = [
    ['Event', event.id],
    ['Actor', event.actor.id],
    ['Partner', event.partner_id],
    ['Application', application_id],
    ['Customer', event.customer_id],
    ['Device', device_id],
  ]
  return (
    <Stack gap="xs" pl="md" align="flex-start">
      <Group gap="lg" align="flex-start">
        {facts.map(([label, value]) =>
          value ? (
            <Fact key={label} label={label}>
              <Copied value={value} />
            </Fact>
          ) : null,
        )}
      </Group>
      {Object.keys(event.details ?? {}).length > 0 && <Code block>{JSON.stringify(event.details, null, 2)}</Code>}
      <Group gap="xs">
        {device_id && (
          <Button size="compact-xs" variant="default" onClick={() => filters.set('device_id', device_id)}>
            All events of this device
          </Button>
        )}
        {application_id && (
          <Button size="compact-xs" variant="default" onClick={() => filters.set('application_id', application_id)}>
            All events of this application
          </Button>
        )}
      </Group>
    </Stack>
  )
}
