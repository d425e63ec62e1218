import { Alert, Button, Group, Modal, type ModalProps, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError, sentenceOf } from '../../api/http.ts'
import { CodeBlock } from '../page/copy.tsx'
import { Icon } from '../page/icon.tsx'

/**
 * Open while it is mounted; returns the focus when it unmounts.
 *
 * Not @mantine/modals: it renders its dialogs from a store above the page, where they miss the page's API and new data,
 * and its confirm closes on the click instead of waiting for the request and showing why it failed.
 */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  useEffect(() => {
    const opener = openerOf(document.activeElement)
    return () => opener?.focus({ preventScroll: true })
  }, [])
  return <Modal opened {...props} />
}

/** A menu item disappears with its menu, so the menu's button gets the focus instead. */
function openerOf(active: Element | null): HTMLElement | null {
  const menu = active?.closest('[role=menu]')
  const opener = menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active
  return opener instanceof HTMLElement ? opener : null
}

interface ConfirmProps {
  title: string
  /** The exact consequences. */
  children: ReactNode
  verb: string
  /** Must be typed, for what cannot be undone. */
  name?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

export function Confirm({ title, children, verb, name, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const ready = name === undefined || typed.trim() === name.trim()
  const confirm = async () => {
    setPending(true)
    setProblem(null)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setProblem(error instanceof ApiError ? sentenceOf(error) : (error as Error).message)
    } finally {
      setPending(false)
    }
  }
  return (
    <Dialog onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) void confirm()
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
          {problem && (
            <Text c="var(--mantine-color-error)" size="sm" role="alert">
              {problem}
            </Text>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button color="red.9" type="submit" disabled={!ready} loading={pending}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** What is true of each kind of secret (decision 10.7): only one that is needed again is kept readable, encrypted. */
const keptAs = {
  compared: 'Copy it now, it is not shown again: we keep a digest, which is enough to recognize it.',
  used: 'Copy it now, it is not shown again. We keep it encrypted, to sign every event with it.',
}

interface SecretOnceProps {
  title: string
  secret: string
  /** Whether we only compare it with what we are sent, or use it ourselves. */
  kept: keyof typeof keptAs
  children?: ReactNode
  onClose: () => void
}

/** A secret that is shown only once: a stray click or Escape does not close it. */
export function SecretOnce({ title, secret, kept, children, onClose }: SecretOnceProps) {
  return (
    <Dialog
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
      size="lg"
    >
      <Stack gap="sm">
        <CodeBlock code={secret} label="Copy" wrap />
        <Alert color="yellow" icon={<Icon name="alert" />} p="xs">
          <Text size="sm">{keptAs[kept]}</Text>
        </Alert>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            I have copied it
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
