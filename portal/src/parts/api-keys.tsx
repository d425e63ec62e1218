import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, usePages } from '../api/api.tsx'
import type { ApiKey } from '../api/organization.ts'
import { Confirm } from './confirm.tsx'
import { CodeBlock } from './copy.tsx'
import { FormFailure, fieldErrors } from './form.tsx'
import { Icon } from './icon.tsx'
import { ListTable } from './list-table.tsx'
import { Empty, Page } from './page.tsx'
import { SecretOnce } from './secret-once.tsx'
import { When } from './when.tsx'

interface CreatedKey extends ApiKey {
  key: string
}

/** The same for a customer and a partner: a key opens the API of whoever made it. */
export function ApiKeys({ about, example }: { about: string; example: string }) {
  const api = useApi()
  const list = usePages<ApiKey>('/api-keys')
  const [naming, setNaming] = useState(false)
  const [made, setMade] = useState<CreatedKey | null>(null)
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  const revoke = useChange<ApiKey>({
    run: (key) => api.remove(`/api-keys/${key.id}`),
    touches: ['/api-keys'],
    done: (_answer, { name }) => `The key “${name}” no longer works.`,
    quiet: true,
  })
  const create = (
    <Button leftSection={<Icon name="add" />} onClick={() => setNaming(true)}>
      New API key
    </Button>
  )
  const call = (key: string) => `curl -H 'Authorization: ${key}' ${location.origin}${example}`
  return (
    <Page title="API keys" about={about} actions={create}>
      <ListTable
        list={list}
        label="API keys"
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
            hidden: true,
            align: 'right',
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
        empty={
          <Empty icon="key" title="No API keys yet" action={create}>
            A key lets a script of your own call this API. Make one for each script, so that each can be ended by
            itself.
          </Empty>
        }
      />
      {naming && (
        <NameKey
          onClose={() => setNaming(false)}
          onMade={(key) => {
            setNaming(false)
            setMade(key)
          }}
        />
      )}
      {made && (
        <SecretOnce title={`API key “${made.name}”`} secret={made.key} onClose={() => setMade(null)}>
          <Text size="sm">Send it as it is in the Authorization header, without a scheme:</Text>
          <CodeBlock code={call(made.key)} />
        </SecretOnce>
      )}
      {revoking && (
        <Confirm
          title={`Revoke “${revoking.name}”?`}
          verb="Revoke key"
          name={revoking.name}
          onConfirm={() => revoke.mutateAsync(revoking)}
          onClose={() => setRevoking(null)}
        >
          Whatever uses this key gets 401 from its next request on. It was last used <When at={revoking.last_used_at} />
          . This cannot be undone.
        </Confirm>
      )}
    </Page>
  )
}

function NameKey({ onClose, onMade }: { onClose: () => void; onMade: (key: CreatedKey) => void }) {
  const api = useApi()
  const [name, setName] = useState('')
  const create = useChange({
    run: () => api.post<CreatedKey>('/api-keys', { name }),
    touches: ['/api-keys'],
    done: (key) => {
      onMade(key)
      return null
    },
    quiet: true,
  })
  return (
    <Modal opened onClose={onClose} title="New API key" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Name"
            description="What uses it, so that you know what stops when you revoke it"
            placeholder="Nightly export"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={fieldErrors(create.error).name}
            required
            data-autofocus
          />
          <FormFailure error={create.error} />
          <Button type="submit" loading={create.isPending}>
            Create key
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
