import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Input,
  NumberInput,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { DictionaryEntry } from '../api/partner.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { Icon } from '../components/page/icon.tsx'
import { type EntryFields, entryOf, fieldsOf, problemsOfFields } from './dictionary-fields.ts'
import { moved, sampleText, typeLabels } from './dictionary-table.tsx'

interface EntryDialogProps {
  entries: DictionaryEntry[]
  /** Behind the last one: a new entry. */
  index: number
  onChange: (entries: DictionaryEntry[]) => void
  onClose: () => void
}

export function EntryDialog({ entries, index, onChange, onClose }: EntryDialogProps) {
  const entry = entries[index]
  const others = new Set(entries.filter((_, at) => at !== index).map(({ key }) => key))
  const form = useForm<EntryFields>({
    initialValues: fieldsOf(entry),
    validate: (fields) => problemsOfFields(fields, others),
  })
  // The problem is that of both, and would stay when only the other one is changed.
  form.watch('min', () => form.clearFieldError('max'))
  const { type } = form.values
  const submit = (fields: EntryFields) => {
    const last = entry ? entries.length - 1 : entries.length
    const position = typeof fields.position === 'number' ? Math.min(Math.max(fields.position, 1) - 1, last) : index
    const next = entry ? entries.with(index, entryOf(fields)) : [...entries, entryOf(fields)]
    onChange(moved(next, index, position))
    onClose()
  }
  return (
    <Dialog title={entry ? `Edit ${entry.label ?? entry.key}` : 'Add data point'} onClose={onClose} size="lg">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              label="Key, as devices send it"
              ff="monospace"
              spellCheck={false}
              required
              {...form.getInputProps('key')}
              {...(entry ? {} : { 'data-autofocus': true })}
            />
            <TextInput label="Label" {...form.getInputProps('label')} {...(entry ? { 'data-autofocus': true } : {})} />
          </SimpleGrid>
          <Input.Wrapper label="Type" labelElement="div">
            <SegmentedControl
              fullWidth
              aria-label="Type"
              data={Object.entries(typeLabels).map(([value, label]) => ({ value, label }))}
              {...form.getInputProps('type')}
            />
          </Input.Wrapper>
          {type === 'number' && <NumberFields form={form} />}
          <ValueFields form={form} />
          <Textarea label="Description" autosize minRows={1} maxRows={4} {...form.getInputProps('description')} />
          <Checkbox
            label="Customers can set it"
            description="The device gets what they want as its settings, and reports what it applied"
            {...form.getInputProps('settable', { type: 'checkbox' })}
          />
          <Group justify="space-between" align="flex-end">
            <Checkbox label="Show in the chart by default" {...form.getInputProps('chart', { type: 'checkbox' })} />
            <NumberInput
              label="Position"
              min={1}
              max={entry ? entries.length : entries.length + 1}
              allowDecimal={false}
              placeholder={String(index + 1)}
              w={110}
              {...form.getInputProps('position')}
            />
          </Group>
          <Group justify="space-between">
            {entry ? (
              <Button
                variant="subtle"
                color="red"
                onClick={() => {
                  onChange(entries.toSpliced(index, 1))
                  onClose()
                }}
              >
                Remove
              </Button>
            ) : (
              <span />
            )}
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit">{entry ? 'Apply' : 'Add'}</Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

type EntryForm = UseFormReturnType<EntryFields>

function NumberFields({ form }: { form: EntryForm }) {
  const shown = entryOf({ ...form.values, values: [] })
  return (
    <>
      <Group grow align="flex-start">
        <TextInput label="Unit" placeholder="°C" {...form.getInputProps('unit')} />
        <NumberInput label="Decimals" min={0} max={10} allowDecimal={false} {...form.getInputProps('decimals')} />
        <NumberInput label="Minimum" {...form.getInputProps('min')} />
        <NumberInput label="Maximum" {...form.getInputProps('max')} />
      </Group>
      <Text size="sm" c="dimmed">
        Shown as <strong>{sampleText(shown)}</strong>. Values out of range are marked.
      </Text>
    </>
  )
}

/** What single values mean: both of a boolean, any of a text or number. */
function ValueFields({ form }: { form: EntryForm }) {
  const { type, values } = form.values
  const isFixed = type === 'boolean'
  const rows = isFixed ? form.values.booleans : values
  const path = isFixed ? 'booleans' : 'values'
  return (
    <Stack gap={6} role="group" aria-label="Meanings">
      <Input.Label labelElement="div">Meanings</Input.Label>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an edited line has no identity but its position
        <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
          {isFixed ? (
            <Text size="sm" ff="monospace" w={60} mt={8}>
              {row.value}
            </Text>
          ) : (
            <TextInput
              aria-label={`Value ${index + 1}`}
              placeholder="Value"
              ff="monospace"
              style={{ flex: 1 }}
              {...form.getInputProps(`${path}.${index}.value`)}
            />
          )}
          <TextInput
            aria-label={`Meaning of ${row.value || `value ${index + 1}`}`}
            placeholder="Meaning"
            style={{ flex: 1 }}
            {...form.getInputProps(`${path}.${index}.label`)}
          />
          <Checkbox
            mt={8}
            label="Alarm"
            {...form.getInputProps(`${path}.${index}.alarm`, { type: 'checkbox' })}
            aria-label={`Alarm at ${row.value || `value ${index + 1}`}`}
          />
          {!isFixed && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove value ${index + 1}`}
              onClick={() => form.removeListItem('values', index)}
            >
              <Icon name="trash" size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!isFixed && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<Icon name="add" size={14} />}
          onClick={() => form.insertListItem('values', { value: '', label: '', alarm: false })}
        >
          Add value
        </Button>
      )}
    </Stack>
  )
}
