import { Badge, Button, Code, Group, Paper, Select, Table, Text, UnstyledButton } from '@mantine/core'
import { Fragment, useState } from 'react'
import { useSearchParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { AuditEvent } from '../api/organization.ts'
import { Copied } from './copy.tsx'
import { Icon } from './icon.tsx'
import { Empty, Failure, Loading, Page } from './page.tsx'
import { When } from './when.tsx'

/** `refresh_token.replayed` → `Refresh token replayed`. */
export function eventTitle(type: string): string {
  const words = type.replaceAll(/[._]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const alarming = /replayed|reused|revoked|disabled|withdrawn|removed|failed/

export function actorName({ kind, id }: AuditEvent['actor'], names?: ReadonlyMap<string, string>): string {
  const words: Record<string, string> = {
    operator: 'The operator',
    user: 'A user',
    application: 'An application',
    api_key: 'An API key',
    device: 'A device',
    system: 'The service itself',
  }
  return names?.get(id ?? '') ?? words[kind] ?? kind
}

interface AuditLogProps {
  types: string[]
  about: string
  /** Who is behind an id, as far as this page's reader knows them. */
  names?: ReadonlyMap<string, string>
}

export function AuditLog({ types, about, names }: AuditLogProps) {
  const [search, setSearch] = useSearchParams()
  const type = search.get('type')
  const list = usePages<AuditEvent>('/audit-events', { type })
  const [opened, setOpened] = useState<string | null>(null)
  const seen = [...new Set([...types, ...list.items.map((event) => event.type), ...(type ? [type] : [])])].sort()
  return (
    <Page title="Audit log" about={about}>
      <Select
        aria-label="Kind of event"
        placeholder="Every kind of event"
        data={seen.map((value) => ({ value, label: eventTitle(value) }))}
        value={type}
        onChange={(value) => setSearch(value ? { type: value } : {})}
        clearable
        searchable
        maw={320}
      />
      {list.error ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Loading />
      ) : (
        <Paper withBorder>
          {list.items.length === 0 ? (
            <Empty icon="log" title={type ? 'Nothing of this kind' : 'Nothing has happened yet'}>
              Every act on a grant, approval, application, secret, key, claim or device leaves a line here that nobody
              can change.
            </Empty>
          ) : (
            <Table aria-label="Audit log">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>What</Table.Th>
                  <Table.Th>Who</Table.Th>
                  <Table.Th>When</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.items.map((event) => (
                  <Fragment key={event.id}>
                    <Table.Tr>
                      <Table.Td>
                        <UnstyledButton
                          onClick={() => setOpened(opened === event.id ? null : event.id)}
                          aria-expanded={opened === event.id}
                        >
                          <Group gap={6} wrap="nowrap">
                            <Icon name={opened === event.id ? 'down' : 'right'} size={12} />
                            <Text size="sm">{eventTitle(event.type)}</Text>
                            {alarming.test(event.type) && (
                              <Badge
                                size="xs"
                                color={/replayed|reused/.test(event.type) ? 'red' : 'gray'}
                                visibleFrom="xs"
                              >
                                {/replayed|reused/.test(event.type) ? 'Security' : 'Ended something'}
                              </Badge>
                            )}
                          </Group>
                        </UnstyledButton>
                      </Table.Td>
                      <Table.Td>{actorName(event.actor, names)}</Table.Td>
                      <Table.Td>
                        <When at={event.at} />
                      </Table.Td>
                    </Table.Tr>
                    {opened === event.id && (
                      <Table.Tr>
                        <Table.Td colSpan={3}>
                          <EventFacts event={event} />
                        </Table.Td>
                      </Table.Tr>
                    )}
                  </Fragment>
                ))}
              </Table.Tbody>
            </Table>
          )}
          {list.hasNextPage && (
            <Group justify="center" p="sm">
              <Button
                variant="default"
                size="xs"
                loading={list.isFetchingNextPage}
                onClick={() => void list.fetchNextPage()}
              >
                Show older
              </Button>
            </Group>
          )}
        </Paper>
      )}
    </Page>
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
          <div key={label}>
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            <Copied value={value} />
          </div>
        ) : null,
      )}
      {Object.keys(event.details ?? {}).length > 0 && <Code block>{JSON.stringify(event.details, null, 2)}</Code>}
    </Group>
  )
}
