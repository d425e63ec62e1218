import { Anchor, Badge, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment, lazy, type ReactNode, Suspense, useMemo } from 'react'
import { Link } from 'react-router'
import { useRead } from '../api/api.tsx'
import { firstData, takeArrived, takeFirstRead } from '../api/first-reads.ts'
import { type Reading, type Sample, useMetrics } from '../api/metrics.ts'
import { EventSentence } from '../components/audit/event-sentence.tsx'
import { Failure, Loading, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { operatorReader } from './audit-reader.ts'
import { HubCells } from './hub-cells.tsx'

const Chart = lazy(async () => ({ default: (await import('../components/chart/chart.tsx')).Chart }))

export function Overview() {
  const health = useQuery({
    queryKey: ['operator', 'readyz'],
    queryFn: async () => (await (takeFirstRead('/readyz') ?? fetch('/readyz'))).ok,
    ...firstData(
      () => takeArrived('/readyz'),
      () => true,
    ),
    refetchInterval: 5_000,
  })
  const metrics = useMetrics()
  const events = useRead('GET /core/v1/operator/audit-events', { limit: 8 }, { every: 10_000 })
  const reader = operatorReader(events.data?.names ?? {})
  const keys = useRead('GET /core/v1/operator/signing-keys')
  const asked = useRead('GET /core/v1/operator/waiting-requests').data
  const { changes = 0, applications: wishes = 0, secrets = [] } = asked ?? {}
  const waiting = changes + wishes
  const last = metrics.data?.at(-1)?.samples ?? []
  return (
    <Page title="Overview" about="The processes of this server, and recent activity.">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
        <Tile label="Service">
          <Group gap="xs">
            {health.data === undefined ? (
              '…'
            ) : (
              <Badge size="lg" color={health.data ? 'green' : 'red'}>
                {health.data ? 'Ready' : 'Not ready'}
              </Badge>
            )}
            <Processes samples={last} />
          </Group>
        </Tile>
        <Tile label="Database round trip">
          {milliseconds(figureOf(last, 'landbridge_database_round_trip_seconds'))}
        </Tile>
        <Tile label="Memory">{megabytes(figureOf(last, 'process_resident_memory_bytes'))}</Tile>
        <Tile label="Event loop lag, p99">{milliseconds(figureOf(last, 'nodejs_eventloop_lag_p99_seconds'))}</Tile>
      </SimpleGrid>
      <Panel title="Requests per second">
        {metrics.error ? <Failure error={metrics.error} /> : <Traffic readings={metrics.data ?? []} />}
      </Panel>
      <HubCells />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Panel title="Busiest routes">
          <Routes samples={last} />
        </Panel>
        <Stack gap="md">
          <Panel title="Tasks">
            {secrets.length === 0 && waiting === 0 && (keys.data?.items.length ?? 1) > 0 ? (
              <Text size="sm" c="dimmed">
                No pending tasks.
              </Text>
            ) : (
              <Stack gap={6}>
                {keys.data?.items.length === 0 && (
                  <Text size="sm">
                    <Anchor component={Link} to="/operator/signing-keys" inherit underline="always">
                      Add a signing key
                    </Anchor>
                  </Text>
                )}
                {waiting > 0 && (
                  <Text size="sm">
                    <Anchor component={Link} to="/operator/requests" inherit underline="always">
                      {Math.max(changes, wishes) < 100 ? waiting : '100 or more'} partner{' '}
                      {waiting === 1 ? 'request' : 'requests'}
                    </Anchor>{' '}
                    to review
                  </Text>
                )}
                {secrets.map(({ client_id, name }) => (
                  <Text size="sm" key={client_id}>
                    <Anchor component={Link} to={`/operator/applications/${client_id}`} inherit underline="always">
                      {name}
                    </Anchor>{' '}
                    requests a new secret
                  </Text>
                ))}
              </Stack>
            )}
          </Panel>
          <Panel title="Recent activity">
            <Stack gap={8}>
              {events.data?.items.map((event) => (
                <Group key={event.id} justify="space-between" wrap="nowrap" gap="xs">
                  <EventSentence event={event} reader={reader} />
                  <When at={event.at} size="xs" c="dimmed" />
                </Group>
              ))}
            </Stack>
          </Panel>
        </Stack>
      </SimpleGrid>
    </Page>
  )
}

function Tile({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <Paper withBorder p="sm">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Title order={3} component="div" fz={22} mt={2} className="numbers">
        {children}
      </Title>
    </Paper>
  )
}

/** Only where there are several. */
function Processes({ samples }: { samples: Sample[] }) {
  const serving = figureOf(samples, 'landbridge_processes_serving')
  const configured = figureOf(samples, 'landbridge_processes_configured') ?? 1
  if (configured < 2) return null
  return (
    <Text span size="sm" c="dimmed" className="one-line">
      {serving} of {configured} processes
    </Text>
  )
}

const counted = 'landbridge_http_request_seconds_count'

function Traffic({ readings }: { readings: Reading[] }) {
  const series = useMemo(() => {
    const rates = (failed: boolean) =>
      readings.slice(1).map(({ at, samples }, index): [number, number] => {
        const before = readings[index]!
        const grown = total(samples, failed) - total(before.samples, failed)
        return [at, Math.max(0, Math.round((10 * grown) / (at - before.at)) / 10)]
      })
    return [
      { label: 'succeeded', unit: '/s', points: rates(false) },
      { label: 'failed (4xx, 5xx)', unit: '/s', points: rates(true) },
    ]
  }, [readings])
  const first = readings[0]?.at ?? 0
  const to = readings.at(-1)?.at ?? 0
  if (readings.length < 2) {
    return (
      <Text size="sm" c="dimmed" py="xl" ta="center">
        The chart appears in a few seconds.
      </Text>
    )
  }
  return (
    <Suspense fallback={<Loading />}>
      <Chart series={series} from={Math.max(first, to - 180)} to={to} height={190} />
    </Suspense>
  )
}

function total(samples: Sample[], failed: boolean): number {
  return samples
    .filter(({ name, labels }) => name === counted && Number(labels.status) >= 400 === failed)
    .reduce((sum, { value }) => sum + value, 0)
}

function Routes({ samples }: { samples: Sample[] }) {
  const routes = new Map<string, { count: number; seconds: number }>()
  for (const { name, labels, value } of samples) {
    if (!name.startsWith('landbridge_http_request_seconds_') || name.endsWith('_bucket')) continue
    const key = `${labels.method} ${labels.route}`
    const row = routes.get(key) ?? { count: 0, seconds: 0 }
    if (name === counted) row.count += value
    else row.seconds += value
    routes.set(key, row)
  }
  const rows = [...routes].sort(([, a], [, b]) => b.count - a.count).slice(0, 8)
  return (
    <table className="plain-table dense" aria-label="Busiest routes">
      <thead>
        <tr>
          <th>Route</th>
          <th className="right">Requests</th>
          <th className="right">Mean</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([route, { count, seconds }]) => (
          <tr key={route}>
            <td className="code breakable">{withBreaks(route)}</td>
            <td className="right">{count.toLocaleString('en')}</td>
            <td className="right one-line">{milliseconds(count > 0 ? seconds / count : undefined)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A path that is too long for its column breaks before a slash, rather than within a word. */
function withBreaks(route: string): ReactNode {
  return route.split(/(?=\/)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a route never change
    <Fragment key={index}>
      <wbr />
      {part}
    </Fragment>
  ))
}

function figureOf(samples: Sample[], wanted: string): number | undefined {
  return samples.find(({ name }) => name === wanted)?.value
}

function milliseconds(seconds: number | undefined): string {
  return seconds === undefined ? '–' : `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`
}

function megabytes(bytes: number | undefined): string {
  return bytes === undefined ? '–' : `${Math.round(bytes / 1_048_576)} MiB`
}
