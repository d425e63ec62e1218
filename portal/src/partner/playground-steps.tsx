import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type ResponseOf, urlOf } from '../api/operations.ts'
import { CodeBlock } from '../components/page/copy.tsx'
import { Icon } from '../components/page/icon.tsx'
import { Panel } from '../components/page/page.tsx'
import { type Exchange, ExchangeView, exchange } from './exchange.tsx'
import { claimsOf, type Run, type Tokens } from './oauth-run.ts'

interface CompletedStep {
  title: string
  about?: string
  exchange: Exchange
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** After the consent screen: check the state, exchange the code, use, refresh and revoke the tokens. */
export function AfterConsent({ run, callback }: { run: Run; callback: URLSearchParams }) {
  const [steps, setSteps] = useState<CompletedStep[]>([])
  const [tokens, setTokens] = useState<Tokens | null>(null)
  const [busy, setBusy] = useState(false)
  const code = callback.get('code')
  const stateMatches = callback.get('state') === run.state

  const step = async (title: string, request: Parameters<typeof exchange>[0], about?: string) => {
    setBusy(true)
    try {
      const completed = await exchange({
        ...request,
        hide: { [run.secret]: '<client_secret>', [encodeURIComponent(run.secret)]: '<client_secret>' },
      })
      setSteps((now) => [...now, { title, exchange: completed, ...(about ? { about } : {}) }])
      return completed
    } finally {
      setBusy(false)
    }
  }
  const requestTokens = async (title: string, parameters: Record<string, string>, about: string) => {
    const body = new URLSearchParams({ ...parameters, client_id: run.clientId, client_secret: run.secret }).toString()
    const completed = await step(title, { method: 'POST', url: '/oauth/token', headers: form, body }, about)
    if (completed.status === 200) setTokens(JSON.parse(completed.responseBody) as Tokens)
  }
  const bearer = tokens ? { authorization: `Bearer ${tokens.access_token}` } : undefined

  const readDevice = async () => {
    const at = (url: string) => ({ method: 'GET', url, headers: bearer! })
    const devices = 'GET /core/v1/organization/devices'
    const list = await step('List a device', at(urlOf(devices, { limit: 1 })))
    const [device] = list.status === 200 ? (JSON.parse(list.responseBody) as ResponseOf<typeof devices>).items : []
    if (!device) return
    await step('Get its latest values', at(urlOf('GET /core/v1/organization/devices/{id}', { id: device.id })))
    await step(
      'Get the data dictionary of its model',
      at(urlOf('GET /core/v1/organization/models/{id}/dictionary', { id: device.model_id })),
      'Labels, units and meanings of the values, as the partner of the model wrote them.',
    )
  }

  return (
    <Stack gap="md">
      <Panel title="3. Back from the consent screen">
        <Stack gap="sm">
          <CodeBlock code={[...callback].map(([name, value]) => `${name} = ${value}`).join('\n')} />
          {stateMatches ? (
            <Text size="sm">
              <Icon name="check" size={14} /> The state matches the one we sent. Check this before reading anything
              else.
            </Text>
          ) : (
            <Alert color="red" p="xs" icon={<Icon name="alert" />}>
              The state does not match: discard this callback and start over.
            </Alert>
          )}
          {stateMatches && callback.get('error') && (
            <Alert color="yellow" p="xs" icon={<Icon name="alert" />}>
              {callback.get('error')}:{' '}
              {callback.get('error_description') ?? 'the user declined. Tell them, and offer to try again.'}
            </Alert>
          )}
          {stateMatches && code && steps.length === 0 && (
            <Group>
              <Button
                loading={busy}
                onClick={() =>
                  void requestTokens(
                    '4. Exchange the code',
                    {
                      grant_type: 'authorization_code',
                      code,
                      code_verifier: run.verifier,
                      redirect_uri: run.redirectUri,
                    },
                    'Within 60 seconds, once. The verifier proves that the same application started the flow.',
                  )
                }
              >
                Exchange the code for tokens
              </Button>
            </Group>
          )}
        </Stack>
      </Panel>
      {steps.map(({ title, about, exchange: completed }) => (
        <Panel key={`${title}${completed.responseBody}${completed.ms}`} title={title}>
          {about && (
            <Text size="sm" mb="sm">
              {about}
            </Text>
          )}
          <ExchangeView exchange={completed} />
        </Panel>
      ))}
      {tokens?.id_token && (
        <Panel title="Claims of the id_token">
          <CodeBlock code={claimsOf(tokens.id_token)} />
          <Text size="xs" c="dimmed" mt={6}>
            Verify its signature with the published keys, and iss, aud, exp and nonce, before you trust it.
          </Text>
        </Panel>
      )}
      {tokens && (
        <Panel title="Next steps">
          <Group gap="xs">
            <Button
              variant="default"
              loading={busy}
              onClick={() =>
                void step(
                  'Call the organization API',
                  { method: 'GET', url: urlOf('GET /core/v1/organization/users', { limit: 5 }), headers: bearer! },
                  'With full administrative access to the customer.',
                )
              }
            >
              List users
            </Button>
            <Button variant="default" loading={busy} onClick={() => void readDevice()}>
              Read a device
            </Button>
            <Button
              variant="default"
              loading={busy}
              onClick={() =>
                void step('Get the user’s claims', { method: 'GET', url: '/oauth/userinfo', headers: bearer! })
              }
            >
              Userinfo
            </Button>
            <Button
              variant="default"
              loading={busy}
              onClick={() =>
                void requestTokens(
                  'Refresh',
                  { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
                  'The old refresh token no longer works. Presented again within 60 seconds, it counts as a retry; later, it revokes the whole grant.',
                )
              }
            >
              Refresh
            </Button>
            <Button
              variant="light"
              color="red"
              loading={busy}
              onClick={() => {
                const body = new URLSearchParams({
                  token: tokens.refresh_token,
                  client_id: run.clientId,
                  client_secret: run.secret,
                }).toString()
                void step(
                  'Revoke',
                  { method: 'POST', url: '/oauth/revoke', headers: form, body },
                  'Every token of this grant is revoked. The approval stays. List users now returns 401.',
                )
              }}
            >
              Revoke
            </Button>
          </Group>
        </Panel>
      )}
    </Stack>
  )
}
