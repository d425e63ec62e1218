import { Alert, Button, Stack } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ApiError } from '../api/http.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

interface Typed {
  currentTarget: { value: string }
}

/** What a form holds, and what ties an input to it: its value, its change, and the service's words beside the field it names. */
export function useFields<Form extends object>(first: Form | (() => Form)) {
  const [form, setForm] = useState(first)
  const fieldsOf = (error: ApiError | null) => {
    const words = new Map(error?.details?.map(({ field, message }) => [field, message]))
    return <Name extends keyof Form & string>(name: Name, nameOnTheWire: string = name) => ({
      value: form[name],
      onChange: (input: Form[Name] | Typed) => {
        const value = isTyped(input) ? input.currentTarget.value : input
        setForm((now) => ({ ...now, [name]: value }))
      },
      error: words.get(nameOnTheWire),
    })
  }
  return [form, fieldsOf, setForm] as const
}

/** Some inputs tell an event, some the value itself. */
function isTyped(input: unknown): input is Typed {
  return typeof input === 'object' && input !== null && 'currentTarget' in input
}

interface FormProps {
  change: { mutate: () => void; error: ApiError | null; isPending: boolean }
  verb: string
  /** False while there is nothing to send yet. */
  ready?: boolean
  children: ReactNode
}

/** Fields, what the service refused, and one button. */
export function Form({ change, verb, ready = true, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) change.mutate()
      }}
    >
      <Stack gap="sm">
        {children}
        <FormFailure error={change.error} />
        <Button type="submit" loading={change.isPending} disabled={!ready}>
          {verb}
        </Button>
      </Stack>
    </form>
  )
}

export function FormDialog({ title, onClose, ...form }: FormProps & { title: string; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={title}>
      <Form {...form} />
    </Dialog>
  )
}

/** What no single field can say. */
export function FormFailure({ error }: { error: ApiError | null }) {
  if (!error || error.details?.length > 0) return null
  return (
    <Alert color="red" icon={<Icon name="alert" />} role="alert" p="xs">
      {error.message}
    </Alert>
  )
}
