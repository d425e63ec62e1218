import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useApi, useChange, useEtag } from '../../api/api.tsx'
import { urlOf } from '../../api/operations.ts'
import type { ApiKey, CustomerApiKey } from '../../api/organization.ts'
import { Confirm, SecretOnce } from '../form/dialog.tsx'
import { FormDialog } from '../form/form.tsx'
import { isPermissionComplete, permissionsToSend } from '../form/permissions.ts'
import { CodeBlock } from '../page/copy.tsx'
import { shortTime, When } from '../page/when.tsx'
import { ApiKeyFields, expiryOf, type KeyValues } from './api-key-fields.tsx'

/** A partner's has no permissions and no spaces. */
export type Key = ApiKey & Partial<Pick<CustomerApiKey, 'permissions' | 'within'>>

interface KeyDialogProps {
  apiKey: Key
  onClose: () => void
}

/** What both APIs take. */
const partsOf = ({ name, used_by, expiry }: KeyValues) => {
  const expires_at = expiryOf(expiry)
  return { name, used_by: used_by.trim() || null, ...(expires_at === undefined ? {} : { expires_at }) }
}

function HowToSend({ secret }: { secret: string }) {
  const { kind } = useApi('organization', 'partner')
  return (
    <>
      <Text size="sm">Send it in the Authorization header, without a scheme:</Text>
      <CodeBlock code={`curl -H 'Authorization: ${secret}' ${location.origin}${urlOf(`GET /core/v1/${kind}/info`)}`} />
    </>
  )
}

export function NewKey({ onClose }: { onClose: () => void }) {
  const { kind, send } = useApi('organization', 'partner')
  const ofCustomer = kind === 'organization'
  const form = useForm<KeyValues>({
    initialValues: { name: '', used_by: '', expiry: '365', permissions: null, within: null },
  })
  const create = useChange({
    run: () =>
      ofCustomer
        ? send('POST /core/v1/organization/api-keys', {
            body: { ...partsOf(form.values), ...permissionsToSend(form.values) },
          })
        : send('POST /core/v1/partner/api-keys', { body: partsOf(form.values) }),
    invalidates: [`GET /core/v1/${kind}/api-keys`],
    silent: true,
  })
  if (create.data) {
    const { name, key } = create.data
    return (
      <SecretOnce title={`API key “${name}”`} secret={key} kept="compared" onClose={onClose}>
        <HowToSend secret={key} />
      </SecretOnce>
    )
  }
  return (
    <FormDialog
      form={form}
      title="New API key"
      verb="Create key"
      change={create}
      ready={isPermissionComplete(form.values)}
      onClose={onClose}
    >
      <ApiKeyFields form={form} ofCustomer={ofCustomer} />
    </FormDialog>
  )
}

export function ChangeKey({ apiKey: { id, ...before }, onClose }: KeyDialogProps) {
  const { kind, send } = useApi('organization', 'partner')
  const ofCustomer = kind === 'organization'
  const etag = useEtag(`GET /core/v1/${kind}/api-keys/{id}`, { id })
  const { permissions = null, within = null } = before
  const form = useForm<KeyValues>({
    initialValues: {
      ...{ name: before.name, used_by: before.used_by ?? '', permissions, within },
      expiry: before.expires_at ? 'keep' : 'never',
    },
  })
  const { values } = form
  // A space that was deleted meanwhile can stay as long as nobody touches the spaces.
  const isMoved = JSON.stringify(values.within) !== JSON.stringify(within)
  const reach = () => {
    const { within: chosen, ...levels } = permissionsToSend(values)
    return isMoved ? { ...levels, within: chosen } : levels
  }
  const save = useChange({
    run: () =>
      ofCustomer
        ? send('PATCH /core/v1/organization/api-keys/{id}', { id, body: { ...partsOf(values), ...reach() }, etag })
        : send('PATCH /core/v1/partner/api-keys/{id}', { id, body: partsOf(values), etag }),
    invalidates: [`GET /core/v1/${kind}/api-keys`],
    done: () => {
      onClose()
      return `API key “${values.name}” changed.`
    },
    silent: true,
  })
  return (
    <FormDialog
      form={form}
      title={`Change “${before.name}”`}
      verb="Save"
      change={save}
      ready={etag !== undefined && (!isMoved || isPermissionComplete(values))}
      onClose={onClose}
    >
      <ApiKeyFields form={form} ofCustomer={ofCustomer} expiresAt={before.expires_at} />
      <Text size="xs" c="dimmed">
        This counts from the next request on.
      </Text>
    </FormDialog>
  )
}

const overlaps = [
  { value: '0', label: 'Not at all: it was leaked' },
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
  { value: '2592000', label: '30 days' },
]

export function RotateKey({ apiKey: { id, name, hint, expired, last_used_at }, onClose }: KeyDialogProps) {
  const { kind, send } = useApi('organization', 'partner')
  const form = useForm({ initialValues: { overlap: '86400' } })
  const rotate = useChange({
    run: () => {
      const sent = { id, body: { overlap_seconds: Number(form.values.overlap) } }
      return send(`POST /core/v1/${kind}/api-keys/{id}/rotate`, sent)
    },
    invalidates: [`GET /core/v1/${kind}/api-keys`],
    silent: true,
  })
  if (rotate.data) {
    const { key, previous_expires_at } = rotate.data
    const until = new Date(previous_expires_at)
    return (
      <SecretOnce title={`New key of “${name}”`} secret={key} kept="compared" onClose={onClose}>
        <Text size="sm">
          {until > new Date()
            ? `The key before (${hint}…) works until ${shortTime(until)}. Replace it wherever it is used by then.`
            : `The key before (${hint}…) no longer works.`}
        </Text>
        <HowToSend secret={key} />
      </SecretOnce>
    )
  }
  return (
    <FormDialog form={form} title={`Rotate “${name}”`} verb="Create the new key" change={rotate} onClose={onClose}>
      <Text size="sm">
        You get a new key with the same name, permissions and length of life.{' '}
        {expired ? 'This one has expired and does not work again.' : 'Meanwhile both work.'} Last used:{' '}
        <When at={last_used_at} />.
      </Text>
      {!expired && (
        <Select
          label="How long this key works on"
          data={overlaps}
          allowDeselect={false}
          {...form.getInputProps('overlap')}
        />
      )}
    </FormDialog>
  )
}

export function RevokeKey({ apiKey: { id, name, expired, last_used_at }, onClose }: KeyDialogProps) {
  const { kind, send } = useApi('organization', 'partner')
  const revoke = useChange({
    run: () => send(`DELETE /core/v1/${kind}/api-keys/{id}`, { id }),
    invalidates: [`GET /core/v1/${kind}/api-keys`],
    done: () => `API key “${name}” ${expired ? 'removed' : 'revoked'}.`,
    silent: true,
  })
  const verb = expired ? 'Remove' : 'Revoke'
  return (
    <Confirm
      title={`${verb} “${name}”?`}
      verb={`${verb} key`}
      {...(expired ? {} : { name })}
      onConfirm={() => revoke.mutateAsync()}
      onClose={onClose}
    >
      {expired
        ? 'It has expired and works no longer. It disappears from this list; the audit log keeps what it did.'
        : 'Every request with this key will fail with status 401.'}{' '}
      Last used: <When at={last_used_at} />. This cannot be undone.
    </Confirm>
  )
}
