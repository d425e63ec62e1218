import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type ReactNode, useRef } from 'react'
import type { DeclaredCommand } from '../api/commands.ts'
import { ApiError, sentenceOf } from '../api/http.ts'
import { commandLabel } from '../components/command/command-words.ts'
import { ParameterFields } from '../components/command/parameter-fields.tsx'
import {
  emptyValues,
  formField,
  parametersOf,
  problemsOfValues,
  type Scalar,
  type Typed,
} from '../components/command/parameter-values.ts'
import { Dialog } from '../components/form/dialog.tsx'
import { fieldMessage } from '../components/form/field-message.ts'
import { durationWords } from '../components/page/duration.ts'
import { Icon } from '../components/page/icon.tsx'

export type Parameters = Record<string, Scalar> | undefined

interface CommandFormProps {
  command: DeclaredCommand
  /** For the button: `Restart`, `Restart 12 devices`. */
  verb: string
  /** What it is sent to, for the question where the command asks for one. */
  target: string
  /** Why it cannot be sent now. */
  blocked?: string | null
  isSending: boolean
  onSend: (parameters: Parameters) => Promise<unknown>
  onClose: () => void
  children?: ReactNode
}

/** The fields of a command, its question where it asks for one, and the button. */
export function CommandForm(props: CommandFormProps) {
  const { command, verb, target, blocked, isSending, onSend, onClose, children } = props
  const { parameters = [], description, confirm } = command
  const form = useForm<{ values: Typed[] }>({
    initialValues: { values: emptyValues(parameters) },
    validate: ({ values }) => problemsOfValues(parameters, values),
  })
  // `isSending` comes a moment after the click: without this, a double click would send it twice.
  const sending = useRef(false)
  const send = async ({ values }: { values: Typed[] }) => {
    if (sending.current) return
    sending.current = true
    try {
      await onSend(parametersOf(parameters, values))
    } catch (error) {
      form.setErrors(problemsIn(command, error))
    } finally {
      sending.current = false
    }
  }
  const showFirst = (errors: object) => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus()
  return (
    <form onSubmit={form.onSubmit((values) => void send(values), showFirst)} noValidate>
      <Stack gap="sm">
        {description && <Text size="sm">{description}</Text>}
        <ParameterFields parameters={parameters} form={form} />
        {children}
        {blocked && (
          <Alert color="yellow" icon={<Icon name="alert" />} p="xs" role="alert">
            {blocked}
          </Alert>
        )}
        {confirm && !blocked && (
          <Alert color="yellow" icon={<Icon name="alert" />} p="xs">
            Send this command to {target}? It may not be possible to undo it.
          </Alert>
        )}
        {form.errors.form && (
          <Alert color="red" icon={<Icon name="alert" />} role="alert" p="xs">
            {form.errors.form}
          </Alert>
        )}
        {!blocked && (
          <Text size="xs" c="dimmed">
            Expires after {durationWords(command.expires_after ?? 3_600)}: a device that has not fetched it by then
            never gets it.
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isSending}
            disabled={Boolean(blocked)}
            {...(confirm ? { color: 'red.9' } : {})}
          >
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function problemsIn({ parameters = [] }: DeclaredCommand, error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return { form: (error as Error).message }
  if (error.details.length === 0) return { form: sentenceOf(error) }
  return Object.fromEntries(
    error.details.map(({ field, message }) => {
      const at = formField(parameters, field)
      return at.startsWith('values.') ? [at, fieldMessage(message)] : ['form', `${field} ${message}.`]
    }),
  )
}

export function CommandDialog(props: CommandFormProps) {
  return (
    <Dialog title={commandLabel(props.command)} onClose={props.onClose}>
      <CommandForm {...props} />
    </Dialog>
  )
}
