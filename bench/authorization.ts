// `npm run bench:authorization`: ratios, measured side by side on this machine in one run; exits non-zero when a bar is missed.

import { type Chain, seedGrants } from '../test/support/seeded-grants.ts'
import { type Landbridge, startLandbridge } from './authorization/landbridge.ts'
import type { LoadReport, RefreshWork } from './authorization/load.ts'
import { load, startOidcProvider } from './authorization/processes.ts'
import { addTokenRows } from './authorization/rows.ts'
import { inTurns, judge, median } from './environment.ts'

const connections = 512
/** 300 refreshes per minute and client are allowed, and the limits stay on: enough clients for the fastest machine. */
const clients = 4_096
/** oidc-provider's own store holds 1,000 entries and drops the rest: no more chains than fit in. */
const clientsOfStock = 32
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const manyRows = Number(process.env.BENCH_ROWS ?? 5_000_000)
const fewRows = 5_000
const grantTokens = Number(process.env.BENCH_GRANT_TOKENS ?? 100_000)
const only = process.argv[2]

const results: boolean[] = []

/** One side of a comparison. Every refresh changes the chains, so each turn starts where the last one ended. */
function refreshing(name: string, port: number, chains: Chain[], callers = connections): () => Promise<number> {
  const work: RefreshWork = { kind: 'refresh', path: name.startsWith('oidc') ? '/token' : '/oauth/token', chains }
  return async () => {
    const report = await load({ port, connections: callers, warmupSeconds: 1, seconds, work })
    work.chains = report.chains
    return print(name, report)
  }
}

function bearing(name: string, port: number, tokens: string[]): () => Promise<number> {
  const work = { kind: 'bearer' as const, path: '/oauth/userinfo', tokens }
  return async () => print(name, await load({ port, connections, warmupSeconds: 1, seconds, work }))
}

function print(name: string, { requestsPerSecond, p50, p99 }: LoadReport): number {
  console.log(
    `        ${name}: ${Math.round(requestsPerSecond)}/s (p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms)`,
  )
  return requestsPerSecond
}

async function againstOidcProvider(ours: Landbridge, alg: 'ES256' | 'RS256', target: number): Promise<void> {
  console.log(`\nRefresh with id_token (${alg}): ours commits to Postgres with fsync, oidc-provider holds it in memory`)
  const { chains } = await seedGrants(ours.sql, clients, alg)
  const map = await startOidcProvider(alg, clients, 'map')
  const mine = refreshing('landbridge', ours.port, chains)
  const theirs = refreshing('oidc-provider on a Map', map.port, map.chains)
  const ratio = await inTurns(rounds, {
    mine,
    theirs,
    // A new process each time: its store reads all tokens of a grant at every write, so that it slows down as they grow.
    async stock() {
      const stock = await startOidcProvider(alg, clientsOfStock, 'stock')
      const measure = refreshing('oidc-provider on its own store', stock.port, stock.chains, clientsOfStock)
      await measure()
      const rate = await measure()
      stock.stop()
      return rate
    },
  })
  map.stop()
  results.push(judge(`refresh with id_token (${alg}) : oidc-provider`, ratio('mine', 'stock'), { atLeast: target }))
  console.log(`        with a Map instead of its own store: ${ratio('mine', 'theirs').toFixed(2)}×`)
}

async function bySize(few: Landbridge, many: Landbridge): Promise<void> {
  console.log(`\nWith ${manyRows.toLocaleString('en')} token rows as with ${fewRows.toLocaleString('en')}`)
  const [small, large] = [await seedGrants(few.sql, clients, 'ES256'), await seedGrants(many.sql, clients, 'ES256')]
  await addTokenRows(few.sql, fewRows, small.grantIds)
  await addTokenRows(many.sql, manyRows, large.grantIds)
  const refreshes = {
    few: refreshing('refresh, few rows ', few.port, small.chains),
    many: refreshing('refresh, many rows', many.port, large.chains),
  }
  const bearers = {
    few: bearing('bearer, few rows ', few.port, small.accessTokens),
    many: bearing('bearer, many rows', many.port, large.accessTokens),
  }
  for (const [title, sides] of [['a refresh', refreshes] as const, ['a bearer check', bearers] as const]) {
    const ratio = await inTurns(rounds, sides)
    results.push(judge(`cost of ${title}, many rows : few`, ratio('few', 'many'), { atMost: 1.25 }))
  }
}

async function byTokens(ours: Landbridge): Promise<void> {
  console.log('\nRevoking a grant with 100,000 tokens as one with a single token')
  const times = { one: [] as number[], many: [] as number[] }
  const seeded = await seedGrants(ours.sql, 18, 'ES256')
  const withManyTokens = seeded.grantIds.slice(0, 9)
  // In turns again, so that both have the same conditions.
  await addTokenRows(ours.sql, withManyTokens.length * grantTokens, withManyTokens)
  for (let n = 0; n < withManyTokens.length; n += 1) {
    for (const [kind, index] of [['many', n] as const, ['one', n + withManyTokens.length] as const]) {
      const { client_id, client_secret } = seeded.chains[index]!
      const began = performance.now()
      const response = await fetch(`http://127.0.0.1:${ours.port}/oauth/revoke`, {
        method: 'POST',
        headers: { 'x-forwarded-for': `172.16.${n}.${index}` },
        body: new URLSearchParams({ client_id, client_secret, token: seeded.accessTokens[index]! }),
      })
      await response.text()
      if (response.status !== 200) throw new Error(`revoke returned ${response.status}`)
      times[kind].push(performance.now() - began)
    }
  }
  const [revoked] = await ours.sql<{ count: number }[]>`
    select count(*)::int as count from grants where revoked_at is not null and id = any(${seeded.grantIds})`
  if (revoked!.count !== seeded.grantIds.length)
    throw new Error(`${revoked!.count} of ${seeded.grantIds.length} grants revoked`)
  console.log(`        median ${median(times.many).toFixed(1)} ms and ${median(times.one).toFixed(1)} ms`)
  const ratio = median(times.many) / median(times.one)
  results.push(judge('revoking a grant of 100,000 tokens : one of a single token', ratio, { atMost: 2 }))
}

const first = await startLandbridge()
const second = await startLandbridge()
try {
  if (!only || only === 'oidc-provider') {
    await againstOidcProvider(first, 'ES256', 3)
    await againstOidcProvider(first, 'RS256', 1.3)
  }
  if (!only || only === 'size') await bySize(first, second)
  if (!only || only === 'revoke') await byTokens(second)
} finally {
  await Promise.all([first.stop(), second.stop()])
}
process.exit(results.every(Boolean) ? 0 : 1)
