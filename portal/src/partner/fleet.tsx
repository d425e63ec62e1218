import { Button, Group } from '@mantine/core'
import { Link, useParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { FleetDevice, Model } from '../api/partner.ts'
import { NoMatch, SearchFilter, SelectFilter, useFilters } from '../components/filters.tsx'
import { Empty, Page } from '../components/page.tsx'
import { StatusBadge, statuses } from '../components/status.tsx'
import { VirtualTable } from '../components/virtual-table.tsx'
import { When } from '../components/when.tsx'
import { ClaimedBadge } from './claimed-badge.tsx'

const claimedOrNot = [
  { value: 'true', label: 'Claimed' },
  { value: 'false', label: 'Not claimed' },
]

export function Fleet() {
  const { partnerId } = useParams()
  const filters = useFilters('search', 'status', 'model_id', 'claimed')
  const list = usePages<FleetDevice>('/devices', filters.values)
  const models = usePages<Model>('/models').items.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Page
      title="Fleet"
      about="Every device of your models, claimed or not. Whose they are and where they stand is the customers’ own affair."
    >
      <Group gap="xs">
        <SearchFilter filters={filters} name="search" label="Search devices" placeholder="Search MAC or serial" />
        <SelectFilter filters={filters} name="status" label="Status" placeholder="Any status" data={statuses} w={140} />
        <SelectFilter filters={filters} name="model_id" label="Model" placeholder="Any model" data={models} w={180} />
        <SelectFilter
          filters={filters}
          name="claimed"
          label="Claimed"
          placeholder="Claimed or not"
          data={claimedOrNot}
          w={150}
        />
      </Group>
      <VirtualTable
        list={list}
        label="Fleet"
        rowKey={({ id }) => id}
        to={({ id }) => `/partner/${partnerId}/devices/${id}`}
        columns={[
          { label: 'Serial', cell: ({ sn }) => sn, width: '1.4fr', main: true },
          { label: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: '110px' },
          { label: 'Last seen', cell: ({ last_seen_at }) => <When at={last_seen_at} short />, width: '1fr' },
          { label: 'MAC', cell: ({ mac }) => mac, width: '150px', wide: true, mono: true },
          {
            label: 'Model',
            cell: ({ model_id }) => models.find(({ value }) => value === model_id)?.label,
            width: '1.2fr',
            wide: true,
          },
          { label: 'Firmware', cell: ({ firmware_version }) => firmware_version, width: '0.8fr', wide: true },
          { label: 'Claimed', cell: ({ claimed }) => <ClaimedBadge claimed={claimed} />, width: '120px', wide: true },
        ]}
        empty={
          filters.any ? (
            <NoMatch title="No device matches" onClear={filters.clear}>
              Search looks at the beginning of MACs and serial numbers.
            </NoMatch>
          ) : (
            <Empty
              icon="device"
              title="No device has registered yet"
              action={
                <Button component={Link} to={`/partner/${partnerId}/simulator`}>
                  Open the simulator
                </Button>
              }
            >
              Register one from your cloud, or let the simulator do it.
            </Empty>
          )
        }
      />
    </Page>
  )
}
