import { Badge, Code, Group, List, Paper, Stack, Text } from '@mantine/core'
import { useAll, usePages } from '../api/api.tsx'
import type { IntegrationLogEntry } from '../api/partner.ts'
import { ModelFilter } from '../components/device/device-filters.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, SearchFilter, SelectFilter, useFilters } from '../components/table/filters.tsx'
import { LoadedList, LoadMore } from '../components/table/list.tsx'

const endpoints: Record<string, string> = {
  authorize: 'Authorization',
  token: 'Token',
  revoke: 'Revocation',
  userinfo: 'Userinfo',
  organization: 'Organization API',
  registration: 'Registration',
  telemetry: 'Telemetry',
  mass_telemetry: 'Mass telemetry',
  config: 'Settings',
  command: 'Commands of a device',
  mqtt: 'MQTT',
  webhook: 'Webhook',
}

export function IntegrationLog() {
  const filters = useFilters('application_id', 'model_id', 'endpoint', 'error', 'request_id')
  const list = usePages('GET /core/v1/partner/integration-log', filters.values, { every: 10_000 })
  const applications = useAll('GET /core/v1/partner/applications').items.map(({ client_id, name }) => ({
    value: client_id,
    label: name,
  }))
  const models = useAll('GET /core/v1/partner/models').items.map(({ id, name }) => ({ value: id, label: name }))
  const names = new Map([...applications, ...models].map(({ value, label }) => [value, label]))
  return (
    <Page
      title="Integration log"
      about="Failed requests of your applications and devices, with the reason and what to do. Tokens, secrets and codes are never logged."
    >
      <Group gap="xs">
        <SelectFilter
          filters={filters}
          name="application_id"
          label="Application"
          placeholder="Any application"
          data={applications}
          w={190}
        />
        <ModelFilter filters={filters} w={190} />
        <SelectFilter
          filters={filters}
          name="endpoint"
          label="Endpoint"
          placeholder="Any endpoint"
          data={Object.entries(endpoints).map(([value, label]) => ({ value, label }))}
          w={170}
        />
        <SearchFilter filters={filters} name="request_id" label="Request ID" placeholder="Request ID" />
      </Group>
      <LoadedList
        list={list}
        empty={
          <Paper withBorder>
            {filters.any ? (
              <NoMatch title="No matching entries" onClear={filters.clear}>
                <WhatIsLogged />
              </NoMatch>
            ) : (
              <Empty icon="check" title="No failed requests">
                <WhatIsLogged />
              </Empty>
            )}
          </Paper>
        }
      >
        {(entries) => (
          <Stack gap="xs">
            {entries.map((entry) => (
              <Entry key={entry.id} entry={entry} subject={names.get(entry.application_id ?? entry.model_id ?? '')} />
            ))}
          </Stack>
        )}
      </LoadedList>
      <LoadMore list={list}>Show older</LoadMore>
    </Page>
  )
}

function WhatIsLogged() {
  return (
    <>
      Failed requests are kept for 14 days, the newest 100 of each kind. Find one by its request ID: the x-request-id
      header of the response.
      <Text size="sm" ta="left" mt="sm" mb={4}>
        Never logged:
      </Text>
      <List size="sm" ta="left" spacing={4} className="whole-lines">
        <List.Item>
          requests that name none of your applications, models or devices (a wrong client ID or Model ID, a mass call
          that is no JSON)
        </List.Item>
        <List.Item>
          requests refused before their body was read (a registration that is too large, a mass call that is too large
          or comes while the service is too busy)
        </List.Item>
        <List.Item>requests that never arrived</List.Item>
        <List.Item>requests that succeeded</List.Item>
      </List>
    </>
  )
}

/** `redirect_uri_not_registered` → `Redirect URI not registered` */
function reasonTitle(reason: string): string {
  const text = reason
    .replaceAll('_', ' ')
    .replace(/\buri\b/, 'URI')
    .replace(/\bjson\b/, 'JSON')
  return text.startsWith('mqtt') ? `MQTT${text.slice(4)}` : text.charAt(0).toUpperCase() + text.slice(1)
}

/** Text that a stranger may have sent: never a link. */
function Quoted({ label, children }: { label: string; children: string }) {
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      <Text span size="sm" c="dimmed">
        {label}:
      </Text>{' '}
      {children}
    </Text>
  )
}

function Entry({ entry, subject }: { entry: IntegrationLogEntry; subject: string | undefined }) {
  return (
    <Paper withBorder p="sm" component="article">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge color={entry.status >= 500 ? 'red' : 'gray'}>
            {endpoints[entry.endpoint] ?? entry.endpoint} {entry.status || ''}
          </Badge>
          <Code>{entry.error}</Code>
          {subject && (
            <Text size="sm" fw={500}>
              {subject}
            </Text>
          )}
        </Group>
        <When at={entry.at} size="xs" c="dimmed" />
      </Group>
      <Text size="sm" mt={6}>
        <strong>{reasonTitle(entry.reason)}</strong>
      </Text>
      {entry.description && <Quoted label="Response">{entry.description}</Quoted>}
      {entry.detail && <Quoted label="Received">{entry.detail}</Quoted>}
      <Text size="sm" c="dimmed">
        {entry.advice}
      </Text>
      <Group gap="lg" mt={6}>
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            Request ID
          </Text>
          <Copied value={entry.request_id} />
        </Group>
        {entry.device_id && (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              Device ID
            </Text>
            <Copied value={entry.device_id} />
          </Group>
        )}
      </Group>
    </Paper>
  )
}
