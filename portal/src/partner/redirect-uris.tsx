import { ActionIcon, Alert, Box, Button, Group, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useApi, useChange, useEtag } from '../api/api.tsx'
import type { Application } from '../api/partner.ts'
import { Form } from '../components/form/form.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Panel } from '../components/page/page.tsx'

export function RedirectUris({ application }: { application: Application }) {
  const api = useApi()
  const etag = useEtag('GET /core/v1/partner/applications/{client_id}', { client_id: application.client_id })
  const form = useForm({ initialValues: { redirect_uris: application.redirect_uris } })
  const uris = form.values.redirect_uris
  const save = useChange({
    run: () =>
      api.send('PATCH /core/v1/partner/applications/{client_id}', {
        client_id: application.client_id,
        body: { redirect_uris: uris.filter((uri) => uri.trim() !== '') },
        etag,
      }),
    invalidates: ['GET /core/v1/partner/applications'],
    done: () => 'Redirect URIs saved.',
    silent: true,
  })
  const removed = application.redirect_uris.filter((uri) => !uris.includes(uri))
  return (
    <Panel title="Redirect URIs">
      <Box maw={720}>
        <Form form={form} verb="Save" change={save} ready={form.isDirty() && etag !== undefined}>
          <Text size="sm" c="dimmed">
            The redirect_uri of a request must match one of these exactly: scheme, host, port, path, trailing slash and
            query. It must use https, except on a loopback host, and have no fragment.
          </Text>
          {uris.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an edited line has no identity but its position
            <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
              <TextInput
                aria-label={`Redirect URI ${index + 1}`}
                {...form.getInputProps(`redirect_uris.${index}`)}
                ff="monospace"
                style={{ flex: 1 }}
                spellCheck={false}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={`Remove redirect URI ${index + 1}`}
                onClick={() => form.removeListItem('redirect_uris', index)}
                disabled={uris.length === 1}
              >
                <Icon name="trash" size={16} />
              </ActionIcon>
            </Group>
          ))}
          {removed.length > 0 && (
            <Alert color="yellow" p="xs" icon={<Icon name="alert" />}>
              Authorization requests with {removed.join(', ')} will fail.
            </Alert>
          )}
          <Group>
            <Button
              variant="default"
              onClick={() => form.insertListItem('redirect_uris', '')}
              leftSection={<Icon name="add" size={14} />}
            >
              Add
            </Button>
          </Group>
        </Form>
      </Box>
    </Panel>
  )
}
