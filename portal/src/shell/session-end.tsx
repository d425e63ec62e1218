import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { signInAddress } from '../api/http.ts'
import { notifyDone } from '../api/notify.tsx'
import {
  loadAgain,
  readSession,
  type Session,
  sessionEndTold,
  sessionRegained,
  useSessionEnd,
} from '../api/session.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/icon.tsx'

const lookMilliseconds = 4_000

/** Escape would also close the dialog below, with what was typed there. */
const keepEscape = { 'data-mantine-stop-propagation': 'true' }

/** Notices that the user has signed in in another tab; returns the email if that was someone else. */
function useReturn(ended: boolean, userId: string): string | null {
  const client = useQueryClient()
  const [other, setOther] = useState<string | null>(null)
  useEffect(() => {
    if (!ended) return
    const look = async () => {
      if (document.hidden) return
      const session = await readSession().catch(() => null)
      if (!session) return
      if (session.user.id !== userId) return setOther(session.user.email)
      setOther(null)
      sessionRegained()
      notifyDone('You are signed in again.')
      await loadAgain(client)
    }
    const timer = window.setInterval(look, lookMilliseconds)
    window.addEventListener('focus', look)
    return () => {
      window.clearInterval(timer)
      window.removeEventListener('focus', look)
    }
  }, [ended, userId, client])
  return other
}

/** The page stays below it, so that nothing typed is lost. */
export function SessionEndDialog({ user }: { user: Session['user'] }) {
  const end = useSessionEnd()
  const other = useReturn(end !== 'no', user.id)
  if (end !== 'ended') return null
  return (
    <Dialog
      title="Your session has ended"
      onClose={sessionEndTold}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      zIndex={1000}
    >
      <Stack gap="sm">
        <Text size="sm">
          Sign in as {user.email} in a new tab, then return to this one. The page and everything you entered stay here.
          Anything you were sending was not done: send it again afterwards.
        </Text>
        {other && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            You signed in as {other}. This page belongs to {user.email}: sign in with that account, or reload the page.
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={sessionEndTold} {...keepEscape}>
            Not now
          </Button>
          <SignInButton />
        </Group>
      </Stack>
    </Dialog>
  )
}

function SignInButton() {
  useLocation()
  return (
    <Button
      component="a"
      href={signInAddress()}
      target="_blank"
      rel="noopener"
      rightSection={<Icon name="external" size={14} />}
      data-autofocus
      {...keepEscape}
    >
      Sign in
    </Button>
  )
}

/** For the banner, once the dialog is closed. */
export function SignInLink() {
  useLocation()
  return (
    <Anchor href={signInAddress()} target="_blank" rel="noopener" c="inherit" underline="always" size="sm">
      Sign in
    </Anchor>
  )
}
