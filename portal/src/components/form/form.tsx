import { Alert, Button, Stack } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { type ReactNode, useEffect, useRef } from 'react'
import { type ApiError, sentenceOf } from '../../api/http.ts'
import { Icon } from '../page/icon.tsx'
import { Dialog } from './dialog.tsx'
import { fieldMessage } from './field-message.ts'

interface FormProps<Values> {
  /** Absent where there is nothing to fill in. */
  form?: UseFormReturnType<Values>
  change: { mutate: () => void; error: ApiError | null; isPending: boolean }
  verb: string
  /** False while there is nothing to send yet. */
  ready?: boolean
  /** In a dialog the button is as wide as the fields. */
  fullWidth?: boolean
  children: ReactNode
}

/** Fields, the service's errors beside them, and one button. */
export function Form<Values>({ form, change, verb, ready = true, fullWidth = false, children }: FormProps<Values>) {
  const { error } = change
  const getValues = form?.getValues
  const setErrors = form?.setErrors
  useEffect(() => {
    const details = error?.details ?? []
    setErrors?.(
      Object.fromEntries(details.map(({ field, message }) => [fieldOf(getValues?.(), field), fieldMessage(message)])),
    )
  }, [error, getValues, setErrors])
  // `isPending` comes a moment after the click: without this, a double click would send the form twice.
  const sent = useRef(false)
  useEffect(() => {
    if (!change.isPending) sent.current = false
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!ready || change.isPending || sent.current) return
        sent.current = true
        change.mutate()
      }}
    >
      <Stack gap="sm">
        {children}
        {error && error.details.length === 0 && (
          <Alert color="red" icon={<Icon name="alert" />} role="alert" p="xs">
            {sentenceOf(error)}
          </Alert>
        )}
        <Button
          type="submit"
          loading={change.isPending}
          disabled={!ready}
          style={{ alignSelf: fullWidth ? 'stretch' : 'flex-start' }}
        >
          {verb}
        </Button>
      </Stack>
    </form>
  )
}

/** The field that shows an error of `redirect_uris.2`: that path itself, or `redirect_uris` where it is one text field. */
function fieldOf(values: unknown, path: string): string {
  let value = values
  const known: string[] = []
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !(step in value)) break
    value = (value as Record<string, unknown>)[step]
    known.push(step)
  }
  return known.length > 0 ? known.join('.') : path
}

export function FormDialog<Values>({
  title,
  onClose,
  ...form
}: FormProps<Values> & { title: string; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={title}>
      <Form fullWidth {...form} />
    </Dialog>
  )
}
