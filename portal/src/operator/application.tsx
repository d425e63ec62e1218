import { Alert, Anchor, Button, Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { ApplicationDetails, ChangedApplication } from '../api/operator.ts'
import { ApplicationFacts, ApplicationState, Secrets } from '../components/application/application.tsx'
import { ApplicationLook } from '../components/application/application-look.tsx'
import { AskedPanel } from '../components/application/asked-fields.tsx'
import { Confirm, SecretOnce } from '../components/form/dialog.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { Copied } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Fact, Loaded, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'

export function Application() {
  const api = useApi()
  const { clientId = '' } = useParams()
  const application = useRead('GET /core/v1/operator/applications/{client_id}', { client_id: clientId })
  const { partner_id } = application.data ?? {}
  const partner = useRead(
    'GET /core/v1/operator/partners/{id}',
    { id: partner_id ?? '' },
    { enabled: partner_id !== undefined },
  )
  const [dialog, setDialog] = useState<'disable' | 'rotate' | null>(null)
  const enable = useChange<boolean, ChangedApplication>({
    run: (enabled) =>
      api.send('PATCH /core/v1/operator/applications/{client_id}', { client_id: clientId, body: { enabled } }),
    invalidates: ['GET /core/v1/operator/applications'],
    done: ({ revoked_grants }, enabled) =>
      enabled
        ? 'Enabled. Its grants stay revoked: every customer must connect again.'
        : `Disabled. ${revoked_grants} ${revoked_grants === 1 ? 'grant was' : 'grants were'} revoked.`,
    silent: true,
  })
  return (
    <Loaded of={application}>
      {(data) => (
        <Page
          title={data.name}
          badges={<ApplicationState enabled={data.enabled} />}
          above={[{ label: 'Applications', to: '/operator/applications' }]}
          actions={
            <>
              <Button variant="default" onClick={() => setDialog('rotate')}>
                Rotate secret
              </Button>
              {data.enabled ? (
                <Button variant="light" color="red" onClick={() => setDialog('disable')}>
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
              The partner requested a new secret <When at={data.secret_rotation_requested_at} />. The audit log has the
              reason.
            </Alert>
          )}
          {data.requested_change?.refused_at === null && (
            <Alert color="yellow" p="xs" icon={<Icon name="clock" />}>
              The partner requested a change <When at={data.requested_change.requested_at} />.{' '}
              <Anchor component={Link} to="/operator/requests" inherit underline="always">
                Review it
              </Anchor>
            </Alert>
          )}
          <ApplicationFacts application={data}>
            <Fact label="Partner">
              <Anchor component={Link} to={`/operator/partners/${data.partner_id}`} size="sm">
                {partner.data?.name ?? '…'}
              </Anchor>
            </Fact>
            <Fact label="Connected customers">{data.active_grants}</Fact>
          </ApplicationFacts>
          <Panel title="Redirect URIs">
            <Stack gap="xs">
              {data.redirect_uris.map((uri) => (
                <Copied value={uri} wrap key={uri} />
              ))}
            </Stack>
          </Panel>
          <ApplicationLook application={data} key={`${data.name} ${data.home_page}`} />
          <AskedPanel
            application={data}
            asked={data.requested_permissions}
            key={JSON.stringify(data.requested_permissions)}
          />
          <Panel title="Secrets">
            <Secrets secrets={data.secrets} />
          </Panel>
          {dialog === 'disable' && (
            <Confirm
              title={`Disable ${data.name}?`}
              verb="Disable application"
              name={data.name}
              onConfirm={() => enable.mutateAsync(false)}
              onClose={() => setDialog(null)}
            >
              <Text size="sm" mb="xs">
                <strong>
                  {data.active_grants} {data.active_grants === 1 ? 'grant is' : 'grants are'} revoked immediately
                </strong>
                : every token the application holds for {data.active_grants === 1 ? 'that customer' : 'those customers'}{' '}
                stops working, and nobody can connect it.
              </Text>
              <Text size="sm">
                Enabling it later does not restore grants: every customer must connect again. Approvals stay.
              </Text>
            </Confirm>
          )}
          {dialog === 'rotate' && <RotateSecret application={data} onClose={() => setDialog(null)} />}
        </Page>
      )}
    </Loaded>
  )
}

const overlaps = [
  { value: '86400', label: 'One day', description: 'Routine: the partner switches without a failed request' },
  { value: '3600', label: 'One hour', description: 'The partner is ready to switch' },
  { value: '0', label: 'None', description: 'Compromised: requests with the old secret fail immediately' },
]

function RotateSecret({ application, onClose }: { application: ApplicationDetails; onClose: () => void }) {
  const api = useApi()
  const form = useForm({ initialValues: { overlap_seconds: '86400' } })
  const rotate = useChange({
    run: () =>
      api.send('POST /core/v1/operator/applications/{client_id}/secret', {
        client_id: application.client_id,
        body: {
          overlap_seconds: Number(form.values.overlap_seconds),
        },
      }),
    invalidates: ['GET /core/v1/operator/applications', 'GET /core/v1/operator/waiting-requests'],
    silent: true,
  })
  if (rotate.data) {
    return (
      <SecretOnce
        title={`New client secret of ${application.name}`}
        secret={rotate.data.client_secret}
        kept="compared"
        onClose={onClose}
      >
        <Text size="sm">Send it to the partner over a secure channel.</Text>
      </SecretOnce>
    )
  }
  return (
    <FormDialog form={form} title="Rotate client secret" verb="Create new secret" change={rotate} onClose={onClose}>
      <Radio.Group label="Keep the old secret valid for" {...form.getInputProps('overlap_seconds')}>
        <Stack gap={6} mt={6}>
          {overlaps.map((props) => (
            <Radio key={props.value} {...props} />
          ))}
        </Stack>
      </Radio.Group>
    </FormDialog>
  )
}
