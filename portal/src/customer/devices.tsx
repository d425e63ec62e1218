import { Button, Group } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useAll, usePages } from '../api/api.tsx'
import { useLiveList } from '../api/live.ts'
import { type Device, deviceName, type Model, type Space } from '../api/organization.ts'
import { useMayChange } from '../api/session.tsx'
import { NoMatch, SearchFilter, SelectFilter, useFilters } from '../components/filters.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty, Page } from '../components/page.tsx'
import { StatusBadge, statuses } from '../components/status.tsx'
import { DataTable } from '../components/table.tsx'
import { When } from '../components/when.tsx'
import { spaceOptions } from './space-tree.ts'

export function Devices() {
  const { customerId } = useParams()
  const filters = useFilters('search', 'status', 'model_id', 'space_id')
  const list = usePages<Device>('/devices', filters.values)
  useLiveList()
  const models = useAll<Model>('/models').items
  const spaces = useAll<Space>('/spaces').items
  const names = new Map([...models, ...spaces].map(({ id, name }) => [id, name]))
  const claim = useMayChange() && (
    <Button component={Link} to={`/customer/${customerId}/claim`} leftSection={<Icon name="add" />}>
      Claim devices
    </Button>
  )
  return (
    <Page title="Devices" actions={claim}>
      <Group gap="xs">
        <SearchFilter filters={filters} name="search" label="Search devices" placeholder="Search name, MAC or serial" />
        <SelectFilter filters={filters} name="status" label="Status" placeholder="Any status" data={statuses} w={140} />
        <SelectFilter
          filters={filters}
          name="model_id"
          label="Model"
          placeholder="Any model"
          data={models.map(({ id, name }) => ({ value: id, label: name }))}
          w={170}
        />
        <SelectFilter
          filters={filters}
          name="space_id"
          label="Space"
          placeholder="Any space"
          data={spaceOptions(spaces)}
          w={190}
        />
      </Group>
      <DataTable
        list={list}
        label="Devices"
        unit="device"
        rowKey={({ id }) => id}
        to={({ id }) => `/customer/${customerId}/devices/${id}`}
        columns={[
          { label: 'Name', cell: deviceName },
          { label: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 115 },
          { label: 'Last seen', cell: ({ last_seen_at }) => <When at={last_seen_at} short />, width: 105 },
          { label: 'Model', cell: ({ model_id }) => names.get(model_id), wide: true },
          { label: 'Space', cell: ({ space_id }) => space_id && names.get(space_id), wide: true },
          { label: 'MAC', cell: ({ mac }) => mac, width: 150, wide: true, mono: true },
          { label: 'Serial', cell: ({ sn }) => sn, width: 130, wide: true, mono: true },
        ]}
        empty={
          filters.any ? (
            <NoMatch title="No matching devices" onClear={filters.clear}>
              Search matches the start of names, MACs and serial numbers.
            </NoMatch>
          ) : (
            <Empty icon="device" title="No devices yet" action={claim}>
              Claim a device with the MAC and serial number on its label.
            </Empty>
          )
        }
      />
    </Page>
  )
}
