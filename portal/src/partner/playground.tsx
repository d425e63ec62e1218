import { Alert, Button, Checkbox, Group, PasswordInput, Select, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useAll, useApi, useChange } from '../api/api.tsx'
import { read } from '../api/http.ts'
import type { Application } from '../api/partner.ts'
import { CodeBlock } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Empty, Page, Panel } from '../components/page/page.tsx'
import { clearRun, planRun, playgroundAddress, type Run, storedRun, storeRun } from './oauth-run.ts'
import { AfterConsent } from './playground-steps.tsx'

/** The OAuth flow with a real application, one request at a time. */
export function Playground() {
  const { partnerId = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const applications = useAll('GET /core/v1/partner/applications')
  const [run, setRun] = useState<Run | null>(() => {
    const kept = storedRun()
    return kept?.partnerId === partnerId ? kept : null
  })
  const [callback] = useState(() => (search.has('state') ? new URLSearchParams(search) : null))
  const restart = () => {
    clearRun()
    setRun(null)
    setSearch({}, { replace: true })
  }
  return (
    <Page
      title="OAuth playground"
      about="Authorization code flow with PKCE, step by step, with every request and response. Choose your test tenant on the consent screen."
      actions={
        run ? (
          <Button variant="default" onClick={restart}>
            Start over
          </Button>
        ) : null
      }
    >
      {applications.isSuccess && applications.items.length === 0 ? (
        <Panel>
          <Empty icon="plug" title="No applications yet">
            Ask for one on the applications page.
          </Empty>
        </Panel>
      ) : !run ? (
        <Prepare
          applications={applications.items}
          chosen={search.get('client_id')}
          onReady={(prepared) => {
            storeRun(prepared)
            setRun(prepared)
          }}
        />
      ) : callback ? (
        <AfterConsent run={run} callback={callback} />
      ) : (
        <Authorize run={run} />
      )}
    </Page>
  )
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <Panel title={`${number}. ${title}`}>
      <Stack gap="sm">{children}</Stack>
    </Panel>
  )
}

interface PrepareProps {
  applications: Application[]
  chosen: string | null
  onReady: (run: Run) => void
}

function Prepare({ applications, chosen, onReady }: PrepareProps) {
  const api = useApi()
  const { partnerId = '' } = useParams()
  const form = useForm({ initialValues: { clientId: chosen, secret: '', scope: ['openid', 'profile', 'email'] } })
  const { clientId, secret, scope } = form.values
  const application = applications.find(({ client_id }) => client_id === clientId) ?? applications[0]
  const here = playgroundAddress()
  const registered = application?.redirect_uris.includes(here) ?? false
  const discovery = useQuery({
    queryKey: ['discovery'],
    queryFn: () => read('GET /.well-known/openid-configuration', {}),
    staleTime: 3_600_000,
  })
  const add = useChange({
    run: () =>
      api.send('PATCH /core/v1/partner/applications/{client_id}', {
        client_id: application!.client_id,
        body: { redirect_uris: [...application!.redirect_uris, here] },
      }),
    invalidates: ['GET /core/v1/partner/applications'],
    done: () => 'Redirect URI added.',
  })
  if (!application) return null
  return (
    <Step number={1} title="Choose an application">
      <form
        onSubmit={async (event) => {
          event.preventDefault()
          onReady(
            await planRun({
              partnerId,
              clientId: application.client_id,
              secret: secret.trim(),
              scope: scope.join(' '),
              authorizationEndpoint: discovery.data!.authorization_endpoint,
            }),
          )
        }}
      >
        <Stack gap="sm" maw={520}>
          <Select
            label="Application"
            data={applications.map(({ client_id, name }) => ({ value: client_id, label: name }))}
            {...form.getInputProps('clientId')}
            value={application.client_id}
            allowDeselect={false}
          />
          {!registered && (
            <Alert color="yellow" p="xs" icon={<Icon name="alert" />}>
              <Text size="sm" mb="xs">
                The consent screen redirects to this page. Its address is not a redirect URI of the application yet:
              </Text>
              <CodeBlock code={here} />
              <Button size="xs" mt="xs" variant="default" onClick={() => add.mutate()} loading={add.isPending}>
                Add redirect URI
              </Button>
            </Alert>
          )}
          <PasswordInput
            label="Client secret"
            description="Stays in this tab and is sent to the token endpoint only"
            {...form.getInputProps('secret')}
            autoComplete="off"
            required
          />
          <Checkbox.Group label="Scope" {...form.getInputProps('scope')}>
            <Group gap="md" mt={6}>
              {['openid', 'profile', 'email'].map((value) => (
                <Checkbox key={value} value={value} label={value} />
              ))}
            </Group>
          </Checkbox.Group>
          <Group>
            <Button type="submit" disabled={!registered || !discovery.data}>
              Prepare request
            </Button>
          </Group>
        </Stack>
      </form>
    </Step>
  )
}

function Authorize({ run }: { run: Run }) {
  return (
    <Step number={2} title="Redirect to the authorization endpoint">
      <Text size="sm">Your application keeps the verifier; the browser gets only its hash:</Text>
      <CodeBlock
        code={`code_verifier  = ${run.verifier}\ncode_challenge = BASE64URL(SHA256(code_verifier)) = ${run.challenge}\nstate          = ${run.state}`}
      />
      <CodeBlock label="Copy address" code={run.authorizeUrl.replaceAll(/[?&]/g, (mark) => `\n  ${mark}`)} />
      <Group>
        <Button onClick={() => location.assign(run.authorizeUrl)} leftSection={<Icon name="external" size={14} />}>
          Continue to sign in and approve
        </Button>
      </Group>
    </Step>
  )
}
