import { Alert, Button, Checkbox, Group, PasswordInput, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { useApi, useChange, usePages } from '../api/api.tsx'
import { call } from '../api/http.ts'
import type { Application } from '../api/partner.ts'
import { CodeBlock } from '../components/copy.tsx'
import { Icon } from '../components/icon.tsx'
import { Empty, Page, Panel } from '../components/page.tsx'
import { forgetRun, planRun, playgroundAddress, type Run, rememberedRun, rememberRun } from './oauth-run.ts'
import { AfterConsent } from './playground-steps.tsx'

/** The whole flow against a real application, one step at a time, with nothing hidden but the secret. */
export function Playground() {
  const { partnerId = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const applications = usePages<Application>('/applications')
  const [run, setRun] = useState<Run | null>(() => {
    const kept = rememberedRun()
    return kept?.partnerId === partnerId ? kept : null
  })
  // Taken once, then out of the address: a code is worth something for a minute.
  const [callback] = useState(() => (search.has('state') ? new URLSearchParams(search) : null))
  const restart = () => {
    forgetRun()
    setRun(null)
    setSearch({}, { replace: true })
  }
  return (
    <Page
      title="OAuth playground"
      about="Authorization code with PKCE, step by step: what your application sends, and what it gets back. Use your lab tenant on the consent screen."
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
          <Empty icon="plug" title="You have no application yet">
            Ask the operator to register one; the lab comes with one already.
          </Empty>
        </Panel>
      ) : !run ? (
        <Prepare
          applications={applications.items}
          chosen={search.get('client_id')}
          onReady={(made) => {
            rememberRun(made)
            setRun(made)
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
  const [clientId, setClientId] = useState(chosen)
  const [secret, setSecret] = useState('')
  const [scope, setScope] = useState(['openid', 'profile', 'email'])
  const application = applications.find(({ client_id }) => client_id === clientId) ?? applications[0]
  const here = playgroundAddress()
  const registered = application?.redirect_uris.includes(here) ?? false
  const discovery = useQuery({
    queryKey: ['discovery'],
    queryFn: () => call<{ authorization_endpoint: string }>('/.well-known/openid-configuration'),
    staleTime: 3_600_000,
  })
  const add = useChange({
    run: () =>
      api.patch(`/applications/${application!.client_id}`, { redirect_uris: [...application!.redirect_uris, here] }),
    touches: ['/applications'],
    done: () => 'The playground’s address is registered.',
  })
  if (!application) return null
  return (
    <Step number={1} title="Choose an application and make a PKCE pair">
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
            value={application.client_id}
            onChange={setClientId}
            allowDeselect={false}
          />
          {!registered && (
            <Alert color="yellow" p="xs" icon={<Icon name="alert" />}>
              <Text size="sm" mb="xs">
                This page is where the browser comes back to. Its address is not one of the application’s redirect URIs
                yet:
              </Text>
              <CodeBlock code={here} />
              <Button size="xs" mt="xs" variant="default" onClick={() => add.mutate()} loading={add.isPending}>
                Register it
              </Button>
            </Alert>
          )}
          <PasswordInput
            label="Client secret"
            description="Stays in this tab; it is sent to the token endpoint only"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
            autoComplete="off"
            required
          />
          <Checkbox.Group label="Scope" value={scope} onChange={setScope}>
            <Group gap="md" mt={6}>
              {['openid', 'profile', 'email'].map((value) => (
                <Checkbox key={value} value={value} label={value} />
              ))}
            </Group>
          </Checkbox.Group>
          <Group>
            <Button type="submit" disabled={!registered || !discovery.data}>
              Prepare the request
            </Button>
          </Group>
        </Stack>
      </form>
    </Step>
  )
}

function Authorize({ run }: { run: Run }) {
  return (
    <Step number={2} title="Send the browser to the authorization endpoint">
      <Text size="sm">The verifier stays with your application; only its hash travels with the browser:</Text>
      <CodeBlock
        code={`code_verifier  = ${run.verifier}\ncode_challenge = BASE64URL(SHA256(code_verifier)) = ${run.challenge}\nstate          = ${run.state}`}
      />
      <CodeBlock label="Copy address" code={run.authorizeUrl.replaceAll(/[?&]/g, (mark) => `\n  ${mark}`)} />
      <Group>
        <Button onClick={() => location.assign(run.authorizeUrl)} leftSection={<Icon name="out" size={14} />}>
          Go there, sign in and approve
        </Button>
      </Group>
    </Step>
  )
}
