import { ActionIcon, Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApi, useChange, useEtag } from '../api/api.tsx'
import type { Application } from '../api/partner.ts'
import { Icon } from '../components/icon.tsx'
import { Panel } from '../components/page.tsx'

export function RedirectUris({ application }: { application: Application }) {
  const api = useApi()
  const path = `/applications/${application.client_id}`
  const etag = useEtag(path)
  const [uris, setUris] = useState(application.redirect_uris)
  const save = useChange({
    run: () => api.patch(path, { redirect_uris: uris.filter((uri) => uri.trim() !== '') }, etag),
    touches: ['/applications'],
    done: () => 'Saved: the new list holds from the next request.',
    quiet: true,
  })
  const changed = uris.join('\n') !== application.redirect_uris.join('\n')
  const dropped = application.redirect_uris.filter((uri) => !uris.includes(uri))
  return (
    <Panel title="Redirect URIs">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack gap="xs" maw={720}>
          <Text size="sm" c="dimmed">
            A request’s redirect_uri must match one of these byte for byte: scheme, host, port, path, trailing slash and
            query. https, except on a loopback host; no fragment.
          </Text>
          {uris.map((uri, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line being typed has no identity but its place
            <Group key={index} gap="xs" wrap="nowrap">
              <TextInput
                aria-label={`Redirect URI ${index + 1}`}
                value={uri}
                onChange={(event) => setUris(uris.with(index, event.currentTarget.value))}
                error={save.error?.details.find(({ field }) => field === `redirect_uris.${index}`)?.message}
                ff="monospace"
                style={{ flex: 1 }}
                spellCheck={false}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Remove redirect URI ${index + 1}`}
                onClick={() => setUris(uris.toSpliced(index, 1))}
                disabled={uris.length === 1}
              >
                <Icon name="trash" size={16} />
              </ActionIcon>
            </Group>
          ))}
          {dropped.length > 0 && (
            <Alert color="yellow" p="xs" icon={<Icon name="alert" />}>
              Authorization requests with {dropped.join(', ')} will get an error page.
            </Alert>
          )}
          {save.error && (
            <Text c="var(--mantine-color-error)" size="sm" role="alert">
              {save.error.message}
            </Text>
          )}
          <Group gap="xs">
            <Button
              variant="default"
              onClick={() => setUris([...uris, ''])}
              leftSection={<Icon name="add" size={14} />}
            >
              Add
            </Button>
            <Button type="submit" disabled={!changed} loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}
