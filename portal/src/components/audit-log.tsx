import { Badge, Button, Code, Group, Menu, Paper, Table, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { AuditEvent } from '../api/organization.ts'
import { actorName, eventTitle } from './audit-text.ts'
import { Copied } from './copy.tsx'
import { SelectFilter, useFilters } from './filters.tsx'
import { Icon } from './icon.tsx'
import { LoadedList, LoadMore } from './list.tsx'
import { Empty, Fact, Page } from './page.tsx'
import { When } from './when.tsx'

const accessEnded = /revoked|disabled|withdrawn|removed/
const alarming = /replayed|reused/

interface AuditLogProps {
  types: string[]
  about: string
  /** Names by id, as far as the reader may know them. */
  useNames?: (events: AuditEvent[]) => ReadonlyMap<string, string>
}

const noNames = () => new Map<string, string>()

export function AuditLog({ types, about, useNames = noNames }: AuditLogProps) {
  const filters = useFilters('type')
  const { type } = filters.values
  const list = usePages<AuditEvent>('/audit-events', filters.values)
  const names = useNames(list.items)
  const known = [...new Set([...types, ...list.items.map((event) => event.type), ...(type ? [type] : [])])].sort()
  return (
    <Page title="Audit log" about={about} actions={<ExportMenu filter={filters.values} />}>
      <SelectFilter
        filters={filters}
        name="type"
        label="Event type"
        placeholder="All event types"
        data={known.map((value) => ({ value, label: eventTitle(value) }))}
        w={320}
      />
      <Paper withBorder>
        <LoadedList
          list={list}
          empty={
            <Empty icon="log" title={type ? 'No events of this type' : 'No events yet'}>
              Every change to a grant, approval, application, secret, key or device is recorded here. Nobody can edit
              the log.
            </Empty>
          }
        >
          {(events) => (
            <Table aria-label="Audit log">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Event</Table.Th>
                  <Table.Th>Actor</Table.Th>
                  <Table.Th>Time</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {events.map((event) => (
                  <EventRows key={event.id} event={event} who={actorName(event.actor, names)} />
                ))}
              </Table.Tbody>
            </Table>
          )}
        </LoadedList>
        <LoadMore list={list}>Show older</LoadMore>
      </Paper>
    </Page>
  )
}

/** Exports what the filter shows. */
function ExportMenu({ filter }: { filter: Record<string, string | null> }) {
  const api = useApi()
  const save = useChange<'csv' | 'jsonl'>({
    run: (format) => api.save(`/audit-events.${format}`, filter, `audit-events.${format}`),
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

/** A row that opens to show the details. */
function EventRows({ event, who }: { event: AuditEvent; who: string }) {
  const [opened, { toggle }] = useDisclosure()
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <UnstyledButton onClick={toggle} aria-expanded={opened}>
            <Group gap={6} wrap="nowrap">
              <Icon name={opened ? 'down' : 'right'} size={12} />
              <Text size="sm">{eventTitle(event.type)}</Text>
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
        </Table.Td>
        <Table.Td>{who}</Table.Td>
        <Table.Td>
          <When at={event.at} />
        </Table.Td>
      </Table.Tr>
      {opened && (
        <Table.Tr>
          <Table.Td colSpan={3}>
            <EventFacts event={event} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

function EventFacts({ event }: { event: AuditEvent }) {
  const facts: [string, string | null | undefined][] = [
    ['Event', event.id],
    ['Actor', event.actor.id],
    ['Partner', event.partner_id],
    ['Application', event.application_id],
    ['Customer', event.customer_id],
    ['Device', event.device_id],
  ]
  return (
    <Group gap="lg" align="flex-start" pl="md">
      {facts.map(([label, value]) =>
        value ? (
          <Fact key={label} label={label}>
            <Copied value={value} />
          </Fact>
        ) : null,
      )}
      {Object.keys(event.details ?? {}).length > 0 && <Code block>{JSON.stringify(event.details, null, 2)}</Code>}
    </Group>
  )
}
