import { Anchor, Button, Table, Text } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { DeviceCounts, SpaceSummary } from '../api/organization.ts'
import { useMayThere } from '../api/permitted.ts'
import { ShareBar } from '../components/device/share-bar.tsx'
import { countText, sumOf } from '../components/device/status-tiles.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Panel } from '../components/page/page.tsx'
import { LoadedList, LoadMore } from '../components/table/list.tsx'
import { compareNames } from '../locale.ts'

/** The spaces inside, those with the most to look at first, each with everything below it. */
export function SpaceChildren({ space, onCreate }: { space: SpaceSummary; onCreate: () => void }) {
  const { customerId } = useParams()
  const list = usePages('GET /core/v1/organization/spaces/{id}/children', { id: space.id }, { every: 15_000 })
  const items = list.items.toSorted(
    (one, other) => concernOf(other.devices) - concernOf(one.devices) || compareNames(one, other),
  )
  const directly = sumOf(space.devices_directly)
  const create = useMayThere('spaces: manage', space.id) && (
    <Button size="xs" variant="default" leftSection={<Icon name="add" size={14} />} onClick={onCreate}>
      New space
    </Button>
  )
  return (
    <Panel title="Spaces inside" actions={create}>
      <LoadedList
        list={{ ...list, items }}
        empty={
          <Text size="sm" c="dimmed">
            No spaces inside this one.
          </Text>
        }
      >
        {() => (
          <>
            <Table aria-label="Spaces inside">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th pl={0}>Space</Table.Th>
                  <Table.Th ta="right">Devices</Table.Th>
                  <Table.Th ta="right">Need attention</Table.Th>
                  <Table.Th w={110} visibleFrom="sm" pr={0}>
                    Status
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {items.map(({ id, name, devices }) => (
                  <Row key={id} devices={devices}>
                    <Anchor component={Link} to={`/customer/${customerId}/spaces/${id}`} size="sm">
                      {name}
                    </Anchor>
                  </Row>
                ))}
                {directly > 0 && (
                  <Row devices={space.devices_directly}>
                    <Text size="sm" c="dimmed">
                      Directly in {space.name}
                    </Text>
                  </Row>
                )}
              </Table.Tbody>
            </Table>
            <LoadMore list={list}>More spaces</LoadMore>
          </>
        )}
      </LoadedList>
    </Panel>
  )
}

function Row({ devices, children }: { devices: DeviceCounts; children: React.ReactNode }) {
  return (
    <Table.Tr>
      <Table.Td pl={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Table.Td>
      <Table.Td ta="right">{countText(sumOf(devices))}</Table.Td>
      <Table.Td ta="right">{countText(concernOf(devices))}</Table.Td>
      <Table.Td visibleFrom="sm" pr={0}>
        <ShareBar counts={devices} />
      </Table.Td>
    </Table.Tr>
  )
}

function concernOf({ error, offline, never_seen }: DeviceCounts): number {
  return error + offline + never_seen
}
