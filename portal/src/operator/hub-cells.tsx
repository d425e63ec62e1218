import { Badge, Group, Table, Text } from '@mantine/core'
import { useRead } from '../api/api.tsx'
import type { HubCell } from '../api/operator.ts'
import { Panel } from '../components/page.tsx'
import { When } from '../components/when.tsx'

const allBuckets = 1_024

/** Only where there are several. */
export function HubCells() {
  const cells = useRead<{ items: HubCell[] }>('/hub-cells', {}, { every: 10_000 })
  const items = cells.data?.items ?? []
  if (items.length < 2) return null
  return (
    <Panel title="Hub cells">
      <Table aria-label="Hub cells" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Cell</Table.Th>
            <Table.Th>Address</Table.Th>
            <Table.Th ta="right">Devices</Table.Th>
            <Table.Th>Last seen</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {items.map((cell) => (
            <Table.Tr key={cell.name}>
              <Table.Td>
                <Group gap="xs">
                  {cell.name}
                  {cell.state === 'draining' && <Badge color="yellow">Draining</Badge>}
                  {!cell.running && <Badge color="red">Not running</Badge>}
                </Group>
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{cell.hub_url}</Table.Td>
              <Table.Td ta="right" className="one-line">
                {((100 * cell.buckets) / allBuckets).toFixed(1)}%
                {cell.redirected_at && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    all moved <When at={cell.redirected_at} size="xs" />
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <When at={cell.seen_at} size="sm" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  )
}
