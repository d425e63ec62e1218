import { Alert, Anchor, Button, List, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { ApplicationDetails, ChangedApplication, RotatedSecret } from '../api/operator.ts'
import { ApplicationFacts, ApplicationState, Secrets } from '../components/application.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Copied } from '../components/copy.tsx'
import { Fact } from '../components/fact.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { Page, Panel, Shown } from '../components/page.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { When } from '../components/when.tsx'

export function Application() {
  const api = useApi()
  const { clientId = '' } = useParams()
  const path = `/applications/${clientId}`
  const application = useRead<ApplicationDetails>(path)
  const [act, setAct] = useState<'disable' | 'rotate' | null>(null)
  const enable = useChange<boolean, ChangedApplication>({
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
          badges={<ApplicationState enabled={data.enabled} />}
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
          <ApplicationFacts application={data}>
            <Fact label="Partner">
              <Anchor component={Link} to={`/operator/partners/${data.partner_id}`} size="sm">
                Open
              </Anchor>
            </Fact>
            <Fact label="Connected customers">{data.active_grants}</Fact>
          </ApplicationFacts>
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
            <Secrets secrets={data.secrets} />
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
          {act === 'rotate' && <RotateSecret application={data} onClose={() => setAct(null)} />}
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

function RotateSecret({ application, onClose }: { application: ApplicationDetails; onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ overlap: '86400' })
  const rotate = useChange({
    run: () =>
      api.post<RotatedSecret>(`/applications/${application.client_id}/secret`, {
        overlap_seconds: Number(form.overlap),
      }),
    touches: ['/applications'],
    quiet: true,
  })
  const field = fieldsOf(rotate.error)
  if (rotate.data) {
    return (
      <SecretOnce
        title={`New client secret of ${application.name}`}
        secret={rotate.data.client_secret}
        onClose={onClose}
      >
        <Text size="sm">Hand it to the partner over a channel you both trust.</Text>
      </SecretOnce>
    )
  }
  return (
    <FormDialog title="Rotate the client secret" verb="Make a new secret" change={rotate} onClose={onClose}>
      <Radio.Group label="How long the old secret stays good" {...field('overlap', 'overlap_seconds')}>
        <Stack gap={6} mt={6}>
          {overlaps.map((props) => (
            <Radio key={props.value} {...props} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  )
}
