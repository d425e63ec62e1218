import { Button, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { ApiKey, NewApiKey } from '../api/organization.ts'
import { Confirm } from './confirm.tsx'
import { CodeBlock } from './copy.tsx'
import { FormDialog, useFields } from './form.tsx'
import { ListPage } from './list-page.tsx'
import { SecretOnce } from './secret-once.tsx'
import { When } from './when.tsx'

/** The same for a customer and a partner: a key opens the API of whoever made it. */
export function ApiKeys({ about }: { about: string }) {
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  return (
    <ListPage
      title="API keys"
      about={about}
      list={usePages<ApiKey>('/api-keys')}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', cell: ({ name }) => name },
        {
          label: 'Begins with',
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
          acts: true,
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
        teaches:
          'A key lets a script of your own call this API. Make one for each script, so that each can be ended by itself.',
      }}
    >
      {revoking && <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />}
    </ListPage>
  )
}

function NewKey({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ name: '' })
  const create = useChange({
    run: () => api.post<NewApiKey>('/api-keys', form),
    touches: ['/api-keys'],
    quiet: true,
  })
  const field = fieldsOf(create.error)
  if (create.data) {
    const { name, key } = create.data
    return (
      <SecretOnce title={`API key “${name}”`} secret={key} onClose={onClose}>
        <Text size="sm">Send it as it is in the Authorization header, without a scheme:</Text>
        <CodeBlock code={`curl -H 'Authorization: ${key}' ${location.origin}${api.base}/info`} />
      </SecretOnce>
    )
  }
  return (
    <FormDialog title="New API key" verb="Create key" change={create} onClose={onClose}>
      <TextInput
        label="Name"
        description="What uses it, so that you know what stops when you revoke it"
        placeholder="Nightly export"
        {...field('name')}
        required
        data-autofocus
      />
    </FormDialog>
  )
}

function RevokeKey({ apiKey: { id, name, last_used_at }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const api = useApi()
  const revoke = useChange({
    run: () => api.remove(`/api-keys/${id}`),
    touches: ['/api-keys'],
    done: () => `The key “${name}” no longer works.`,
    quiet: true,
  })
  return (
    <Confirm
      title={`Revoke “${name}”?`}
      verb="Revoke key"
      name={name}
      onConfirm={() => revoke.mutateAsync()}
      onClose={onClose}
    >
      Whatever uses this key gets 401 from its next request on. It was last used <When at={last_used_at} />. This cannot
      be undone.
    </Confirm>
  )
}
