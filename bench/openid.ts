// `npm run bench:openid [-- --quick]`: what an application calls beside refreshing its token (that is in
// authorization.ts): the exchange of a code, userinfo and the key set.
import type { Pool } from '../server/src/platform/database/sql.ts'
import { digest, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { type Seeded, seedGrants } from '../test/support/seeded-grants.ts'
import { startLandbridge } from './authorization/landbridge.ts'
import { onCleanUp } from './clean-up.ts'
import {
  type Figure,
  inShortTurns,
  inTurns,
  type OpenLoad,
  openLoad,
  openWorker,
  startServer,
  successful,
} from './environment.ts'
import type { ProviderReport, ProviderTurn } from './openid/oidc-provider.ts'
import { codeChallenge, codeExchange, get, type IssuedCode, redirectUri } from './openid/requests.ts'
import { type Row, runAlone } from './table.ts'

const connections = 128
/** 300 requests per minute and client are allowed, and the limits stay on. */
const clients = 2_048
/** oidc-provider limits nobody. */
const clientsOfProvider = 512

export async function measure(quick: boolean): Promise<Row[]> {
  const rounds = quick ? 2 : 30
  const warmUpRounds = quick ? 1 : 8
  const secondsToWarmUp = quick ? 1 : 5
  const { port, sql, stop } = await startLandbridge()
  const end = onCleanUp(stop)
  const url = `http://127.0.0.1:${port}`
  const seeded = await seedGrants(sql, clients, 'ES256')
  const provider = openWorker<ProviderTurn, ProviderReport>('./openid/oidc-provider.ts', {
    clients: clientsOfProvider,
  })
  const issued = await provider.run({ codes: 0, accessTokens: clientsOfProvider })

  const mine = openLoad({ port, connections, requests: [] })
  const theirs = openLoad({ port: issued.port, connections, requests: [] })
  const exchanges = await inTurns(
    rounds,
    {
      ours: exchanging(mine, '/oauth/token', (count) => issueCodes(sql, seeded, count)),
      'oidc-provider': exchanging(theirs, '/token', async (codes) => {
        return (await provider.run({ codes, accessTokens: 0 })).codes
      }),
    },
    warmUpRounds,
  )
  await mine.close()
  await theirs.close()

  const requests = seeded.accessTokens.map((token) => get('/oauth/userinfo', token))
  const bareUserinfo = await startBareRoute(url, '/oauth/userinfo', seeded.accessTokens[0])
  const userinfo = await inShortTurns(
    rounds,
    {
      'bare Fastify route': { port: bareUserinfo.port, connections, requests },
      ours: { port, connections, requests },
      'oidc-provider': {
        ...{ port: issued.port, connections },
        requests: issued.accessTokens.map((token) => get('/me', token)),
      },
    },
    secondsToWarmUp,
  )
  await bareUserinfo.stop()
  await provider.close()

  const keySetPath = '/oauth/.well-known/jwks.json'
  const bareKeySet = await startBareRoute(url, keySetPath)
  const keySet = await inShortTurns(
    rounds,
    {
      'bare Fastify route': { port: bareKeySet.port, connections, requests: [get(keySetPath)] },
      ours: { port, connections, requests: [get(keySetPath)] },
    },
    secondsToWarmUp,
  )
  await bareKeySet.stop()
  await end()
  return [
    exchanges.row('code exchange with id_token (ES256)', 'ours', 'oidc-provider', null),
    userinfo.row('userinfo', 'ours', 'bare Fastify route', null),
    userinfo.row('userinfo', 'ours', 'oidc-provider', null),
    keySet.row('key set', 'ours', 'bare Fastify route', null),
  ]
}

/** One side of the exchange of codes. Each works once, so every turn starts with as many new ones as it may need. */
function exchanging(
  load: OpenLoad,
  path: string,
  issue: (count: number) => Promise<IssuedCode[]>,
): () => Promise<Figure> {
  let lastRate = 2_000
  return async () => {
    const codes = await issue(6 * connections + Math.ceil(lastRate))
    const requests = codes.map((code) => codeExchange(path, code))
    const report = successful(path, await load.run({ warmUpSeconds: 0.1, seconds: 0.5, requests }))
    lastRate = report.rate
    return report
  }
}

/** What as many consents would have stored. */
async function issueCodes(sql: Pool, { chains, grantIds }: Seeded, count: number): Promise<IssuedCode[]> {
  const codes = Array.from({ length: count }, (_, n) => {
    const { client_id, client_secret } = chains[n % chains.length]!
    return { client_id, client_secret, code: mintSecret('authorization_code'), grant_id: grantIds[n % chains.length]! }
  })
  await sql`
    insert into authorization_codes
      (digest, grant_id, client_id, user_id, redirect_uri, code_challenge, scope, auth_time, expires_at)
    select decode(code.digest, 'hex'), g.id, g.client_id, token.user_id, ${redirectUri}, ${codeChallenge},
      array['openid', 'profile', 'email'], now(), now() + interval '1 minute'
    from unnest(
      ${codes.map(({ code }) => digest(code).toString('hex'))}::text[], ${codes.map(({ grant_id }) => grant_id)}::uuid[]
    ) as code (digest, grant_id)
    join grants g on g.id = code.grant_id
    join lateral (select user_id from access_tokens where grant_id = g.id limit 1) token on true`
  return codes
}

/** A route that returns the same bytes as ours. */
async function startBareRoute(url: string, path: string, accessToken?: string) {
  const response = await fetch(url + path, accessToken ? { headers: { authorization: `Bearer ${accessToken}` } } : {})
  const bytes = await response.text()
  if (response.status !== 200) throw new Error(bytes)
  return await startServer('./organization/bare-reads.ts', bytes, path)
}

if (import.meta.main) await runAlone(measure)
