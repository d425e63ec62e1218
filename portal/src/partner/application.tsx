import { Alert, Button, Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { BodyOf } from '../api/operations.ts'
import type { Application as ApplicationData } from '../api/partner.ts'
import { ApplicationFacts, ApplicationState, Secrets } from '../components/application/application.tsx'
import { ApplicationLook } from '../components/application/application-look.tsx'
import { AskedPanel } from '../components/application/asked-fields.tsx'
import { RequestedChange } from '../components/application/requested-change.tsx'
import { FormDialog } from '../components/form/form.tsx'
import { AddressTabs } from '../components/page/address-tabs.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Loaded, Page, Panel } from '../components/page/page.tsx'
import { When } from '../components/page/when.tsx'
import { HowToConnect } from './how-to-connect.tsx'
import { RedirectUris } from './redirect-uris.tsx'

export function Application() {
  const { partnerId, clientId = '' } = useParams()
  const application = useRead('GET /core/v1/partner/applications/{client_id}', { client_id: clientId })
  return (
    <Loaded of={application}>
      {(data) => (
        <Page
          title={data.name}
          badges={<ApplicationState enabled={data.enabled} />}
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
          {data.requested_change && (
            <RequestedChange change={data.requested_change} invalidates={['GET /core/v1/partner/applications']} />
          )}
          <ApplicationFacts application={data} />
          <AddressTabs
            tabs={[
              { value: 'connect', label: 'How to connect', content: <HowToConnect application={data} /> },
              {
                value: 'redirect-uris',
                label: 'Redirect URIs',
                content: <RedirectUris application={data} key={data.redirect_uris.join(' ')} />,
              },
              {
                value: 'look',
                label: 'Appearance',
                content: <ApplicationLook application={data} asked={askedOf(data)} key={lookOf(data)} />,
              },
              {
                value: 'permissions',
                label: 'Permissions',
                content: <AskedPanel application={data} asked={permissionsOf(data)} key={lookOf(data)} />,
              },
              { value: 'secrets', label: 'Secrets', content: <SecretsPanel application={data} /> },
            ]}
          />
        </Page>
      )}
    </Loaded>
  )
}

/** Changes with what the forms start from. */
function lookOf({ name, home_page, requested_permissions, requested_change }: ApplicationData): string {
  const asked = JSON.stringify(requested_permissions)
  return `${name} ${home_page} ${asked} ${requested_change?.id} ${requested_change?.revision} ${requested_change?.refused_at}`
}

function askedOf({ requested_change }: ApplicationData): { name?: string; home_page?: string } {
  if (!requested_change || requested_change.refused_at) return {}
  const { fields, name, home_page } = requested_change
  return {
    ...(fields.includes('name') ? { name: name ?? '' } : {}),
    ...(fields.includes('home_page') ? { home_page: home_page ?? '' } : {}),
  }
}

/** Goes on from what still waits. */
function permissionsOf({ requested_permissions, requested_change: change }: ApplicationData) {
  const isAsked = change && !change.refused_at && change.fields.includes('requested_permissions')
  return isAsked ? change.requested_permissions : requested_permissions
}

function SecretsPanel({ application }: { application: ApplicationData }) {
  const [requesting, setRequesting] = useState(false)
  const requestedAt = application.secret_rotation_requested_at
  return (
    <Panel
      title="Secrets"
      actions={
        <Button variant="default" onClick={() => setRequesting(true)} disabled={requestedAt !== null}>
          Request a new secret
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        The operator rotates secrets on request. Both secrets are valid for a while: deploy the new one before the old
        one expires.
      </Text>
      {requestedAt && (
        <Alert color="yellow" p="xs" mb="sm" icon={<Icon name="clock" />}>
          You requested a new secret <When at={requestedAt} />. The operator will send it to you.
        </Alert>
      )}
      <Secrets secrets={application.secrets} />
      {requesting && <RequestSecret application={application} onClose={() => setRequesting(false)} />}
    </Panel>
  )
}

function RequestSecret({ application, onClose }: { application: ApplicationData; onClose: () => void }) {
  const api = useApi()
  const form = useForm<BodyOf<'POST /core/v1/partner/applications/{client_id}/secret-rotation'>>({
    initialValues: { reason: 'routine' },
  })
  const request = useChange({
    run: () =>
      api.send('POST /core/v1/partner/applications/{client_id}/secret-rotation', {
        client_id: application.client_id,
        body: form.values,
      }),
    invalidates: ['GET /core/v1/partner/applications'],
    done: () => {
      onClose()
      return 'Request sent to the operator.'
    },
    silent: true,
  })
  return (
    <FormDialog form={form} title="Request a new secret" verb="Send request" change={request} onClose={onClose}>
      <Radio.Group label="Reason" {...form.getInputProps('reason')}>
        <Stack gap={6} mt={6}>
          <Radio
            value="routine"
            label="Routine"
            description="The old secret stays valid for a day, unless agreed otherwise"
          />
          <Radio value="lost" label="Lost" description="Nobody has the old secret any more" />
          <Radio value="leaked" label="Compromised" description="The old secret should be revoked immediately" />
        </Stack>
      </Radio.Group>
    </FormDialog>
  )
}
