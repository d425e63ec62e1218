import { Badge, Button, Group, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { usePages } from '../api/api.tsx'
import type { FleetDevice, Model } from '../api/partner.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Page } from '../parts/page.tsx'
import { StatusBadge, statuses } from '../parts/status.tsx'
import { VirtualTable } from '../parts/virtual-table.tsx'
import { When } from '../parts/when.tsx'

export function Fleet() {
  const { partnerId } = useParams()
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
  const query = Object.fromEntries(['search', 'status', 'model_id', 'claimed'].map((name) => [name, search.get(name)]))
  const list = usePages<FleetDevice>('/devices', query)
  const models = usePages<Model>('/models')
  const modelNames = new Map(models.items.map(({ id, name }) => [id, name]))
  const filtered = Object.values(query).some(Boolean)
  return (
    <Page
      title="Fleet"
      about="Every device of your models, claimed or not. Whose they are and where they stand is the customers’ own affair."
    >
      <Group gap="xs">
        <TextInput
          aria-label="Search devices"
          placeholder="Search MAC or serial"
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
          data={models.items.map(({ id, name }) => ({ value: id, label: name }))}
          value={search.get('model_id')}
          onChange={(value) => set('model_id', value)}
          clearable
          searchable
          w={180}
        />
        <Select
          aria-label="Claimed"
          placeholder="Claimed or not"
          data={[
            { value: 'true', label: 'Claimed' },
            { value: 'false', label: 'Not claimed' },
          ]}
          value={search.get('claimed')}
          onChange={(value) => set('claimed', value)}
          clearable
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
          { label: 'Model', cell: ({ model_id }) => modelNames.get(model_id), width: '1.2fr', wide: true },
          { label: 'Firmware', cell: ({ firmware_version }) => firmware_version, width: '0.8fr', wide: true },
          {
            label: 'Claimed',
            cell: ({ claimed }) => (
              <Badge color={claimed ? 'green' : 'gray'}>{claimed ? 'Claimed' : 'Not claimed'}</Badge>
            ),
            width: '120px',
            wide: true,
          },
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
              Search looks at the beginning of MACs and serial numbers.
            </Empty>
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
