import { Button, Group, Menu } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { useMay } from '../api/permitted.ts'
import type { SettingTemplate } from '../api/settings.ts'
import { formatValue, labelOf } from '../components/device/data-points.ts'
import { ModelFilter } from '../components/device/device-filters.tsx'
import { useDictionaries } from '../components/device/dictionary.ts'
import { SpacePath } from '../components/device/space-path.tsx'
import { Confirm } from '../components/form/dialog.tsx'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { NoMatch, useFilters } from '../components/table/filters.tsx'
import { DataTable } from '../components/table/table.tsx'
import { ApplyTemplate } from './template-apply.tsx'
import { TemplateDialog } from './template-dialog.tsx'
import { placeOf } from './template-place.ts'

type Open = { dialog: 'new' } | { dialog: 'edit' | 'apply' | 'delete'; template: SettingTemplate } | null

/** What devices of a model should have in a space, so that those that differ are found and brought in step. */
export function SettingTemplates() {
  const filters = useFilters('model_id')
  const list = usePages('GET /core/v1/organization/setting-templates', filters.values)
  const textOf = useValuesText(list.items)
  const mayChange = useMay('devices: command')
  const [open, setOpen] = useState<Open>(null)
  const onClose = () => setOpen(null)
  const add = mayChange && (
    <Button leftSection={<Icon name="add" />} onClick={() => setOpen({ dialog: 'new' })}>
      New template
    </Button>
  )
  return (
    <Page
      title="Setting templates"
      about="What devices of a model should have, everywhere or in one space. A template changes no device by itself: devices that differ are marked, and you apply it."
      actions={add}
      wide
    >
      {(list.items.length > 0 || filters.any) && <ModelFilter filters={filters} w={220} />}
      <DataTable
        list={list}
        label="Setting templates"
        unit="template"
        rowKey={({ id }) => id}
        below={(template) => (
          <>
            <div>{placeOf(template)}</div>
            <div>{textOf(template)}</div>
          </>
        )}
        columns={[
          { label: 'Model', cell: ({ model_name }) => model_name },
          {
            label: 'Space',
            cell: ({ space_id, space_path }) => (space_id ? <SpacePath path={space_path} /> : 'Everywhere'),
            wide: true,
          },
          { label: 'Settings', cell: textOf, wide: true },
          { label: 'Changed', cell: ({ changed_at }) => <When at={changed_at} short />, width: 115, wide: true },
          ...(mayChange
            ? [
                {
                  label: 'Actions',
                  actions: true,
                  width: 130,
                  cell: (template: SettingTemplate) => <TemplateActions template={template} onOpen={setOpen} />,
                },
              ]
            : []),
        ]}
        empty={
          filters.any ? (
            <NoMatch title="No matching templates" onClear={filters.clear}>
              No template is for this model.
            </NoMatch>
          ) : (
            <Empty icon="sliders" title="No templates yet" action={add}>
              Create one for a model whose devices should have the same settings, such as a set point for all rooms of a
              building.
            </Empty>
          )
        }
      />
      {open?.dialog === 'new' && <TemplateDialog onClose={onClose} />}
      {open?.dialog === 'edit' && <TemplateDialog template={open.template} onClose={onClose} />}
      {open?.dialog === 'apply' && <ApplyTemplate template={open.template} onClose={onClose} />}
      {open?.dialog === 'delete' && <DeleteTemplate template={open.template} onClose={onClose} />}
    </Page>
  )
}

const shownValues = 6

/** `Setpoint 21.0 °C, Mode Comfort` */
function useValuesText(templates: SettingTemplate[]): (template: SettingTemplate) => string {
  const dictionaries = useDictionaries([...new Set(templates.map(({ model_id }) => model_id))])
  return ({ model_id, values }) => {
    const dictionary = dictionaries.get(model_id) ?? new Map()
    const shown = Object.entries(values)
      .slice(0, shownValues)
      .map(([key, value]) => `${labelOf(dictionary, key)} ${formatValue(dictionary, key, value)}`)
    const more = Object.keys(values).length - shown.length
    return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
  }
}

function TemplateActions({ template, onOpen }: { template: SettingTemplate; onOpen: (open: Open) => void }) {
  const name = `${template.model_name}, ${placeOf(template)}`
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      <Button size="compact-sm" variant="default" onClick={() => onOpen({ dialog: 'apply', template })}>
        Apply<span className="visually-hidden"> {name}</span>
      </Button>
      <ActionMenu label={`Actions for ${name}`} needs="devices: command">
        <Menu.Item onClick={() => onOpen({ dialog: 'edit', template })}>Edit</Menu.Item>
        <Menu.Item c="var(--mantine-color-error)" onClick={() => onOpen({ dialog: 'delete', template })}>
          Delete
        </Menu.Item>
      </ActionMenu>
    </Group>
  )
}

function DeleteTemplate({ template, onClose }: { template: SettingTemplate; onClose: () => void }) {
  const api = useApi()
  const remove = useChange({
    run: () => api.send('DELETE /core/v1/organization/setting-templates/{id}', { id: template.id }),
    invalidates: ['GET /core/v1/organization/setting-templates', 'GET /core/v1/organization/devices'],
    done: () => 'Template deleted.',
    silent: true,
  })
  return (
    <Confirm
      title={`Delete the template for ${template.model_name}, ${placeOf(template)}?`}
      verb="Delete template"
      onConfirm={() => remove.mutateAsync()}
      onClose={onClose}
    >
      Devices keep the settings that they have. They are no longer compared with this template.
    </Confirm>
  )
}
