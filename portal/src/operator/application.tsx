import { Alert, Anchor, Badge, Button, Group, List, Modal, Radio, Stack, Table, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { OneApplication } from '../api/operator.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Copied } from '../parts/copy.tsx'
import { Fact } from '../parts/fact.tsx'
import { FormFailure } from '../parts/form.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page, Panel, Shown } from '../parts/page.tsx'
import { SecretOnce } from '../parts/secret-once.tsx'
import { When } from '../parts/when.tsx'

export function Application() {
  const api = useApi()
  const { clientId = '' } = useParams()
  const path = `/applications/${clientId}`
  const application = useRead<OneApplication>(path)
  const [act, setAct] = useState<'disable' | 'rotate' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const enable = useChange<boolean, { revoked_grants: number }>({
    run: (enabled) => api.patch(path, { enabled }),
    touches: ['/applications'],
    done: ({ revoked_grants }, enabled) =>
      enabled
        ? 'Enabled. Its grants stay revoked: every customer connects again.'
        : `Disabled. ${revoked_grants} ${revoked_grants === 1 ? 'grant was' : 'grants were'} revoked.`,
    quiet: true,
  })
  return (
    <Shown of={application}>
      {(data) => (
        <Page
          title={data.name}
          heading={
            <Group gap="sm">
              <Title order={1}>{data.name}</Title>
              <Badge color={data.enabled ? 'green' : 'red'}>{data.enabled ? 'Enabled' : 'Disabled'}</Badge>
            </Group>
          }
          above={[{ label: 'Applications', to: '/operator/applications' }]}
          actions={
            <>
              <Button variant="default" onClick={() => setAct('rotate')}>
                Rotate secret
              </Button>
              {data.enabled ? (
                <Button variant="light" color="red" onClick={() => setAct('disable')}>
                  Disable
                </Button>
              ) : (
                <Button onClick={() => enable.mutate(true)} loading={enable.isPending}>
                  Enable
                </Button>
              )}
            </>
          }
        >
          {data.secret_rotation_requested_at && (
            <Alert color="yellow" p="xs" icon={<Icon name="clock" />}>
              The partner asked for a new secret <When at={data.secret_rotation_requested_at} />. The reason is in the
              audit log.
            </Alert>
          )}
          <Group gap="xl" className="facts">
            <Fact label="Client id">
              <Copied value={data.client_id} label="Copy client id" />
            </Fact>
            <Fact label="Partner">
              <Anchor component={Link} to={`/operator/partners/${data.partner_id}`} size="sm">
                Open
              </Anchor>
            </Fact>
            <Fact label="Connected customers">{data.active_grants}</Fact>
            <Fact label="id_token signature">{data.id_token_alg}</Fact>
            <Fact label="Created">
              <When at={data.created_at} />
            </Fact>
          </Group>
          <Panel title="Redirect URIs">
            <List size="sm">
              {data.redirect_uris.map((uri) => (
                <List.Item key={uri}>
                  <Copied value={uri} />
                </List.Item>
              ))}
            </List>
          </Panel>
          <Panel title="Secrets">
            <Table aria-label="Secrets">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Begins with</Table.Th>
                  <Table.Th>Created</Table.Th>
                  <Table.Th>Ends</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.secrets.map(({ hint, created_at, expires_at }) => (
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
          </Panel>
          {act === 'disable' && (
            <Confirm
              title={`Disable ${data.name}?`}
              verb="Disable application"
              name={data.name}
              onConfirm={() => enable.mutateAsync(false)}
              onClose={() => setAct(null)}
            >
              <Text size="sm" mb="xs">
                <strong>
                  {data.active_grants} {data.active_grants === 1 ? 'grant is' : 'grants are'} revoked at once
                </strong>
                : every token the application holds for {data.active_grants === 1 ? 'that customer' : 'those customers'}{' '}
                fails from the next request on, and nobody can connect it.
              </Text>
              <Text size="sm">
                Enabling it later gives no grant back: every customer must connect again. Approvals stay.
              </Text>
            </Confirm>
          )}
          {act === 'rotate' && (
            <Rotate
              path={path}
              onClose={() => setAct(null)}
              onMade={(made) => {
                setAct(null)
                setSecret(made)
              }}
            />
          )}
          {secret && (
            <SecretOnce title={`New client secret of ${data.name}`} secret={secret} onClose={() => setSecret(null)}>
              <Text size="sm">Hand it to the partner over a channel you both trust.</Text>
            </SecretOnce>
          )}
        </Page>
      )}
    </Shown>
  )
}

const overlaps = [
  { value: '86400', label: 'A day', description: 'Routine: the partner changes over without a failed request' },
  { value: '3600', label: 'An hour', description: 'The partner is ready and waiting' },
  { value: '0', label: 'None', description: 'It leaked: whoever uses the old one fails from now on' },
]

function Rotate({ path, onClose, onMade }: { path: string; onClose: () => void; onMade: (secret: string) => void }) {
  const api = useApi()
  const [overlap, setOverlap] = useState('86400')
  const rotate = useChange({
    run: () => api.post<{ client_secret: string }>(`${path}/secret`, { overlap_seconds: Number(overlap) }),
    touches: ['/applications'],
    done: ({ client_secret }) => {
      onMade(client_secret)
      return null
    },
    quiet: true,
  })
  return (
    <Modal opened onClose={onClose} title="Rotate the client secret" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rotate.mutate()
        }}
      >
        <Stack gap="sm">
          <Radio.Group label="How long the old secret stays good" value={overlap} onChange={setOverlap}>
            <Stack gap={6} mt={6}>
              {overlaps.map((props) => (
                <Radio key={props.value} {...props} />
              ))}
            </Stack>
          </Radio.Group>
          <FormFailure error={rotate.error} />
          <Button type="submit" loading={rotate.isPending}>
            Make a new secret
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
