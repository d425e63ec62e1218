import { Badge, Group, Text } from '@mantine/core'
import { useRead } from '../api/api.tsx'
import { Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'

const allBuckets = 1_024

/** Only where there are several. */
export function HubCells() {
  const cells = useRead('GET /core/v1/operator/hub-cells', {}, { every: 10_000 })
  const items = cells.data?.items ?? []
  if (items.length < 2) return null
  return (
    <Panel title="Hub cells">
      <table className="plain-table dense" aria-label="Hub cells">
        <thead>
          <tr>
            <th>Cell</th>
            <th>Address</th>
            <th className="right">Devices</th>
            <th>Last seen</th>
          </tr>
        </thead>
        <tbody>
          {items.map((cell) => (
            <tr key={cell.name}>
              <td className="one-line">
                <Group gap="xs">
                  {cell.name}
                  {cell.state === 'draining' && <Badge color="yellow">Draining</Badge>}
                  {!cell.running && <Badge color="red">Not running</Badge>}
                </Group>
              </td>
              <td className="breakable">{cell.hub_url}</td>
              <td className="right one-line">
                {((100 * cell.buckets) / allBuckets).toFixed(1)}%
                {cell.redirected_at && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    all moved <When at={cell.redirected_at} size="xs" />
                  </Text>
                )}
              </td>
              <td>
                <When at={cell.seen_at} size="sm" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
