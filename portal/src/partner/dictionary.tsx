import { Alert, Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange } from '../api/api.tsx'
import { type ApiError, saveFile, sentenceOf } from '../api/http.ts'
import type { DictionaryEntry, Model } from '../api/partner.ts'
import { ActionMenu } from '../components/page/action-menu.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Loaded, Panel } from '../components/page/page.tsx'
import { type DictionaryDraft, useDictionaryDraft } from './dictionary-draft.ts'
import { EntryDialog } from './dictionary-entry.tsx'
import { ImportDictionary } from './dictionary-import.tsx'
import { problemSentence } from './dictionary-problems.ts'
import { SuggestedEntries } from './dictionary-suggestions.tsx'
import { DictionaryTable } from './dictionary-table.tsx'

type Open = { dialog: 'suggest' | 'import' } | { dialog: 'entry'; index: number } | null

/** What the data points of a model mean. Changes are collected and saved together. */
export function Dictionary({ model }: { model: Model }) {
  const draft = useDictionaryDraft(model.id)
  const [open, setOpen] = useState<Open>(null)
  const onClose = () => setOpen(null)
  const { entries, change } = draft
  return (
    <Loaded of={draft.saved}>
      {() => (
        <Panel
          title="Data dictionary"
          actions={entries.length > 0 && <Actions model={model} entries={entries} onOpen={setOpen} />}
        >
          <Stack gap="sm">
            <Text size="sm" c="dimmed" maw={720}>
              Labels, units and meanings of what devices of this model send. They are used in the customer portal, in
              charts, exports and the simulator. Telemetry that does not match is stored as before.
            </Text>
            <Unsaved draft={draft} />
            {entries.length === 0 ? (
              <NoEntries onOpen={setOpen} />
            ) : (
              <FilteredTable
                entries={entries}
                onChange={change}
                onEdit={(index) => setOpen({ dialog: 'entry', index })}
              />
            )}
          </Stack>
          {open?.dialog === 'suggest' && (
            <SuggestedEntries
              model={model}
              known={entries}
              onAdd={(added) => change([...entries, ...added])}
              onClose={onClose}
            />
          )}
          {open?.dialog === 'import' && <ImportDictionary draft={draft} onClose={onClose} />}
          {open?.dialog === 'entry' && (
            <EntryDialog entries={entries} index={open.index} onChange={change} onClose={onClose} />
          )}
        </Panel>
      )}
    </Loaded>
  )
}

interface ActionsProps {
  model: Model
  entries: DictionaryEntry[]
  onOpen: (open: Open) => void
}

function Actions({ model, entries, onOpen }: ActionsProps) {
  const api = useApi()
  const download = useChange({
    run: () => api.save('GET /core/v1/partner/models/{id}/openapi.json', { id: model.id }, 'openapi.json'),
  })
  const fileName = `${model.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').toLowerCase()}-dictionary.json`
  return (
    <Group gap="xs">
      <Button variant="default" onClick={() => onOpen({ dialog: 'suggest' })}>
        Suggest from devices
      </Button>
      <Button
        variant="default"
        leftSection={<Icon name="add" size={14} />}
        onClick={() => onOpen({ dialog: 'entry', index: entries.length })}
      >
        Add data point
      </Button>
      <ActionMenu label="More actions" size={36}>
        <Menu.Item onClick={() => onOpen({ dialog: 'import' })}>Import JSON</Menu.Item>
        <Menu.Item
          onClick={() =>
            saveFile(
              new Blob([`${JSON.stringify({ data_points: entries }, null, 2)}\n`], { type: 'application/json' }),
              fileName,
            )
          }
        >
          Export JSON
        </Menu.Item>
        <Menu.Item onClick={() => download.mutate()}>Download OpenAPI document</Menu.Item>
      </ActionMenu>
    </Group>
  )
}

function NoEntries({ onOpen }: { onOpen: (open: Open) => void }) {
  return (
    <Empty
      icon="gauge"
      title="No data points described yet"
      action={
        <Group gap="xs" justify="center">
          <Button onClick={() => onOpen({ dialog: 'suggest' })}>Suggest from devices</Button>
          <Button variant="default" onClick={() => onOpen({ dialog: 'entry', index: 0 })}>
            Add data point
          </Button>
          <Button variant="default" onClick={() => onOpen({ dialog: 'import' })}>
            Import JSON
          </Button>
        </Group>
      }
    >
      Customers see the keys as devices send them. Start with what your devices have sent, then adjust.
    </Empty>
  )
}

/** What is not saved yet, and why it could not be saved. */
function Unsaved({ draft }: { draft: DictionaryDraft }) {
  const { error } = draft
  if (!draft.isChanged) return null
  if (draft.isOutdated) {
    return (
      <Alert color="yellow" icon={<Icon name="alert" />} title="Someone else changed this dictionary" role="alert">
        <Text size="sm" mb="xs">
          Your changes are not saved. Saving them replaces the other version.
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={draft.discard}>
            Show the other version
          </Button>
          <Button size="xs" onClick={draft.overwrite} loading={draft.isSaving}>
            Save mine
          </Button>
        </Group>
      </Alert>
    )
  }
  return (
    <div className="banner">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} role="status">
          Unsaved changes
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={draft.discard}>
            Discard
          </Button>
          <Button size="xs" onClick={draft.save} loading={draft.isSaving}>
            Save changes
          </Button>
        </Group>
      </Group>
      {error && (
        <Stack gap={2} mt="xs" role="alert">
          {problemsIn(draft.entries, error).map((problem) => (
            <Text key={problem} size="sm" c="var(--mantine-color-error)" style={{ overflowWrap: 'anywhere' }}>
              {problem}
            </Text>
          ))}
        </Stack>
      )}
    </div>
  )
}

function problemsIn(entries: DictionaryEntry[], error: ApiError): string[] {
  if (error.details.length === 0) return [sentenceOf(error)]
  return error.details.map((detail) => problemSentence(entries, detail))
}

interface FilteredTableProps {
  entries: DictionaryEntry[]
  onChange: (entries: DictionaryEntry[]) => void
  onEdit: (index: number) => void
}

/** Fewer need no search. */
const manyEntries = 12

function FilteredTable({ entries, onChange, onEdit }: FilteredTableProps) {
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const fits = ({ key, label = '' }: DictionaryEntry) => `${key}\n${label}`.toLowerCase().includes(wanted)
  return (
    <>
      {entries.length > manyEntries && (
        <Group gap="sm">
          <TextInput
            aria-label="Search data points"
            placeholder="Search"
            leftSection={<Icon name="search" size={14} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            maw={280}
          />
          <Text size="sm" c="dimmed" role="status">
            {wanted
              ? `${entries.filter(fits).length} of ${entries.length} data points`
              : `${entries.length} data points`}
          </Text>
        </Group>
      )}
      <DictionaryTable entries={entries} {...(wanted ? { fits } : {})} onChange={onChange} onEdit={onEdit} />
    </>
  )
}
