import { Alert, Button, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useApi, useChange, useRead } from '../api/api.tsx'
import type { Application as ApplicationData } from '../api/partner.ts'
import { AddressTabs } from '../components/address-tabs.tsx'
import { ApplicationFacts, ApplicationState, Secrets } from '../components/application.tsx'
import { FormDialog, useFields } from '../components/form.tsx'
import { Icon } from '../components/icon.tsx'
import { Page, Panel, Shown } from '../components/page.tsx'
import { When } from '../components/when.tsx'
import { HowToConnect } from './how-to-connect.tsx'
import { RedirectUris } from './redirect-uris.tsx'

export function Application() {
  const { partnerId, clientId = '' } = useParams()
  const application = useRead<ApplicationData>(`/applications/${clientId}`)
  return (
    <Shown of={application}>
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
          <ApplicationFacts application={data} />
          <AddressTabs
            tabs={[
              { value: 'connect', label: 'How to connect', content: <HowToConnect application={data} /> },
              {
                value: 'redirect-uris',
                label: 'Redirect URIs',
                content: <RedirectUris application={data} key={data.redirect_uris.join(' ')} />,
              },
              { value: 'secrets', label: 'Secrets', content: <SecretsPanel application={data} /> },
            ]}
          />
        </Page>
      )}
    </Shown>
  )
}

function SecretsPanel({ application }: { application: ApplicationData }) {
  const [asking, setAsking] = useState(false)
  const askedAt = application.secret_rotation_requested_at
  return (
    <Panel
      title="Secrets"
      actions={
        <Button variant="default" onClick={() => setAsking(true)} disabled={askedAt !== null}>
          Ask for a new secret
        </Button>
      }
    >
      <Text size="sm" c="dimmed" mb="sm" maw={720}>
        The operator rotates secrets on request. Two can be valid at once, so that you change over without a failed
        request: deploy the new one within the overlap, then let the old one end.
      </Text>
      {askedAt && (
        <Alert color="yellow" p="xs" mb="sm" icon={<Icon name="clock" />}>
          You asked for a new secret <When at={askedAt} />. The operator sees it and hands the new one over.
        </Alert>
      )}
      <Secrets secrets={application.secrets} />
      {asking && <AskForSecret application={application} onClose={() => setAsking(false)} />}
    </Panel>
  )
}

function AskForSecret({ application, onClose }: { application: ApplicationData; onClose: () => void }) {
  const api = useApi()
  const [form, fieldsOf] = useFields({ reason: 'routine' })
  const ask = useChange({
    run: () => api.post(`/applications/${application.client_id}/secret-rotation`, form),
    touches: ['/applications'],
    done: () => {
      onClose()
      return 'The operator sees your request now.'
    },
    quiet: true,
  })
  const field = fieldsOf(ask.error)
  return (
    <FormDialog title="Ask for a new secret" verb="Ask the operator" change={ask} onClose={onClose}>
      <Radio.Group label="Why" {...field('reason')}>
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
    </FormDialog>
  )
}
