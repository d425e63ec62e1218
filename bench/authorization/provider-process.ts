// npm oidc-provider with as many clients and refresh tokens as our side. Sends its port and chains when ready.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { connectionsWaiting } from '../../server/src/platform/http/listen.ts'
import type { Chain } from '../../test/support/seeded-grants.ts'
import { ownStore } from '../openid/own-store.ts'

const [alg, count] = [process.argv[2] as 'RS256' | 'ES256', Number(process.argv[3])]
const jwk =
  alg === 'RS256'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
    : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })

const clients = Array.from({ length: count }, () => ({
  client_id: randomUUID(),
  client_secret: randomUUID(),
  redirect_uris: ['https://app.example.com/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'client_secret_post' as const,
  id_token_signed_response_alg: alg,
}))

const configuration: Configuration = {
  adapter: ownStore,
  clients,
  jwks: { keys: [{ ...jwk, use: 'sig', alg } as never] },
  claims: { openid: ['sub', 'org_id', 'org_name'], profile: ['name'], email: ['email', 'email_verified'] },
  // Like our id_token: the same claims as userinfo.
  conformIdTokenClaims: false,
  rotateRefreshToken: true,
  cookies: { keys: ['bench'] },
  findAccount: (_ctx, sub) => ({
    accountId: sub,
    claims: () => ({
      sub,
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      email_verified: false,
      org_id: sub,
      org_name: 'Acme Lab',
    }),
  }),
}
const provider = new Provider('http://localhost', configuration)

const chains: Chain[] = []
const scope = 'openid profile email offline_access'
for (const { client_id, client_secret } of clients) {
  const accountId = randomUUID()
  const client = (await provider.Client.find(client_id))!
  const grant = new provider.Grant({ clientId: client_id, accountId })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const token = new provider.RefreshToken({
    ...{ accountId, client, grantId, scope, gty: 'authorization_code' },
    ...{ authTime: Math.floor(Date.now() / 1000), claims: {}, rotations: 0 },
  } as never)
  chains.push({ client_id, client_secret, refresh_token: await token.save() })
}

const server = createServer(provider.callback())
server.keepAliveTimeout = 60_000
server.listen({ host: '127.0.0.1', port: 0, backlog: connectionsWaiting }, () => {
  process.send!({ port: (server.address() as AddressInfo).port, chains })
})
