import { Alert, Anchor, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { ItemOf, Reload } from '../api/operations.ts'
import { useSession } from '../api/session.tsx'
import { Dialog } from '../components/form/dialog.tsx'
import { Icon } from '../components/page/icon.tsx'
import { shortTime, When } from '../components/page/when.tsx'

export type UserWithFactor = ItemOf<'GET /core/v1/organization/second-factors/users'>

export const factorChoices = [
  { value: 'missing', label: 'Required, but missing' },
  { value: 'none', label: 'None' },
  { value: 'app', label: 'Authenticator app' },
  { value: 'passkey', label: 'Passkey' },
]

const names = { passkey: 'Passkey', app: 'App' }

export function FactorOf({ user }: { user: UserWithFactor }) {
  const { second_factor, second_factor_due_at, second_factor_reset } = user
  return (
    <Group gap={6}>
      <Text size="sm" c={second_factor ? undefined : 'dimmed'}>
        {second_factor ? names[second_factor] : 'None'}
      </Text>
      {second_factor_due_at && (
        <Badge size="xs" color={new Date(second_factor_due_at) < new Date() ? 'red' : 'yellow'}>
          {new Date(second_factor_due_at) < new Date() ? 'Overdue' : 'Required'}
        </Badge>
      )}
      {second_factor_reset && (
        <Badge size="xs" color="yellow">
          Reset pending
        </Badge>
      )}
    </Group>
  )
}

/** Nothing while everybody has what is required. */
export function MissingFactors({ onShow }: { onShow: () => void }) {
  const { data } = useRead('GET /core/v1/organization/second-factors')
  if (!data || data.missing === 0) return null
  const people = data.missing === 1 ? '1 user has' : `${data.missing.toLocaleString('en')} users have`
  return (
    <Alert color="yellow" icon={<Icon name="alert" />} p="xs">
      <Group gap="xs">
        <Text size="sm">{people} no second factor, although this organization requires one.</Text>
        <Anchor component="button" size="sm" onClick={onShow}>
          Show them
        </Anchor>
      </Group>
    </Alert>
  )
}

const reloads: Reload[] = ['GET /core/v1/organization/second-factors', 'GET /core/v1/organization/audit-events']

export function ResetFactors({ user, onClose }: { user: UserWithFactor; onClose: () => void }) {
  const api = useApi()
  const { data: session } = useSession()
  const pending = user.second_factor_reset
  const ask = useChange({
    run: () => api.send('POST /core/v1/organization/users/{id}/second-factor-reset', { id: user.id }),
    invalidates: reloads,
    done: () => {
      onClose()
      return `The second factors of ${user.name} are removed in 24 hours.`
    },
  })
  const confirm = useChange({
    run: () => api.send('POST /core/v1/organization/users/{id}/second-factor-reset/confirm', { id: user.id }),
    invalidates: reloads,
    done: () => {
      onClose()
      return `The second factors of ${user.name} were removed.`
    },
  })
  const cancel = useChange({
    run: () => api.send('DELETE /core/v1/organization/users/{id}/second-factor-reset', { id: user.id }),
    invalidates: reloads,
    done: () => {
      onClose()
      return 'Reset cancelled.'
    },
  })
  const mayConfirm = pending && ![pending.asked_by, user.id].includes(session?.user.id ?? '')
  return (
    <Dialog onClose={onClose} title={`Reset second factors of ${user.name}`}>
      <Stack gap="sm">
        {pending ? (
          <>
            <Text size="sm">
              {pending.asked_by_name} asked for this <When at={pending.asked_at} />. The second factors of {user.name}{' '}
              are removed {shortTime(new Date(pending.takes_effect_at))}.
            </Text>
            <Text size="sm">
              {mayConfirm
                ? `Confirm it if you know that ${user.name} lost them: then they are removed now.`
                : 'A second administrator can confirm it earlier.'}{' '}
              {user.name} cancels it by signing in with a second factor.
            </Text>
          </>
        ) : (
          <>
            <Text size="sm">
              For someone who has lost every passkey, app and recovery code. {user.name} is signed out everywhere now.
              In 24 hours, or when a second administrator confirms it, the second factors are removed, and the password
              alone signs {user.name} in.
            </Text>
            <Text size="sm">Make sure that it is really {user.name} who asks: call them, or meet them.</Text>
          </>
        )}
        <Group justify="flex-end" gap="xs">
          {pending ? (
            <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel the reset
            </Button>
          ) : (
            <Button color="red.9" loading={ask.isPending} onClick={() => ask.mutate()}>
              Reset in 24 hours
            </Button>
          )}
          {mayConfirm && (
            <Button color="red.9" loading={confirm.isPending} onClick={() => confirm.mutate()}>
              Confirm now
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}
