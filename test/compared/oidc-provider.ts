// npm oidc-provider in a process's own memory, set up as close to docs/contract.md as its options allow, for the same requests.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import type { Contender } from './requests.ts'

export async function startOidcProvider(challenge: string): Promise<Contender & { stop(): void }> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }
  const client = {
    client_id: randomUUID(),
    client_secret: randomUUID(),
    redirect_uris: ['https://app.example.com/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'client_secret_basic' as const,
  }
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(url, {
    clients: [client],
    jwks: { keys: [key as never] },
    cookies: { keys: ['compared'] },
    rotateRefreshToken: true,
    features: { revocation: { enabled: true }, devInteractions: { enabled: false } },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, email: 'ada@example.com' }) }),
    claims: { email: ['email'] },
  })
  server.on('request', provider.callback())

  const { client_id, client_secret } = client
  const redirect_uri = client.redirect_uris[0]!
  const scope = 'openid email offline_access'
  return {
    name: 'oidc-provider',
    paths: {
      ...{ authorize: `${url}/auth`, token: `${url}/token`, revoke: `${url}/token/revocation` },
      ...{ userinfo: `${url}/me`, discovery: `${url}/.well-known/openid-configuration`, jwks: `${url}/jwks` },
    },
    ...{ client_id, client_secret, redirect_uri },
    async newCode() {
      const accountId = randomUUID()
      const registered = (await provider.Client.find(client_id))!
      const grant = new provider.Grant({ clientId: client_id, accountId })
      grant.addOIDCScope(scope)
      const code = new provider.AuthorizationCode({
        ...{ accountId, client: registered, grantId: await grant.save(), scope, redirectUri: redirect_uri },
        ...{
          codeChallenge: challenge,
          codeChallengeMethod: 'S256',
          authTime: Math.floor(Date.now() / 1000),
          claims: {},
        },
      } as never)
      return await code.save()
    },
    stop: () => server.close(),
  }
}
