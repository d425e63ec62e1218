// npm oidc-provider with its own store, and ES256 like our side. For each message it issues authorization codes and access tokens,
// as if as many people had just consented.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'
import { ownStore } from './own-store.ts'
import { codeChallenge, type IssuedCode, redirectUri } from './requests.ts'

export interface ProviderOrder {
  clients: number
}

export interface ProviderTurn {
  codes: number
  accessTokens: number
}

export interface ProviderReport {
  port: number
  codes: IssuedCode[]
  accessTokens: string[]
}

async function start({ clients: count }: ProviderOrder): Promise<(turn: ProviderTurn) => Promise<ProviderReport>> {
  const clients = Array.from({ length: count }, () => ({
    client_id: randomUUID(),
    client_secret: randomUUID(),
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_post' as const,
    id_token_signed_response_alg: 'ES256' as const,
  }))
  const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
  const configuration: Configuration = {
    adapter: ownStore,
    clients,
    jwks: { keys: [{ ...jwk, use: 'sig', alg: 'ES256' } as never] },
    claims: { openid: ['sub', 'org_id', 'org_name'], profile: ['name'], email: ['email', 'email_verified'] },
    // Like our id_token: the same claims as userinfo.
    conformIdTokenClaims: false,
    cookies: { keys: ['bench'] },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({
        sub,
        name: 'Ada',
        email: 'ada@example.com',
        email_verified: false,
        org_id: sub,
        org_name: 'Acme',
      }),
    }),
  }
  const provider = new Provider('http://localhost', configuration)
  const scope = 'openid profile email offline_access'
  const grants = await Promise.all(
    clients.map(async ({ client_id, client_secret }) => {
      const accountId = randomUUID()
      const grant = new provider.Grant({ clientId: client_id, accountId })
      grant.addOIDCScope(scope)
      const client = (await provider.Client.find(client_id))!
      return { client_id, client_secret, about: { accountId, client, grantId: await grant.save(), scope } }
    }),
  )

  async function issueCode(n: number): Promise<IssuedCode> {
    const { client_id, client_secret, about } = grants[n % grants.length]!
    const code = new provider.AuthorizationCode({
      ...about,
      ...{ redirectUri, codeChallenge, codeChallengeMethod: 'S256', gty: 'authorization_code', claims: {} },
      authTime: Math.floor(Date.now() / 1000),
    } as never)
    return { client_id, client_secret, code: await code.save() }
  }

  async function issueAccessToken(n: number): Promise<string> {
    const token = new provider.AccessToken({ ...grants[n % grants.length]!.about, gty: 'authorization_code' } as never)
    return await token.save()
  }

  const server = createServer(provider.callback())
  server.keepAliveTimeout = 60_000
  server.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return async ({ codes, accessTokens }) => ({
    port,
    codes: await Promise.all(Array.from({ length: codes }, (_, n) => issueCode(n))),
    accessTokens: await Promise.all(Array.from({ length: accessTokens }, (_, n) => issueAccessToken(n))),
  })
}

// It warns of its development defaults; they do not matter here.
console.warn = console.info = () => {}
let running: ReturnType<typeof start>
process.on('message', async (message: ProviderOrder | ProviderTurn) => {
  if ('clients' in message) running = start(message)
  else process.send!(await (await running)(message))
})
process.on('disconnect', () => process.exit(0))
