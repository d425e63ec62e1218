import { Badge, Button, Group } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useAll, useApi, usePages, useRead } from '../api/api.tsx'
import type { ApiError } from '../api/http.ts'
import { useLiveList } from '../api/live.ts'
import { notifyError } from '../api/notify.tsx'
import {
  type Device,
  type DeviceTag,
  type DeviceTotal,
  deviceName,
  type Model,
  type Space,
} from '../api/organization.ts'
import { useMayChange } from '../api/session.tsx'
import { type ChoosableColumn, ColumnMenu, readColumns, writeColumns } from '../components/columns.tsx'
import { NoMatch, PickerFilter, SearchFilter, SelectFilter, useFilters } from '../components/filters.tsx'
import { Icon } from '../components/icon.tsx'
import { ModelPicker } from '../components/model-picker.tsx'
import { Empty, Page } from '../components/page.tsx'
import type { PickerProps } from '../components/picker.tsx'
import { useSelection } from '../components/selection.ts'
import { StatusBadge, statuses } from '../components/status.tsx'
import { DataTable } from '../components/table.tsx'
import { When } from '../components/when.tsx'
import { BulkBar } from './device-bulk.tsx'
import { ViewMenu } from './device-views.tsx'
import { SpacePicker } from './space-picker.tsx'

const columnsStorage = 'landbridge.device-columns'
const usualColumns = ['status', 'last_seen_at', 'model', 'space', 'mac', 'sn']

export function Devices() {
  const { customerId } = useParams()
  const [address] = useSearchParams()
  const filters = useFilters('search', 'status', 'model_id', 'space_id', 'tag')
  const { space_id, ...others } = filters.values
  const query = { ...others, ...(space_id === 'none' ? { no_space: true } : { space_id }) }
  const sort = address.get('sort')
  const list = usePages<Device>('/devices', { ...query, sort })
  const { data: total } = useRead<DeviceTotal>('/devices/total', query)
  useLiveList()
  const models = useAll<Model>('/models').items
  const spaces = useAll<Space>('/spaces').items
  const tags = useAll<DeviceTag>('/device-tags').items
  const listKey = JSON.stringify({ ...query, sort })
  const selection = useSelection(listKey)
  const names = new Map(models.map(({ id, name }) => [id, name]))
  const columns = columnsOf(names, new Map(spaces.map((space) => [space.id, space])), total)
  const chosen = readColumns(address.get('columns'), columnsStorage, usualColumns)
  const mayChange = useMayChange()
  const claim = mayChange && (
    <Button component={Link} to={`/customer/${customerId}/claim`} leftSection={<Icon name="add" />}>
      Claim devices
    </Button>
  )
  return (
    <Page
      title="Devices"
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
        <SelectFilter filters={filters} name="status" label="Status" placeholder="Any status" data={statuses} w={140} />
        <PickerFilter
          filters={filters}
          name="model_id"
          label="Model"
          placeholder="Any model"
          picker={ModelPicker}
          w={160}
        />
        <PickerFilter
          filters={filters}
          name="space_id"
          label="Space"
          placeholder="Any space"
          picker={SpaceOrNone}
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
      </Group>
      <BulkBar
        devices={selection.size > 0 ? list.items.filter(({ id }) => selection.has(id)) : []}
        onClear={selection.clear}
      />
      <DataTable
        list={list}
        label="Devices"
        unit="device"
        rowKey={rowKey}
        to={({ id }) => `/customer/${customerId}/devices/${id}`}
        columns={[nameColumn, ...columns.filter(({ name }) => chosen.includes(name))]}
        listKey={listKey}
        total={total}
        sorting={{ value: sort, set: (value) => filters.setAll({ sort: value }) }}
        {...(mayChange ? { selection } : {})}
        nameOf={deviceName}
        empty={
          filters.any ? (
            <NoMatch title="No matching devices" onClear={filters.clear}>
              Search finds any part of a name, a MAC or a serial number.
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

const noSpace = { value: 'none', label: 'No space' }

function SpaceOrNone(props: PickerProps) {
  return <SpacePicker {...props} first={[noSpace]} />
}

const rowKey = ({ id }: Device) => id
const nameColumn: ChoosableColumn<Device> = { name: 'name', label: 'Name', cell: deviceName, sort: 'name' }

/** Too many devices cannot be sorted by when they were last seen, which changes with every message. */
function columnsOf(
  models: Map<string, string>,
  spaces: Map<string, Space>,
  total: DeviceTotal | undefined,
): ChoosableColumn<Device>[] {
  return [
    {
      name: 'status',
      label: 'Status',
      cell: ({ status }) => <StatusBadge status={status} />,
      width: 115,
      sort: 'status',
    },
    {
      name: 'last_seen_at',
      label: 'Last seen',
      cell: ({ last_seen_at }) => <When at={last_seen_at} short />,
      width: 112,
      wide: true,
      sort: total?.more ? undefined : 'last_seen_at',
    },
    { name: 'model', label: 'Model', cell: ({ model_id }) => models.get(model_id), wide: true, sort: 'model' },
    {
      name: 'space',
      label: 'Space',
      cell: ({ space_id }) => <SpaceName spaces={spaces} id={space_id} />,
      wide: true,
      sort: 'space',
    },
    { name: 'tags', label: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, wide: true },
    { name: 'mac', label: 'MAC', cell: ({ mac }) => mac, width: 142, wide: 'lg', mono: true, sort: 'mac' },
    { name: 'sn', label: 'Serial', cell: ({ sn }) => sn, width: 120, wide: true, mono: true, sort: 'sn' },
    { name: 'firmware_version', label: 'Firmware', cell: (device) => device.firmware_version, width: 100, wide: true },
    {
      name: 'registered_at',
      label: 'Registered',
      cell: ({ registered_at }) => <When at={registered_at} short />,
      width: 120,
      wide: true,
      sort: 'registered_at',
    },
  ]
}

/** Rooms of two floors may have one name: the whole path is in the tooltip. */
function SpaceName({ spaces, id }: { spaces: Map<string, Space>; id: string | null }) {
  const path: string[] = []
  for (let at = id; at !== null && path.length < 20; ) {
    const space = spaces.get(at)
    if (space) path.unshift(space.name)
    at = space?.parent_id ?? null
  }
  return <span title={path.join(' / ')}>{path.at(-1)}</span>
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

function ExportButton({ query }: { query: Parameters<ReturnType<typeof useApi>['save']>[1] }) {
  const api = useApi()
  const [saving, setSaving] = useState(false)
  const save = async () => {
    setSaving(true)
    await api.save('/devices.csv', query, 'devices.csv').catch((error: ApiError) => notifyError(error))
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
