import { Anchor, Table, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useRead } from '../api/api.tsx'
import type { Limits as LimitsInForce, ReachedLimit } from '../api/operator.ts'
import { duration } from '../components/page/duration.ts'
import { Empty, Loaded, Page, Panel } from '../components/page/page.tsx'
import { Used } from '../components/page/used.tsx'
import { When } from '../components/page/when.tsx'

export function Limits() {
  const limits = useRead('GET /core/v1/operator/limits')
  return (
    <Page
      title="Limits"
      about="Calls are counted in fixed windows; each starts with the first request. The OAuth endpoints count rejected requests too, and return 429 without Retry-After. LANDBRIDGE_RATES and LANDBRIDGE_QUOTAS set the limits of customers and partners."
    >
      <Reached />
      <Loaded of={limits}>
        {({ items, quotas, bounds }) => (
          <>
            <Rates items={items} />
            <Quotas quotas={quotas} />
            <Bounds bounds={bounds} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const everyMilliseconds = 30_000

/** Who is near a limit, or was refused. */
function Reached() {
  const reached = useRead('GET /core/v1/operator/limits/reached', {}, { every: everyMilliseconds })
  return (
    <>
      <Title order={2}>Near a limit or refused</Title>
      <Panel p={0}>
        <Loaded of={reached}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty icon="shield" title="Nobody is near a limit">
                A customer or partner that has used 80% of a rate or quota is listed here for 30 days.
              </Empty>
            ) : (
              <Table aria-label="Near a limit or refused">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Who</Table.Th>
                    <Table.Th>Limit</Table.Th>
                    <Table.Th w="35%">Used</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map((row) => (
                    <ReachedRow key={row.tenant.id + row.name} {...row} />
                  ))}
                </Table.Tbody>
              </Table>
            )
          }
        </Loaded>
      </Panel>
    </>
  )
}

function ReachedRow({ tenant, what, used, max, caller, reached_at, refused_at }: ReachedLimit) {
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor component={Link} to={`/operator/${tenant.kind}s/${tenant.id}`} size="sm">
          {tenant.name ?? tenant.id}
        </Anchor>
        <Text size="xs" c="dimmed">
          {tenant.kind === 'customer' ? 'Customer' : 'Partner'}
        </Text>
      </Table.Td>
      <Table.Td>
        {what}
        {caller && (
          <Text size="xs" c="dimmed">
            {caller.name ?? caller.id}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Used used={used} max={max} refusedAt={refused_at} />
        {refused_at === null && (
          <Text size="xs" c="dimmed" mt={4}>
            last near the limit <When at={reached_at} />
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function Rates({ items }: Pick<LimitsInForce, 'items'>) {
  return (
    <LimitTable title="Rates" per>
      {items.map(({ what, per, max, window_seconds }) => (
        <Table.Tr key={what + per}>
          <Table.Td>{what}</Table.Td>
          <Table.Td>{per}</Table.Td>
          <Table.Td ta="right">
            {max.toLocaleString('en')}{' '}
            <Text span size="xs" c="dimmed" className="one-line">
              per {window_seconds === 60 ? 'minute' : duration(window_seconds)}
            </Text>
          </Table.Td>
        </Table.Tr>
      ))}
    </LimitTable>
  )
}

function Quotas({ quotas }: Pick<LimitsInForce, 'quotas'>) {
  return (
    <LimitTable title="Quotas" per>
      {quotas.map(({ name, what, per, max }) => (
        <Table.Tr key={name}>
          <Table.Td>
            {what}
            <Text ff="monospace" size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Text>
          </Table.Td>
          <Table.Td>{per}</Table.Td>
          <Table.Td ta="right">{max.toLocaleString('en')}</Table.Td>
        </Table.Tr>
      ))}
    </LimitTable>
  )
}

function Bounds({ bounds }: Pick<LimitsInForce, 'bounds'>) {
  return (
    <LimitTable title="Lengths and lifetimes">
      {bounds.map(({ what, max, unit }) => (
        <Table.Tr key={what}>
          <Table.Td>{what}</Table.Td>
          <Table.Td ta="right" className="one-line">
            {unit === 'seconds' ? duration(max) : `${max} ${unit}`}
          </Table.Td>
        </Table.Tr>
      ))}
    </LimitTable>
  )
}

function LimitTable({ title, per = false, children }: { title: string; per?: boolean; children: ReactNode }) {
  return (
    <>
      <Title order={2}>{title}</Title>
      <Panel p={0}>
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={per ? '40%' : undefined}>Limit</Table.Th>
              {per && <Table.Th w="35%">Per</Table.Th>}
              <Table.Th ta="right">Maximum</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Panel>
    </>
  )
}
