import {
  ActionIcon,
  Alert,
  Badge,
  Button,
  Group,
  Modal,
  Radio,
  Stack,
  Table,
  Tabs,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { Application as ApplicationData } from '../api/partner.ts'
import { Copied } from '../parts/copy.tsx'
import { Fact } from '../parts/fact.tsx'
import { FormFailure } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, Panel, Shown } from '../parts/page.tsx'
import { When } from '../parts/when.tsx'
import { HowToConnect } from './how-to-connect.tsx'

export function Application() {
  const { partnerId, clientId = '' } = useParams()
  const application = useRead<ApplicationData>(`/applications/${clientId}`)
  const [search, setSearch] = useSearchParams()
  return (
    <Shown of={application}>
      {(data) => (
        <Page
          title={data.name}
          heading={
            <Group gap="sm">
              <Title order={1}>{data.name}</Title>
              <Badge color={data.enabled ? 'green' : 'red'}>
                {data.enabled ? 'Enabled' : 'Disabled by the operator'}
              </Badge>
            </Group>
          }
          above={[{ label: 'Applications', to: `/partner/${partnerId}/applications` }]}
          actions={
            <Button
              component={Link}
              to={`/partner/${partnerId}/playground?client_id=${data.client_id}`}
              variant="default"
              leftSection={<Icon name="play" size={14} />}
            >
              Try it in the playground
            </Button>
          }
        >
          <Group gap="xl" className="facts">
            <Fact label="Client id">
              <Copied value={data.client_id} label="Copy client id" />
            </Fact>
            <Fact label="id_token signature">{data.id_token_alg}</Fact>
            <Fact label="Created">
              <When at={data.created_at} />
            </Fact>
          </Group>
          <Tabs
            value={search.get('tab') ?? 'connect'}
            onChange={(tab) => setSearch(tab ? { tab } : {}, { replace: true })}
            keepMounted={false}
          >
            <Tabs.List mb="md">
              <Tabs.Tab value="connect">How to connect</Tabs.Tab>
              <Tabs.Tab value="redirect-uris">Redirect URIs</Tabs.Tab>
              <Tabs.Tab value="secrets">Secrets</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="connect">
              <HowToConnect application={data} />
            </Tabs.Panel>
            <Tabs.Panel value="redirect-uris">
              <RedirectUris application={data} key={data.redirect_uris.join(' ')} />
            </Tabs.Panel>
            <Tabs.Panel value="secrets">
              <Secrets application={data} />
            </Tabs.Panel>
          </Tabs>
        </Page>
      )}
    </Shown>
  )
}

function RedirectUris({ application }: { application: ApplicationData }) {
  const api = useApi()
  const [uris, setUris] = useState(application.redirect_uris)
  const save = useChange({
    run: () =>
      api.patch(`/applications/${application.client_id}`, { redirect_uris: uris.filter((uri) => uri.trim() !== '') }),
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
            <Text c="red" size="sm" role="alert">
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

function Secrets({ application }: { application: ApplicationData }) {
  const [asking, setAsking] = useState(false)
  return (
    <Panel
      title="Secrets"
      actions={
        <Button
          variant="default"
          onClick={() => setAsking(true)}
          disabled={application.secret_rotation_requested_at !== null}
        >
          Ask for a new secret
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        The operator rotates secrets on request. Two can be valid at once, so that you change over without a failed
        request: deploy the new one within the overlap, then let the old one end.
      </Text>
      {application.secret_rotation_requested_at && (
        <Alert color="yellow" p="xs" mb="sm" icon={<Icon name="clock" />}>
          You asked for a new secret <When at={application.secret_rotation_requested_at} />. The operator sees it and
          hands the new one over.
        </Alert>
      )}
      <Table aria-label="Secrets">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Begins with</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Ends</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {application.secrets.map(({ hint, created_at, expires_at }) => (
            <Table.Tr key={hint + created_at}>
              <Table.Td ff="monospace" fz="xs">
                {hint}…
              </Table.Td>
              <Table.Td>
                <When at={created_at} />
              </Table.Td>
              <Table.Td>{expires_at ? <When at={expires_at} /> : 'does not end by itself'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {asking && <AskForSecret application={application} onClose={() => setAsking(false)} />}
    </Panel>
  )
}

function AskForSecret({ application, onClose }: { application: ApplicationData; onClose: () => void }) {
  const api = useApi()
  const [reason, setReason] = useState('routine')
  const ask = useChange({
    run: () => api.post(`/applications/${application.client_id}/secret-rotation`, { reason }),
    touches: ['/applications'],
    done: () => {
      onClose()
      return 'The operator sees your request now.'
    },
    quiet: true,
  })
  return (
    <Modal opened onClose={onClose} title="Ask for a new secret" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          ask.mutate()
        }}
      >
        <Stack gap="sm">
          <Radio.Group label="Why" value={reason} onChange={setReason}>
            <Stack gap={6} mt={6}>
              <Radio
                value="routine"
                label="Routine"
                description="The old one stays good for the overlap, a day unless agreed otherwise"
              />
              <Radio value="lost" label="We lost it" description="Nobody has it; the old one may end soon" />
              <Radio value="leaked" label="It leaked" description="The old one should end at once" />
            </Stack>
          </Radio.Group>
          <FormFailure error={ask.error} />
          <Button type="submit" loading={ask.isPending}>
            Ask the operator
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
