import { Button, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../../api/api.tsx'
import { urlOf } from '../../api/operations.ts'
import type { ApiKey } from '../../api/organization.ts'
import { Confirm, SecretOnce } from '../form/dialog.tsx'
import { FormDialog } from '../form/form.tsx'
import { CodeBlock } from '../page/copy.tsx'
import { When } from '../page/when.tsx'
import { ListPage } from '../table/list-page.tsx'
import { OwnLimits } from './own-limits.tsx'

export function CustomerApiKeys() {
  return (
    <ApiKeys about="A key has full administrative access to the organization API. Only administrators can create or revoke keys." />
  )
}

export function PartnerApiKeys() {
  return (
    <ApiKeys about="A key has full access to the partner API: applications, models, fleet, webhooks and integration log." />
  )
}

function ApiKeys({ about }: { about: string }) {
  const { kind } = useApi('organization', 'partner')
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  return (
    <ListPage
      title="API keys"
      about={about}
      list={usePages(`GET /core/v1/${kind}/api-keys`)}
      unit="API key"
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: ({ name }) => name },
        {
          label: 'Prefix',
          wide: true,
          cell: ({ hint }) => (
            <Text span ff="monospace" size="xs">
              {hint}…
            </Text>
          ),
        },
        { label: 'Last used', cell: ({ last_used_at }) => <When at={last_used_at} /> },
        { label: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
        {
          label: 'Actions',
          actions: true,
          cell: (key) => (
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => setRevoking(key)}
              aria-label={`Revoke ${key.name}`}
            >
              Revoke
            </Button>
          ),
        },
      ]}
      create={{ verb: 'New API key', Dialog: NewKey }}
      empty={{
        icon: 'key',
        title: 'No API keys yet',
        hint: 'Create one key per script that calls this API, so that you can revoke each separately.',
      }}
    >
      <OwnLimits />
      {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </ListPage>
  )
}

function NewKey({ onClose }: { onClose: () => void }) {
  const { kind, send } = useApi('organization', 'partner')
  const form = useForm({ initialValues: { name: '' } })
  const create = useChange({
    run: () => send(`POST /core/v1/${kind}/api-keys`, { body: form.values }),
    invalidates: [`GET /core/v1/${kind}/api-keys`],
    silent: true,
  })
  if (create.data) {
    const { name, key } = create.data
    return (
      <SecretOnce title={`API key “${name}”`} secret={key} kept="compared" onClose={onClose}>
        <Text size="sm">Send it in the Authorization header, without a scheme:</Text>
        <CodeBlock code={`curl -H 'Authorization: ${key}' ${location.origin}${urlOf(`GET /core/v1/${kind}/info`)}`} />
      </SecretOnce>
    )
  }
  return (
    <FormDialog form={form} title="New API key" verb="Create key" change={create} onClose={onClose}>
      <TextInput
        label="Name"
        description="What uses the key, so that you know what stops when you revoke it"
        placeholder="Nightly export"
        {...form.getInputProps('name')}
        required
        data-autofocus
      />
    </FormDialog>
  )
}

function RevokeKey({ apiKey: { id, name, last_used_at }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { kind, send } = useApi('organization', 'partner')
  const revoke = useChange({
    run: () => send(`DELETE /core/v1/${kind}/api-keys/{id}`, { id }),
    invalidates: [`GET /core/v1/${kind}/api-keys`],
    done: () => `API key “${name}” revoked.`,
    silent: true,
  })
  return (
    <Confirm
      title={`Revoke “${name}”?`}
      verb="Revoke key"
      name={name}
      onConfirm={() => revoke.mutateAsync()}
      onClose={onClose}
    >
      Every request with this key will fail with status 401. Last used: <When at={last_used_at} />. This cannot be
      undone.
    </Confirm>
  )
}
