import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { ApiError } from '../api/http.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  title: string
  /** What it will break, exactly. */
  children: ReactNode
  verb: string
  /** Asked to be typed, for what cannot be undone. */
  name?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

export function Confirm({ title, children, verb, name, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const [busy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const ready = name === undefined || typed.trim() === name.trim()
  const act = async () => {
    setBusy(true)
    setRefusal(null)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setRefusal((error as ApiError).message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) void act()
        }}
      >
        <Stack gap="sm">
          <Text size="sm" component="div">
            {children}
          </Text>
          {name !== undefined && (
            <TextInput
              data-autofocus
              label={
                <>
                  Type <strong>{name}</strong> to confirm
                </>
              }
              value={typed}
              autoComplete="off"
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          {refusal && (
            <Text c="var(--mantine-color-error)" size="sm" role="alert">
              {refusal}
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button color="red.9" type="submit" disabled={!ready} loading={busy}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
