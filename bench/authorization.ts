// `npm run bench:authorization [-- --quick] [refresh | signing | waiting | size | revoke]`: ratios, measured side by side on this
// machine in one run, in turns; exits 1 when a bar is missed.
import { type Chain, seedGrants } from '../test/support/seeded-grants.ts'
import { type Landbridge, startLandbridge } from './authorization/landbridge.ts'
import type { RefreshWork } from './authorization/load.ts'
import { type Alg, load, signingCeiling, startOidcProvider, startSigningServer } from './authorization/processes.ts'
import { addTokenRows } from './authorization/rows.ts'
import { type Figure, inTurns, median, spreadOf, toMilliseconds } from './environment.ts'
import { type Row, runAlone } from './table.ts'

const connections = 512
/** 300 refreshes per minute and client are allowed, and the limits stay on: enough clients for the fastest machine. */
const clients = 4_096
/** oidc-provider's own store holds 1,000 entries and drops the rest: no more callers than fit in, on our side as well. */
const connectionsOfStock = 32
const fewRows = 5_000

interface Length {
  rounds: number
  seconds: number
}

export async function measure(quick: boolean): Promise<Row[]> {
  const parts = ['refresh', 'signing', 'waiting', 'size', 'revoke']
  const chosen = parts.filter((part) => process.argv.slice(2).includes(part))
  const wanted = (part: string) => chosen.length === 0 || chosen.includes(part)
  const manyRows = Number(process.env.BENCH_ROWS ?? (quick ? 200_000 : 5_000_000))
  const length = quick ? { rounds: 3, seconds: 1.5 } : { rounds: 5, seconds: 3 }
  const rows: Row[] = []
  const first = await startLandbridge()
  if (wanted('refresh')) rows.push(...(await refreshes(first, 'ES256', length)))
  if (wanted('refresh')) rows.push(...(await refreshes(first, 'RS256', length)))
  if (wanted('signing')) rows.push(...(await ceilings(first, length)))
  if (wanted('waiting')) rows.push(...(await withoutSignature(first, length)))
  if (wanted('size') || wanted('revoke')) {
    const second = await startLandbridge()
    if (wanted('size')) rows.push(...(await bySize(first, second, length, manyRows)))
    if (wanted('revoke')) rows.push(await byTokens(second, quick ? 10_000 : 100_000))
    await second.stop()
  }
  await first.stop()
  return rows
}

/** One side of a comparison. Every refresh changes the chains, so each turn starts where the last one ended. */
function refreshing(
  target: { port: number; path?: string },
  chains: Chain[],
  seconds: number,
  callers = connections,
): () => Promise<Figure> {
  const work: RefreshWork = { kind: 'refresh', path: target.path ?? '/oauth/token', chains }
  return async () => {
    const report = await load({ port: target.port, connections: callers, warmupSeconds: 1, seconds, work })
    work.chains = report.chains
    return { rate: report.requestsPerSecond, p99: report.p99 }
  }
}

/** Ours commits to Postgres with fsync, oidc-provider holds everything in memory. */
async function refreshes(ours: Landbridge, alg: Alg, { rounds, seconds }: Length): Promise<Row[]> {
  console.log(`\nRefresh with id_token (${alg})`)
  const { chains } = await seedGrants(ours.sql, clients, alg)
  const few = await seedGrants(ours.sql, clients, alg)
  const map = await startOidcProvider(alg, clients, 'map')
  const turns = await inTurns(rounds, {
    [`ours, ${connections} callers`]: refreshing(ours, chains, seconds),
    'oidc-provider on a Map': refreshing({ port: map.port, path: '/token' }, map.chains, seconds),
    [`ours, ${connectionsOfStock} callers`]: refreshing(ours, few.chains, seconds, connectionsOfStock),
    // A new process each time: its store reads all tokens of a grant at every write, so that it slows down as they grow.
    'oidc-provider': async () => {
      const stock = await startOidcProvider(alg, connectionsOfStock, 'stock')
      const target = { port: stock.port, path: '/token' }
      const figure = await refreshing(target, stock.chains, seconds, connectionsOfStock)()
      await stock.stop()
      return figure
    },
  })
  await map.stop()
  const what = `refresh with id_token (${alg})`
  // oidc-provider signs RS256 on every core too: both sides then do little else, and their ratio says little.
  const bar = alg === 'ES256' ? 3 : null
  return [
    turns.row(`${what}, ${connectionsOfStock} callers`, `ours, ${connectionsOfStock} callers`, 'oidc-provider', bar),
    turns.row(`${what}, ${connections} callers`, `ours, ${connections} callers`, 'oidc-provider on a Map', null),
  ]
}

/**
 * RS256 against what all cores can sign: while nothing else runs; when each signature is a request over HTTP; and in the
 * time that the rest of a refresh leaves them. The rest is what a refresh with ES256 takes, less its own signature.
 */
async function ceilings(ours: Landbridge, { rounds, seconds }: Length): Promise<Row[]> {
  console.log('\nRefresh with id_token (RS256) and what all cores can sign')
  const rsa = await seedGrants(ours.sql, clients, 'RS256')
  const elliptic = await seedGrants(ours.sql, clients, 'ES256')
  const bare = await startSigningServer('RS256')
  const shares: number[] = []
  const latest = { ours: 0, elliptic: 0, cores: 0, coresElliptic: 0 }
  const keep = (name: keyof typeof latest, run: () => Promise<Figure>) => async () => {
    const figure = await run()
    latest[name] = figure.rate
    return figure
  }
  const allCores = (alg: Alg) => async () => ({ rate: await signingCeiling({ alg, seconds }) })
  const refresh = keep('ours', refreshing(ours, rsa.chains, seconds))
  const turns = await inTurns(rounds, {
    'ours, ES256': keep('elliptic', refreshing(ours, elliptic.chains, seconds)),
    'all cores, signing only, ES256': keep('coresElliptic', allCores('ES256')),
    'all cores, signing only': keep('cores', allCores('RS256')),
    'all cores, signing and HTTP': refreshing(bare, structuredClone(rsa.chains), seconds),
    'ours, RS256': async () => {
      const figure = await refresh()
      const timeOfOne = 1 / latest.elliptic - 1 / latest.coresElliptic + 1 / latest.cores
      shares.push(latest.ours * timeOfOne)
      return figure
    },
  })
  await bare.stop()
  const counted = shares.slice(-rounds)
  const what = `refresh with id_token (RS256), ${connections} callers`
  const pure = turns.row(what, 'ours, RS256', 'all cores, signing only', 0.9)
  const share = median(counted)
  return [
    pure,
    turns.row(what, 'ours, RS256', 'all cores, signing and HTTP', null),
    {
      ...pure,
      peer: 'all cores, signing in the time that the rest of a refresh leaves',
      ratio: share,
      spread: spreadOf(counted),
    },
  ]
}

/** Callers who need no signature, alone and beside many who wait for one. */
async function withoutSignature(ours: Landbridge, { rounds, seconds }: Length): Promise<Row[]> {
  console.log('\nRefresh without id_token, beside callers who wait for RS256')
  const callers = 8
  const quiet: RefreshWork = { kind: 'refresh', path: '/oauth/token', chains: [], scope: 'profile' }
  quiet.chains = (await seedGrants(ours.sql, 1_024, 'RS256')).chains
  const signing: RefreshWork = { kind: 'refresh', path: '/oauth/token', chains: [] }
  signing.chains = (await seedGrants(ours.sql, clients, 'RS256')).chains
  const quietTurn = async () => {
    const report = await load({ port: ours.port, connections: callers, warmupSeconds: 1.5, seconds, work: quiet })
    quiet.chains = report.chains
    return report
  }
  // Longer than the quiet callers' turn, from its beginning to after its end.
  const signingTurn = async () => {
    const work = signing
    const report = await load({ port: ours.port, connections, warmupSeconds: 0.5, seconds: seconds + 1.5, work })
    signing.chains = report.chains
    return report
  }
  const [alone, beside, theirMedian]: number[][] = [[], [], []]
  for (let round = -1; round < rounds; round += 1) {
    const first = await quietTurn()
    const [second, signed] = await Promise.all([quietTurn(), signingTurn()])
    console.log(
      `  alone p99 ${toMilliseconds(first.p99)}, beside ${connections} RS256 callers ${toMilliseconds(second.p99)}; ` +
        `theirs ${Math.round(signed.requestsPerSecond)}/s, median ${toMilliseconds(signed.p50)}`,
    )
    if (round < 0) continue
    alone!.push(first.p99)
    beside!.push(second.p99)
    theirMedian!.push(signed.p50)
  }
  const row = (peer: string, peers: number[], bar: number | null): Row => {
    const ratios = beside!.map((p99, round) => p99 / peers[round]!)
    return {
      what: `p99 of a refresh without id_token, beside ${connections} callers who wait for RS256`,
      ours: toMilliseconds(median(beside!)),
      peer: `${peer}: ${toMilliseconds(median(peers))}`,
      ratio: median(ratios),
      bar,
      spread: spreadOf(ratios),
      better: 'lower',
      p99: `${toMilliseconds(median(beside!))}, –`,
    }
  }
  return [row('their median', theirMedian!, 0.25), row('p99 alone', alone!, null)]
}

async function bySize(
  few: Landbridge,
  many: Landbridge,
  { rounds, seconds }: Length,
  manyRows: number,
): Promise<Row[]> {
  console.log(`\nWith ${manyRows.toLocaleString('en')} token rows as with ${fewRows.toLocaleString('en')}`)
  const [small, large] = [await seedGrants(few.sql, clients, 'ES256'), await seedGrants(many.sql, clients, 'ES256')]
  await addTokenRows(few.sql, fewRows, small.grantIds)
  await addTokenRows(many.sql, manyRows, large.grantIds)
  const bearing = (port: number, tokens: string[]) => async () => {
    const work = { kind: 'bearer' as const, path: '/oauth/userinfo', tokens }
    const { requestsPerSecond: rate, p99 } = await load({ port, connections, warmupSeconds: 1, seconds, work })
    return { rate, p99 }
  }
  const refreshTurns = await inTurns(rounds, {
    'many rows': refreshing(many, large.chains, seconds),
    'few rows': refreshing(few, small.chains, seconds),
  })
  const bearerTurns = await inTurns(rounds, {
    'many rows': bearing(many.port, large.accessTokens),
    'few rows': bearing(few.port, small.accessTokens),
  })
  return [
    refreshTurns.row(`refresh, ${manyRows.toLocaleString('en')} token rows`, 'many rows', 'few rows', 0.8),
    bearerTurns.row(`bearer check, ${manyRows.toLocaleString('en')} token rows`, 'many rows', 'few rows', 0.8),
  ]
}

async function byTokens(ours: Landbridge, tokens: number): Promise<Row> {
  const title = `revoking a grant of ${tokens.toLocaleString('en')} tokens`
  console.log(`\n${title}, and one with a single token`)
  const times = { one: [] as number[], many: [] as number[] }
  const seeded = await seedGrants(ours.sql, 18, 'ES256')
  const withManyTokens = seeded.grantIds.slice(0, 9)
  // In turns again, so that both have the same conditions.
  await addTokenRows(ours.sql, withManyTokens.length * tokens, withManyTokens)
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
  const [many, one] = [median(times.many), median(times.one)]
  return {
    what: title,
    ours: toMilliseconds(many),
    peer: `a single token: ${toMilliseconds(one)}`,
    ratio: many / one,
    bar: 2,
    spread: spreadOf(times.many.map((time, n) => time / times.one[n]!)),
    better: 'lower',
  }
}

if (import.meta.main) await runAlone(measure)
