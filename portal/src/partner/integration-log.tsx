import { Badge, Button, Code, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { useSearchParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { Application, Failure as FailureEntry, Model } from '../api/partner.ts'
import { Copied } from '../parts/copy.tsx'
import { Icon } from '../parts/icon.tsx'
import { Empty, Failure, Loading, Page } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'

const endpoints = [
  'authorize',
  'token',
  'revoke',
  'userinfo',
  'organization',
  'registration',
  'telemetry',
  'mass_telemetry',
  'mqtt',
  'webhook',
]
const filters = ['application_id', 'model_id', 'endpoint', 'error', 'request_id']

export function IntegrationLog() {
  const [search, setSearch] = useSearchParams()
  const query = Object.fromEntries(filters.map((name) => [name, search.get(name)]))
  const list = usePages<FailureEntry>('/integration-log', query, { every: 10_000 })
  const applications = usePages<Application>('/applications')
  const models = usePages<Model>('/models')
  const set = (name: string, value: string | null) =>
    setSearch((now) => {
      if (value) now.set(name, value)
      else now.delete(name)
      return now
    })
  const names = new Map([
    ...applications.items.map(({ client_id, name }) => [client_id, name] as const),
    ...models.items.map(({ id, name }) => [id, name] as const),
  ])
  const filtered = Object.values(query).some(Boolean)
  return (
    <Page
      title="Integration log"
      about="What the service refused your applications and devices lately, why, and what to do about it. No token, secret or code is ever in it."
    >
      <Group gap="xs">
        <Select
          aria-label="Application"
          placeholder="Any application"
          data={applications.items.map(({ client_id, name }) => ({ value: client_id, label: name }))}
          value={query.application_id ?? null}
          onChange={(value) => set('application_id', value)}
          clearable
          w={190}
        />
        <Select
          aria-label="Model"
          placeholder="Any model"
          data={models.items.map(({ id, name }) => ({ value: id, label: name }))}
          value={query.model_id ?? null}
          onChange={(value) => set('model_id', value)}
          clearable
          w={190}
        />
        <Select
          aria-label="Endpoint"
          placeholder="Any endpoint"
          data={endpoints}
          value={query.endpoint ?? null}
          onChange={(value) => set('endpoint', value)}
          clearable
          w={170}
        />
        <TextInput
          aria-label="Request id"
          placeholder="Request id"
          value={query.request_id ?? ''}
          onChange={(event) => set('request_id', event.currentTarget.value.trim())}
          leftSection={<Icon name="search" size={16} />}
          style={{ flex: '1 1 200px' }}
        />
      </Group>
      {list.error ? (
        <Failure error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        <Loading />
      ) : list.items.length === 0 ? (
        <Paper withBorder>
          <Empty icon="check" title={filtered ? 'Nothing matches' : 'Nothing was refused'}>
            Every refusal of the last 14 days stands here, with the request id that the client got in x-request-id.
          </Empty>
        </Paper>
      ) : (
        <Stack gap="xs">
          {list.items.map((entry) => (
            <Entry key={entry.id} entry={entry} subject={names.get(entry.application_id ?? entry.model_id ?? '')} />
          ))}
          {list.hasNextPage && (
            <Button
              variant="default"
              size="xs"
              loading={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              Show older
            </Button>
          )}
        </Stack>
      )}
    </Page>
  )
}

function Entry({ entry, subject }: { entry: FailureEntry; subject: string | undefined }) {
  return (
    <Paper withBorder p="sm" component="article">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Badge color={entry.status >= 500 ? 'red' : 'gray'}>
            {entry.endpoint} {entry.status || ''}
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
        <strong>{entry.reason.replaceAll('_', ' ')}</strong>
        {entry.detail ? `: ${entry.detail}` : ''}
      </Text>
      <Text size="sm" c="dimmed">
        {entry.advice}
      </Text>
      <Group gap="lg" mt={6}>
        <Group gap={4}>
          <Text size="xs" c="dimmed">
            Request
          </Text>
          <Copied value={entry.request_id} />
        </Group>
        {entry.device_id && (
          <Group gap={4}>
            <Text size="xs" c="dimmed">
              Device
            </Text>
            <Copied value={entry.device_id} />
          </Group>
        )}
      </Group>
    </Paper>
  )
}
