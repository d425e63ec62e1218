import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { CodeBlock } from '../components/copy.tsx'
import { type Exchange, ExchangeView, exchange } from '../components/exchange.tsx'
import { Icon } from '../components/icon.tsx'
import { Panel } from '../components/page.tsx'
import { claimsOf, type Run, type Tokens } from './oauth-run.ts'

interface Taken {
  title: string
  about?: string
  exchange: Exchange
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** Back from the consent screen: check the state, exchange the code, use, refresh and revoke the tokens. */
export function AfterConsent({ run, callback }: { run: Run; callback: URLSearchParams }) {
  const [taken, setTaken] = useState<Taken[]>([])
  const [tokens, setTokens] = useState<Tokens | null>(null)
  const [busy, setBusy] = useState(false)
  const code = callback.get('code')
  const known = callback.get('state') === run.state

  const step = async (title: string, request: Parameters<typeof exchange>[0], about?: string) => {
    setBusy(true)
    try {
      const made = await exchange({
        ...request,
        hide: { [run.secret]: '<client_secret>', [encodeURIComponent(run.secret)]: '<client_secret>' },
      })
      setTaken((now) => [...now, { title, exchange: made, ...(about ? { about } : {}) }])
      return made
    } finally {
      setBusy(false)
    }
  }
  const askForTokens = async (title: string, parameters: Record<string, string>, about: string) => {
    const body = new URLSearchParams({ ...parameters, client_id: run.clientId, client_secret: run.secret }).toString()
    const made = await step(title, { method: 'POST', url: '/oauth/token', headers: form, body }, about)
    if (made.status === 200) setTokens(JSON.parse(made.answer) as Tokens)
  }
  const bearer = tokens ? { authorization: `Bearer ${tokens.access_token}` } : undefined

  return (
    <Stack gap="md">
      <Panel title="3. The browser came back">
        <Stack gap="sm">
          <CodeBlock code={[...callback].map(([name, value]) => `${name} = ${value}`).join('\n')} />
          {known ? (
            <Text size="sm">
              <Icon name="check" size={14} /> state is the one we sent. Only now may the rest be read.
            </Text>
          ) : (
            <Alert color="red" p="xs" icon={<Icon name="alert" />}>
              This state is not ours: the callback must be discarded (spec 7.2). Start over.
            </Alert>
          )}
          {known && callback.get('error') && (
            <Alert color="yellow" p="xs" icon={<Icon name="alert" />}>
              {callback.get('error')}:{' '}
              {callback.get('error_description') ?? 'the user declined. Tell them, and offer to try again.'}
            </Alert>
          )}
          {known && code && taken.length === 0 && (
            <Group>
              <Button
                loading={busy}
                onClick={() =>
                  void askForTokens(
                    '4. Exchange the code',
                    {
                      grant_type: 'authorization_code',
                      code,
                      code_verifier: run.verifier,
                      redirect_uri: run.redirectUri,
                    },
                    'Within 60 seconds, once. The verifier proves that whoever started the flow also ends it.',
                  )
                }
              >
                Exchange the code for tokens
              </Button>
            </Group>
          )}
        </Stack>
      </Panel>
      {taken.map(({ title, about, exchange: made }) => (
        <Panel key={`${title}${made.answer}${made.ms}`} title={title}>
          {about && (
            <Text size="sm" mb="sm">
              {about}
            </Text>
          )}
          <ExchangeView exchange={made} />
        </Panel>
      ))}
      {tokens?.id_token && (
        <Panel title="The id_token says">
          <CodeBlock code={claimsOf(tokens.id_token)} />
          <Text size="xs" c="dimmed" mt={6}>
            Verify its signature with the published keys, and iss, aud, exp and nonce, before you believe it.
          </Text>
        </Panel>
      )}
      {tokens && (
        <Panel title="What next?">
          <Group gap="xs">
            <Button
              variant="default"
              loading={busy}
              onClick={() =>
                void step(
                  'Call the organization API',
                  { method: 'GET', url: '/core/v1/organization/users?limit=5', headers: bearer! },
                  'With the customer’s full administrative reach.',
                )
              }
            >
              List users
            </Button>
            <Button
              variant="default"
              loading={busy}
              onClick={() =>
                void step('Ask who signed in', { method: 'GET', url: '/oauth/userinfo', headers: bearer! })
              }
            >
              Userinfo
            </Button>
            <Button
              variant="default"
              loading={busy}
              onClick={() =>
                void askForTokens(
                  'Refresh',
                  { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
                  'The old refresh token is spent. Shown again within 60 seconds it is taken for a lost answer; later it revokes the whole grant.',
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
                  'Every token of this authorization ends. The approval stays. List users now: 401.',
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
