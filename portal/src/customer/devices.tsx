import { Badge, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useAll, useApi, usePages, useRead } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import { useLiveList } from '../api/live.ts'
import { notifyError } from '../api/notify.tsx'
import type { ParametersOf } from '../api/operations.ts'
import { type Device, type DeviceTotal, deviceName } from '../api/organization.ts'
import { useMay, useWithin } from '../api/permitted.ts'
import { deviceColumns } from '../components/device/device-columns.tsx'
import { ModelFilter, StatusFilter } from '../components/device/device-filters.tsx'
import { DeviceReason } from '../components/device/device-reason.tsx'
import { SpacePath } from '../components/device/space-path.tsx'
import type { PickerProps } from '../components/form/picker.tsx'
import { SpacePicker } from '../components/form/space-picker.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { settingFilters } from '../components/setting/setting-values.ts'
import { type ChoosableColumn, ColumnMenu, readColumns, writeColumns } from '../components/table/columns.tsx'
import { NoMatch, PickerFilter, SearchFilter, SelectFilter, useFilters } from '../components/table/filters.tsx'
import { maxSelected, useSelection } from '../components/table/selection.ts'
import { DataTable } from '../components/table/table.tsx'
import { useBulk } from './device-bulk.tsx'
import { ViewMenu } from './device-views.tsx'
import { SeenSpaces } from './seen-spaces.tsx'
import { useSelectMatching } from './select-matching.ts'

const columnsStorage = 'landbridge.device-columns'
const usualColumns = ['status', 'since', 'reason', 'space', 'mac', 'model']

export function Devices() {
  const { customerId } = useParams()
  const [address] = useSearchParams()
  const filters = useFilters('search', 'status', 'model_id', 'space_id', 'tag', 'settings')
  const { space_id, ...others } = filters.values
  const query = { ...others, ...(space_id === 'none' ? { no_space: true } : { space_id }) }
  const sort = address.get('sort')
  const list = usePages('GET /core/v1/organization/devices', { ...query, sort })
  const { data: total } = useRead('GET /core/v1/organization/devices/total', query)
  useLiveList()
  const models = useAll('GET /core/v1/organization/models').items
  const tags = useAll('GET /core/v1/organization/device-tags').items
  const listKey = JSON.stringify({ ...query, sort })
  const selection = useSelection(listKey)
  const names = new Map(models.map(({ id, name }) => [id, name]))
  const columns = columnsOf(names, total)
  const chosen = readColumns(address.get('columns'), columnsStorage, usualColumns)
  const mayChange = useMay('devices: manage')
  const seen = useWithin('devices: read')
  const matching = useSelectMatching({ ...query, sort }, listKey, selection)
  // In the order of the list; those that the list has may have changed since all were read.
  const known = new Map([...matching.devices, ...list.items].map((device) => [device.id, device]))
  const bulk = useBulk({
    devices: [...known.values()].filter(({ id }) => selection.has(id)),
    all: total && selection.size < Math.min(total.total, maxSelected) ? { ...matching, total } : null,
    onClear: selection.clear,
  })
  const claim = mayChange && (
    <Button component={Link} to={`/customer/${customerId}/claim`} leftSection={<Icon name="add" />}>
      Claim devices
    </Button>
  )
  return (
    <Page
      title="Devices"
      wide
      actions={
        <>
          <ViewMenu
            address={{ ...filters.values, sort, columns: address.get('columns') }}
            columns={chosen.join(',') || 'none'}
            onOpen={filters.setAll}
          />
          <ColumnMenu
            columns={columns}
            chosen={chosen}
            onChange={(names) => filters.setAll({ columns: writeColumns(names, columnsStorage) }, { replace: true })}
          />
          <ExportButton query={{ ...query, sort }} />
          {claim}
        </>
      }
    >
      <Group gap="xs">
        <SearchFilter filters={filters} name="search" label="Search devices" placeholder="Search name, MAC or serial" />
        <StatusFilter filters={filters} />
        <ModelFilter filters={filters} w={160} />
        <PickerFilter
          filters={filters}
          name="space_id"
          label="Space"
          placeholder="Any space"
          picker={seen === null ? SpaceOrNone : SpacePicker}
          w={170}
        />
        {(tags.length > 0 || filters.values.tag) && (
          <SelectFilter
            filters={filters}
            name="tag"
            label="Tag"
            placeholder="Any tag"
            data={[...new Set([...tags.map(({ tag }) => tag), ...(filters.values.tag ? [filters.values.tag] : [])])]}
            w={140}
          />
        )}
        <SelectFilter
          filters={filters}
          name="settings"
          label="Settings"
          placeholder="Any settings"
          data={settingFilters}
          w={215}
        />
      </Group>
      <DataTable
        list={list}
        label="Devices"
        unit="device"
        rowKey={rowKey}
        to={({ id }) => `/customer/${customerId}/devices/${id}`}
        below={(device) => <WhereAndWhy device={device} />}
        columns={[nameColumn, ...columns.filter(({ name }) => chosen.includes(name))]}
        listKey={listKey}
        total={total}
        sorting={{ value: sort, set: (value) => filters.setAll({ sort: value }) }}
        {...(mayChange ? { selection, selected: bulk.bar } : {})}
        nameOf={deviceName}
        empty={
          filters.any ? (
            <NoMatch title="No matching devices" onClear={filters.clear}>
              Search finds any part of a name, a MAC or a serial number.
            </NoMatch>
          ) : (
            <Empty icon="device" title="No devices yet" action={claim}>
              {claim
                ? 'Claim a device with the MAC and serial number on its label.'
                : 'As soon as somebody claims some, they are shown here.'}{' '}
              <SeenSpaces spaces={seen} />
            </Empty>
          )
        }
      />
      {bulk.dialogs}
    </Page>
  )
}

const noSpace = { value: 'none', label: 'No space' }

function SpaceOrNone(props: PickerProps) {
  return <SpacePicker {...props} first={[noSpace]} />
}

const rowKey = ({ id }: Device) => id
const nameColumn: ChoosableColumn<Device> = { name: 'name', label: 'Name', cell: deviceName, sort: 'name' }

function columnsOf(models: Map<string, string>, total: DeviceTotal | undefined): ChoosableColumn<Device>[] {
  const { status, since, reason, lastSeen, model, mac, firmware, registered } = deviceColumns<Device>(models, total)
  return [
    ...[status, since, reason, lastSeen, model],
    {
      name: 'space',
      label: 'Space',
      cell: ({ space_path }) => <SpacePath path={space_path} />,
      wide: true,
      sort: 'space',
    },
    { name: 'tags', label: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, wide: true },
    mac,
    { name: 'sn', label: 'Serial', cell: ({ sn }) => sn, width: 120, wide: true, mono: true, sort: 'sn' },
    ...[firmware, registered],
  ]
}

function WhereAndWhy({ device }: { device: Device }) {
  return (
    <>
      {device.space_path.length > 0 && <div>{device.space_path.join(' / ')}</div>}
      <DeviceReason device={device} />
    </>
  )
}

function Tags({ tags }: { tags: string[] }) {
  return (
    <Group gap={4} wrap="nowrap" title={tags.join(', ')}>
      {tags.map((tag) => (
        <Badge key={tag} variant="light" tt="none" style={{ flexShrink: 0 }}>
          {tag}
        </Badge>
      ))}
    </Group>
  )
}

function ExportButton({ query }: { query: ParametersOf<'GET /core/v1/organization/devices.csv'> }) {
  const api = useApi()
  const [saving, setSaving] = useState(false)
  const save = async () => {
    setSaving(true)
    await api.save('GET /core/v1/organization/devices.csv', query).catch((error: ApiError) => notifyError(error))
    setSaving(false)
  }
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      loading={saving}
      onClick={() => void save()}
      title="All devices that match, as CSV"
    >
      Export
    </Button>
  )
}
