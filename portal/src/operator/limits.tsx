import { Table, Text, Title } from '@mantine/core'
import { useRead } from '../api/api.tsx'
import type { Limits as LimitsInForce } from '../api/operator.ts'
import { duration } from '../components/duration.ts'
import { Loaded, Page, Panel } from '../components/page.tsx'

export function Limits() {
  const limits = useRead<LimitsInForce>('/limits')
  return (
    <Page
      title="Limits"
      about="Counted in fixed windows; each starts with the first request. Rejected requests count too. The OAuth endpoints return 429 without Retry-After."
    >
      <Loaded of={limits}>
        {({ items, bounds }) => (
          <>
            <Title order={2}>Rates</Title>
            <Panel p={0}>
              <Table aria-label="Rates">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Limit</Table.Th>
                    <Table.Th>Per</Table.Th>
                    <Table.Th ta="right">Maximum</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {items.map(({ what, per, max, window_seconds }) => (
                    <Table.Tr key={what + per}>
                      <Table.Td>{what}</Table.Td>
                      <Table.Td>{per}</Table.Td>
                      <Table.Td ta="right" className="one-line">
                        {max}{' '}
                        <Text span size="xs" c="dimmed">
                          per {window_seconds === 60 ? 'minute' : duration(window_seconds)}
                        </Text>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Panel>
            <Title order={2}>Lengths and lifetimes</Title>
            <Panel p={0}>
              <Table aria-label="Lengths and lifetimes">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Limit</Table.Th>
                    <Table.Th ta="right">Maximum</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {bounds.map(({ what, max, unit }) => (
                    <Table.Tr key={what}>
                      <Table.Td>{what}</Table.Td>
                      <Table.Td ta="right" className="one-line">
                        {unit === 'seconds' ? duration(max) : `${max} ${unit}`}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  )
}
