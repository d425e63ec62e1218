import { Badge, Button, Group } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { useAll, usePages } from '../api/api.tsx'
import type { FleetDevice, Model } from '../api/partner.ts'
import { NoMatch, PickerFilter, SearchFilter, SelectFilter, useFilters } from '../components/filters.tsx'
import { ModelPicker } from '../components/model-picker.tsx'
import { Empty, Page } from '../components/page.tsx'
import { StatusBadge, statuses } from '../components/status.tsx'
import { DataTable } from '../components/table.tsx'
import { When } from '../components/when.tsx'

const claimedOrNot = [
  { value: 'true', label: 'Claimed' },
  { value: 'false', label: 'Not claimed' },
]

export function Fleet() {
  const { partnerId } = useParams()
  const filters = useFilters('search', 'status', 'model_id', 'claimed')
  const list = usePages<FleetDevice>('/devices', filters.values)
  const models = useAll<Model>('/models').items.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Page
      title="Fleet"
      about="Every device of your models, claimed or not. Owners and locations are visible to the customers only."
    >
      <Group gap="xs">
        <SearchFilter filters={filters} name="search" label="Search devices" placeholder="Search MAC or serial" />
        <SelectFilter filters={filters} name="status" label="Status" placeholder="Any status" data={statuses} w={140} />
        <PickerFilter
          filters={filters}
          name="model_id"
          label="Model"
          placeholder="Any model"
          picker={ModelPicker}
          w={180}
        />
        <SelectFilter
          filters={filters}
          name="claimed"
          label="Claimed"
          placeholder="Claimed or not"
          data={claimedOrNot}
          w={150}
        />
      </Group>
      <DataTable
        list={list}
        label="Fleet"
        unit="device"
        rowKey={({ id }) => id}
        to={({ id }) => `/partner/${partnerId}/devices/${id}`}
        columns={[
          { label: 'Serial', cell: ({ sn }) => sn },
          { label: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: 115 },
          { label: 'Last seen', cell: ({ last_seen_at }) => <When at={last_seen_at} short />, width: 105 },
          { label: 'MAC', cell: ({ mac }) => mac, width: 150, wide: true, mono: true },
          {
            label: 'Model',
            cell: ({ model_id }) => models.find(({ value }) => value === model_id)?.label,
            wide: true,
          },
          { label: 'Firmware', cell: ({ firmware_version }) => firmware_version, wide: true },
          { label: 'Claimed', cell: ({ claimed }) => <ClaimedBadge claimed={claimed} />, width: 125, wide: true },
        ]}
        empty={
          filters.any ? (
            <NoMatch title="No matching devices" onClear={filters.clear}>
              Search matches the start of MACs and serial numbers.
            </NoMatch>
          ) : (
            <Empty
              icon="device"
              title="No devices yet"
              action={
                <Button component={Link} to={`/partner/${partnerId}/simulator`}>
                  Open the simulator
                </Button>
              }
            >
              Register one from your cloud, or use the simulator.
            </Empty>
          )
        }
      />
    </Page>
  )
}

export function ClaimedBadge({ claimed }: { claimed: boolean }) {
  return <Badge color={claimed ? 'green' : 'gray'}>{claimed ? 'Claimed' : 'Not claimed'}</Badge>
}
