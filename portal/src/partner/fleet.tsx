import { Badge, Button, Group } from '@mantine/core'
import { Link, useParams, useSearchParams } from 'react-router'
import { useAll, usePages, useRead } from '../api/api.tsx'
import type { FleetDevice, FleetTotal } from '../api/partner.ts'
import { deviceColumns } from '../components/device/device-columns.tsx'
import { ModelFilter, StatusFilter } from '../components/device/device-filters.tsx'
import { DeviceReason } from '../components/device/device-reason.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { type ChoosableColumn, ColumnMenu, readColumns, writeColumns } from '../components/table/columns.tsx'
import { NoMatch, SearchFilter, SelectFilter, useFilters } from '../components/table/filters.tsx'
import { DataTable } from '../components/table/table.tsx'

const claimedOrNot = [
  { value: 'true', label: 'Claimed' },
  { value: 'false', label: 'Not claimed' },
]

const columnsStorage = 'landbridge.fleet-columns'
const usualColumns = ['status', 'since', 'reason', 'mac', 'model', 'firmware_version', 'claimed']

export function Fleet() {
  const { partnerId } = useParams()
  const filters = useFilters('search', 'status', 'model_id', 'claimed')
  const [address] = useSearchParams()
  const sort = address.get('sort')
  const list = usePages('GET /core/v1/partner/devices', { ...filters.values, sort })
  const { data: total } = useRead('GET /core/v1/partner/devices/total', filters.values)
  const models = useAll('GET /core/v1/partner/models').items.map(({ id, name }) => ({ value: id, label: name }))
  const columns = columnsOf(new Map(models.map(({ value, label }) => [value, label])), total)
  const chosen = readColumns(address.get('columns'), columnsStorage, usualColumns)
  return (
    <Page
      title="Fleet"
      wide
      about="Every device of your models, claimed or not. Owners and locations are visible to the customers only."
      actions={
        <ColumnMenu
          columns={columns}
          chosen={chosen}
          onChange={(names) => filters.setAll({ columns: writeColumns(names, columnsStorage) }, { replace: true })}
        />
      }
    >
      <Group gap="xs">
        <SearchFilter filters={filters} name="search" label="Search devices" placeholder="Search MAC or serial" />
        <StatusFilter filters={filters} />
        <ModelFilter filters={filters} w={180} />
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
        rowKey={rowKey}
        to={({ id }) => `/partner/${partnerId}/devices/${id}`}
        below={(device) => <DeviceReason device={device} />}
        columns={[serialColumn, ...columns.filter(({ name }) => chosen.includes(name))]}
        listKey={JSON.stringify({ ...filters.values, sort })}
        total={total}
        sorting={{ value: sort, set: (value) => filters.setAll({ sort: value }) }}
        empty={
          filters.any ? (
            <NoMatch title="No matching devices" onClear={filters.clear}>
              Search finds any part of a MAC or a serial number.
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

const rowKey = ({ id }: FleetDevice) => id
const serialColumn: ChoosableColumn<FleetDevice> = { name: 'sn', label: 'Serial', cell: ({ sn }) => sn, sort: 'sn' }

function columnsOf(models: Map<string, string>, total: FleetTotal | undefined): ChoosableColumn<FleetDevice>[] {
  const { status, since, reason, lastSeen, mac, model, firmware, registered } = deviceColumns<FleetDevice>(
    models,
    total,
  )
  return [
    ...[status, since, reason, lastSeen, mac, model, firmware],
    {
      name: 'claimed',
      label: 'Claimed',
      cell: ({ claimed }) => <ClaimedBadge claimed={claimed} />,
      width: 125,
      wide: true,
    },
    registered,
  ]
}

export function ClaimedBadge({ claimed }: { claimed: boolean }) {
  return <Badge color={claimed ? 'green' : 'gray'}>{claimed ? 'Claimed' : 'Not claimed'}</Badge>
}
