import { Button, Menu, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useAll, useApi, useChange } from '../api/api.tsx'
import type { DeviceView } from '../api/organization.ts'
import { useMay } from '../api/permitted.ts'
import { Confirm } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Icon } from '../components/page/icon.tsx'
import { compareNames } from '../locale.ts'

/** The parts of the list's address that a view has. */
export const viewParts = ['search', 'status', 'model_id', 'space_id', 'tag', 'settings', 'sort', 'columns'] as const
export type ViewAddress = Record<(typeof viewParts)[number], string | null>

/** `space_id=none` in the address is `no_space` in the API. */
function toQuery({ space_id, columns, ...rest }: ViewAddress): DeviceView['query'] {
  const filters = Object.fromEntries(Object.entries(rest).filter(([, value]) => value))
  return {
    ...filters,
    ...(space_id === 'none' ? { no_space: true } : space_id ? { space_id } : {}),
    ...(columns ? { columns: columns.split(',').filter((name) => name !== 'none') } : {}),
  } as DeviceView['query']
}

function toAddress({ no_space, columns, ...query }: DeviceView['query']): ViewAddress {
  const empty = Object.fromEntries(viewParts.map((part) => [part, null])) as ViewAddress
  return {
    ...empty,
    ...(query as Partial<ViewAddress>),
    ...(no_space ? { space_id: 'none' } : {}),
    ...(columns ? { columns: columns.join(',') || 'none' } : {}),
  }
}

function isShown(view: DeviceView, address: ViewAddress): boolean {
  const wanted = toAddress(view.query)
  return viewParts.every((part) => (wanted[part] ?? null) === (address[part] ?? null))
}

interface ViewMenuProps {
  address: ViewAddress
  /** The columns that are shown, also where the address does not name them. */
  columns: string
  onOpen: (address: ViewAddress) => void
}

export function ViewMenu({ address, columns, onOpen }: ViewMenuProps) {
  const views = useAll('GET /core/v1/organization/device-views').items.toSorted(compareNames)
  const mayChange = useMay('devices: manage')
  const [dialog, setDialog] = useState<'save' | DeviceView | null>(null)
  const shown = views.find((view) => isShown(view, address))
  const saved = { ...address, columns }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="bookmark" size={16} />} maw={220}>
            {shown?.name ?? 'Views'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown maw={320} mah={420} style={{ overflowY: 'auto' }}>
          {views.length === 0 && <Menu.Label>No saved views yet</Menu.Label>}
          {views.map((view) => (
            <Menu.Item
              key={view.id}
              onClick={() => onOpen(toAddress(view.query))}
              rightSection={view === shown ? <Icon name="check" size={16} /> : null}
            >
              <Text size="sm" truncate>
                {view.name}
              </Text>
            </Menu.Item>
          ))}
          {mayChange && <Menu.Divider />}
          {mayChange && (
            <Menu.Item leftSection={<Icon name="add" size={16} />} onClick={() => setDialog('save')}>
              Save this view
            </Menu.Item>
          )}
          {mayChange && shown && (
            <Menu.Item
              c="var(--mantine-color-error)"
              leftSection={<Icon name="trash" size={16} />}
              onClick={() => setDialog(shown)}
            >
              Delete “{shown.name}”
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'save' && <SaveView address={saved} views={views} onOpen={onOpen} onClose={() => setDialog(null)} />}
      {dialog !== null && dialog !== 'save' && <DeleteView view={dialog} onClose={() => setDialog(null)} />}
    </>
  )
}

interface SaveViewProps {
  address: ViewAddress
  views: DeviceView[]
  onOpen: (address: ViewAddress) => void
  onClose: () => void
}

/** Under the name of another view, it replaces that one. */
function SaveView({ address, views, onOpen, onClose }: SaveViewProps) {
  const api = useApi()
  const form = useForm({ initialValues: { name: '' } })
  const name = form.values.name.trim()
  const same = views.find((view) => view.name.toLowerCase() === name.toLowerCase())
  const save = useChange<void, DeviceView>({
    run: () => {
      const query = toQuery(address)
      return same
        ? api.send('PATCH /core/v1/organization/device-views/{id}', { id: same.id, body: { query } })
        : api.send('POST /core/v1/organization/device-views', { body: { name, query } })
    },
    invalidates: ['GET /core/v1/organization/device-views'],
    done: (view) => {
      onClose()
      onOpen(toAddress(view.query))
      return 'View saved.'
    },
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title="Save this view"
      verb={same ? 'Replace' : 'Save'}
      ready={name !== ''}
      change={save}
      onClose={onClose}
    >
      <Text size="sm">Saves filters, order and columns for all administrators of this organization.</Text>
      <TextInput
        label="Name"
        placeholder="Offline on the roof"
        {...form.getInputProps('name')}
        {...(same ? { description: 'Replaces the view of this name.' } : {})}
        data-autofocus
      />
    </FormDialog>
  )
}

function DeleteView({ view, onClose }: { view: DeviceView; onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () => api.send('DELETE /core/v1/organization/device-views/{id}', { id: view.id }),
    invalidates: ['GET /core/v1/organization/device-views'],
    done: () => 'View deleted.',
    silent: true,
  })
  return (
    <Confirm
      title={`Delete “${view.name}”?`}
      verb="Delete view"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      All administrators of this organization lose this view. The devices stay.
    </Confirm>
  )
}
