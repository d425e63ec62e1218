import { Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { usePages, useRead } from '../api/api.tsx'
import { useLiveList } from '../api/live.ts'
import { type Device, deviceName, type Model, type Space } from '../api/organization.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { StatusBadge, statuses } from '../parts/status.tsx'
import { VirtualTable } from '../parts/virtual-table.tsx'
import { When } from '../parts/when.tsx'
import { spaceOptions } from './space-tree.ts'

/** Search and filters live in the address: a filtered list can be sent to a colleague, and Back undoes a filter. */
export function Devices() {
  const { customerId } = useParams()
  const [search, setSearch] = useSearchParams()
  const [typed, setTyped] = useState(search.get('search') ?? '')
  const [settled] = useDebouncedValue(typed, 250)
  const set = (name: string, value: string | null) =>
    setSearch(
      (now) => {
        if (value) now.set(name, value)
        else now.delete(name)
        return now
      },
      { replace: name === 'search' },
    )
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed moves the address
  useEffect(() => {
    if (settled !== (search.get('search') ?? '')) set('search', settled)
  }, [settled])

  const query = Object.fromEntries(['search', 'status', 'space_id', 'model_id'].map((name) => [name, search.get(name)]))
  const list = usePages<Device>('/devices', query)
  useLiveList()
  const models = useRead<{ items: Model[] }>('/models', { limit: 100 })
  const spaces = usePages<Space>('/spaces')
  const spaceNames = new Map(spaces.items.map(({ id, name }) => [id, name]))
  const modelNames = new Map(models.data?.items.map(({ id, name }) => [id, name]))
  const filtered = Object.values(query).some(Boolean)
  const claim = (
    <Button component={Link} to={`/customer/${customerId}/claim`} leftSection={<Icon name="add" />}>
      Claim devices
    </Button>
  )
  return (
    <Page title="Devices" actions={claim}>
      <Group gap="xs">
        <TextInput
          aria-label="Search devices"
          placeholder="Search name, MAC or serial"
          leftSection={<Icon name="search" size={16} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          style={{ flex: '1 1 220px' }}
        />
        <Select
          aria-label="Status"
          placeholder="Any status"
          data={statuses}
          value={search.get('status')}
          onChange={(value) => set('status', value)}
          clearable
          w={140}
        />
        <Select
          aria-label="Model"
          placeholder="Any model"
          data={(models.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.get('model_id')}
          onChange={(value) => set('model_id', value)}
          clearable
          searchable
          w={170}
        />
        <Select
          aria-label="Space"
          placeholder="Any space"
          data={spaceOptions(spaces.items)}
          value={search.get('space_id')}
          onChange={(value) => set('space_id', value)}
          clearable
          searchable
          w={190}
        />
      </Group>
      <VirtualTable
        list={list}
        label="Devices"
        rowKey={({ id }) => id}
        to={({ id }) => `/customer/${customerId}/devices/${id}`}
        columns={[
          { label: 'Name', cell: (device) => deviceName(device), width: '2fr', main: true },
          { label: 'Status', cell: ({ status }) => <StatusBadge status={status} />, width: '110px' },
          { label: 'Last seen', cell: ({ last_seen_at }) => <When at={last_seen_at} short />, width: '1fr' },
          {
            label: 'Model',
            cell: ({ model_id }) => modelNames.get(model_id),
            width: '1.2fr',
            wide: true,
          },
          {
            label: 'Space',
            cell: ({ space_id }) => (space_id ? spaceNames.get(space_id) : ''),
            width: '1fr',
            wide: true,
          },
          { label: 'MAC', cell: ({ mac }) => mac, width: '150px', wide: true, mono: true },
          { label: 'Serial', cell: ({ sn }) => sn, width: '1fr', wide: true, mono: true },
        ]}
        empty={
          filtered ? (
            <Empty
              icon="search"
              title="No device matches"
              action={
                <Button
                  variant="default"
                  onClick={() => {
                    setTyped('')
                    setSearch({})
                  }}
                >
                  Clear the filters
                </Button>
              }
            >
              Search looks at names, MACs and serial numbers, from their beginning.
            </Empty>
          ) : (
            <Empty icon="device" title="No devices yet" action={claim}>
              A partner’s cloud registers a device; you make it yours by entering the MAC and serial number on its
              label.
            </Empty>
          )
        }
      />
    </Page>
  )
}
