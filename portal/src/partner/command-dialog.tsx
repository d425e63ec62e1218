import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import type { DeclaredCommand } from '../api/commands.ts'
import { ApiError, sentenceOf } from '../api/http.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { DurationField } from '../components/form/duration-field.tsx'
import { fieldMessage } from '../components/form/field-message.ts'
import { Icon } from '../components/page/icon.tsx'
import {
  type CommandFields,
  commandField,
  commandFields,
  commandOf,
  durations,
  emptyParameter,
  maxParameters,
  problemsOfCommand,
} from './command-fields.ts'
import { ParameterLimits } from './command-limits.tsx'
import { typeLabels } from './dictionary-table.tsx'

interface CommandDialogProps {
  commands: DeclaredCommand[]
  /** Behind the last one: a new command. */
  index: number
  /** Saves all commands. */
  onSave: (commands: DeclaredCommand[]) => Promise<unknown>
  isSaving: boolean
  onClose: () => void
}

export function CommandDialog({ commands, index, onSave, isSaving, onClose }: CommandDialogProps) {
  const command = commands[index]
  const others = new Set(commands.filter((_, at) => at !== index).map(({ name }) => name))
  const form = useForm<CommandFields>({
    initialValues: commandFields(command),
    validate: (fields) => problemsOfCommand(fields, others),
  })
  const save = async (fields: CommandFields) => {
    try {
      await onSave(commands.toSpliced(index, 1, commandOf(fields)))
      onClose()
    } catch (error) {
      form.setErrors(problemsIn(error))
    }
  }
  const showFirst = (errors: object) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus()
  return (
    <Dialog
      title={command ? `Edit ${command.label ?? command.name}` : 'Add command'}
      onClose={onClose}
      size="lg"
      closeOnClickOutside={false}
    >
      <form onSubmit={form.onSubmit((fields) => void save(fields), showFirst)} noValidate>
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              label="Name, as devices get it"
              placeholder="set_temperature"
              classNames={{ input: 'monospace' }}
              spellCheck={false}
              required
              {...form.getInputProps('name')}
              {...(command ? {} : { 'data-autofocus': true })}
            />
            <TextInput
              label="Label of the button"
              placeholder="Set temperature"
              {...form.getInputProps('label')}
              {...(command ? { 'data-autofocus': true } : {})}
            />
          </SimpleGrid>
          <Textarea
            label="Description"
            placeholder="What the device does, and what people should know before"
            autosize
            minRows={1}
            maxRows={4}
            {...form.getInputProps('description')}
          />
          <Parameters form={form} />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <DurationField
              label="Expires after"
              {...durations.expires_after}
              {...form.getInputProps('expires_after')}
            />
            <DurationField label="Time to execute" {...durations.timeout} {...form.getInputProps('timeout')} />
          </SimpleGrid>
          <Text size="xs" c="dimmed">
            A device that does not fetch the command before it expires never gets it. A device that began and reports
            nothing for the time to execute leaves the result unknown.
          </Text>
          <Checkbox
            label="Ask for confirmation"
            description="For what interrupts people or cannot be undone"
            {...form.getInputProps('confirm', { type: 'checkbox' })}
          />
          <Checkbox
            label="Only while the device is online"
            description="Otherwise it is refused instead of waiting"
            {...form.getInputProps('requires_online', { type: 'checkbox' })}
          />
          {form.errors.form && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert" style={{ whiteSpace: 'pre-line' }}>
              {form.errors.form}
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSaving}>
              {command ? 'Save command' : 'Add command'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Beside the fields, and below them what belongs to none. */
function problemsIn(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return { form: (error as Error).message }
  // The notification says it, and the page has the other version.
  if (error.status === 412)
    return { form: 'Someone else changed the commands of this model. Close this, then begin again.' }
  if (error.details.length === 0) return { form: sentenceOf(error) }
  return Object.fromEntries(
    error.details.map(({ field, message }) =>
      field.startsWith('commands.') ? [commandField(field), fieldMessage(message)] : ['form', `${field} ${message}.`],
    ),
  )
}

function Parameters({ form }: { form: UseFormReturnType<CommandFields> }) {
  const { parameters } = form.values
  return (
    <Stack gap="xs" role="group" aria-label="Parameters">
      <Group justify="space-between">
        <Title order={3}>Parameters</Title>
        {parameters.length < maxParameters && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="add" size={14} />}
            onClick={() => form.insertListItem('parameters', emptyParameter())}
          >
            Add parameter
          </Button>
        )}
      </Group>
      {parameters.length === 0 && (
        <Text size="sm" c="dimmed">
          None: the command is sent with one click.
        </Text>
      )}
      {parameters.map((parameter, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an edited parameter has no identity but its position
        <Paper key={index} withBorder p="sm" role="group" aria-label={`Parameter ${index + 1}`}>
          <Stack gap="xs">
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                label="Key"
                classNames={{ input: 'monospace' }}
                spellCheck={false}
                required
                style={{ flex: 1, minWidth: 0 }}
                {...form.getInputProps(`parameters.${index}.key`)}
              />
              <TextInput
                label="Label"
                style={{ flex: 1, minWidth: 0 }}
                {...form.getInputProps(`parameters.${index}.label`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                mt={24}
                aria-label={`Remove parameter ${parameter.key || index + 1}`}
                onClick={() => form.removeListItem('parameters', index)}
              >
                <Icon name="trash" size={16} />
              </ActionIcon>
            </Group>
            <Group gap="xs" align="flex-start">
              <Select
                label="Type"
                w={130}
                allowDeselect={false}
                data={Object.entries(typeLabels).map(([value, label]) => ({ value, label }))}
                {...form.getInputProps(`parameters.${index}.type`)}
              />
              <ParameterLimits form={form} index={index} />
            </Group>
            {parameter.type !== 'boolean' && (
              <TagsInput
                label="Allowed values"
                description="Enter after each. None: any within the limits"
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                {...form.getInputProps(`parameters.${index}.values`)}
              />
            )}
            <Group gap="lg">
              <Checkbox
                label="Required"
                {...form.getInputProps(`parameters.${index}.required`, { type: 'checkbox' })}
              />
              <Checkbox
                label="Secret: never shown, erased when the command ends"
                {...form.getInputProps(`parameters.${index}.secret`, { type: 'checkbox' })}
              />
            </Group>
          </Stack>
        </Paper>
      ))}
    </Stack>
  )
}
