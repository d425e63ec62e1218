import { Button, Group, Stack, Text } from '@mantine/core'
import { useLocation } from 'react-router'
import { signInAddress } from '../api/http.ts'
import { type Session, sessionEndTold } from '../api/session.tsx'
import { Dialog } from '../components/form/dialog.tsx'
import { Icon } from '../components/page/icon.tsx'

/** Escape would also close the dialog below, with what was typed there. */
const keepEscape = { 'data-mantine-stop-propagation': 'true' }

interface EndDialogProps {
  user: Session['user']
  /** The email of somebody else who has signed in meanwhile. */
  other: string | null
}

export function EndDialog({ user, other }: EndDialogProps) {
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
