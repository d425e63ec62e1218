import { Button, Checkbox, Group, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useRead } from '../api/api.tsx'
import type { DictionaryEntry, Model, Suggestion } from '../api/partner.ts'
import { formatValue, toDictionary } from '../components/device/data-points.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { Loaded } from '../components/page/page.tsx'
import { typeLabels } from './dictionary-table.tsx'

interface SuggestedEntriesProps {
  model: Model
  known: DictionaryEntry[]
  onAdd: (entries: DictionaryEntry[]) => void
  onClose: () => void
}

/** Entries for what the model's newest devices have sent and the dictionary does not have. */
export function SuggestedEntries({ model, known, onAdd, onClose }: SuggestedEntriesProps) {
  const read = useRead('GET /core/v1/partner/models/{id}/dictionary/suggestions', { id: model.id })
  const knownKeys = new Set(known.map(({ key }) => key))
  return (
    <Dialog title="Suggest from devices" onClose={onClose} size="lg">
      <Loaded of={read}>
        {({ items }) => {
          const unknown = items.filter(({ entry }) => !knownKeys.has(entry.key))
          if (unknown.length === 0) {
            return (
              <Text size="sm" c="dimmed" py="md">
                {items.length === 0
                  ? 'No device of this model has sent anything yet.'
                  : 'The dictionary has everything that devices have sent.'}
              </Text>
            )
          }
          return <Choice suggestions={unknown} onAdd={onAdd} onClose={onClose} />
        }}
      </Loaded>
    </Dialog>
  )
}

interface ChoiceProps {
  suggestions: Suggestion[]
  onAdd: (entries: DictionaryEntry[]) => void
  onClose: () => void
}

function Choice({ suggestions, onAdd, onClose }: ChoiceProps) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const chosen = suggestions.filter(({ entry }) => !left.has(entry.key)).map(({ entry }) => entry)
  const choose = (key: string, chosen: boolean) =>
    setLeft(chosen ? new Set([...left].filter((other) => other !== key)) : new Set([...left, key]))
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        From the latest values of the 100 newest devices. You can change everything before you save.
      </Text>
      <Table.ScrollContainer minWidth={0} type="native" mah={420}>
        <Table aria-label="Suggestions" verticalSpacing={5}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Data point</Table.Th>
              <Table.Th visibleFrom="xs">Type</Table.Th>
              <Table.Th>Latest values</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {suggestions.map(({ entry, devices, ...seen }) => (
              <Table.Tr key={entry.key}>
                <Table.Td>
                  <Checkbox
                    label={entry.label ?? entry.key}
                    description={entry.label === undefined ? undefined : entry.key}
                    checked={!left.has(entry.key)}
                    onChange={(event) => choose(entry.key, event.currentTarget.checked)}
                  />
                </Table.Td>
                <Table.Td visibleFrom="xs">
                  <Text size="sm" c="dimmed">
                    {typeLabels[entry.type]}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Text size="sm" className="numbers">
                    {seenText(entry, seen)}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {devices === 1 ? '1 device' : `${devices} devices`}
                  </Text>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          disabled={chosen.length === 0}
          onClick={() => {
            onAdd(chosen)
            onClose()
          }}
        >
          {chosen.length === 1 ? 'Add 1 data point' : `Add ${chosen.length} data points`}
        </Button>
      </Group>
    </Stack>
  )
}

function seenText(entry: DictionaryEntry, { min, max }: Pick<Suggestion, 'min' | 'max'>): string {
  const written = (value: number) => formatValue(toDictionary([entry]), entry.key, value)
  if (min !== null && max !== null) return min === max ? written(min) : `${written(min)} to ${written(max)}`
  return (entry.values ?? []).map(({ value, label }) => label ?? String(value)).join(', ')
}
