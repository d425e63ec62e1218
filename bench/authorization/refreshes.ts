// Refreshes with an id_token, beside oidc-provider (ES256) and what all cores can sign (RS256).
import { availableParallelism } from 'node:os'
import { type Chain, seedGrants } from '../../test/support/seeded-grants.ts'
import { type Figure, inTurns, median, spreadOf } from '../environment.ts'
import type { Row } from '../table.ts'
import type { Landbridge } from './landbridge.ts'
import type { LoadReport, RefreshWork } from './load.ts'
import { type Alg, load, signingCeiling, startOidcProvider, startSigningServer } from './processes.ts'

export const connections = 512
/** 300 refreshes per minute and client are allowed, and the limits stay on: enough clients for the fastest machine. */
export const clients = 2_048
/** oidc-provider's own store holds 1,000 entries and drops the rest: no more callers than fit in, on our side as well. */
const mostOfStock = 40

export interface Length {
  rounds: number
  seconds: number
  warmupSeconds: number
}

type Refreshing = () => Promise<Figure & Pick<LoadReport, 'coresBusy'>>

/** One side of a comparison. Every refresh changes the chains, so each turn starts where the last one ended. */
export function refreshing(
  target: { port: number; path?: string },
  chains: Chain[],
  { seconds, warmupSeconds }: Length,
  callers = connections,
): Refreshing {
  const work: RefreshWork = { kind: 'refresh', path: target.path ?? '/oauth/token', chains }
  return async () => {
    const report = await load({ port: target.port, connections: callers, warmupSeconds, seconds, work })
    work.chains = report.chains
    return { rate: report.requestsPerSecond, p99: report.p99, coresBusy: report.coresBusy }
  }
}

/** A new process each time: its store reads all tokens of a grant at every write, so that it slows down as they grow. */
function refreshingStock(length: Length, callers: number): Refreshing {
  return async () => {
    const stock = await startOidcProvider('ES256', callers, 'stock')
    const figure = await refreshing({ port: stock.port, path: '/token' }, stock.chains, length, callers)()
    await stock.stop()
    return figure
  }
}

/**
 * ES256 beside oidc-provider, which holds everything in memory, while ours commits to Postgres with fsync. RS256 beside
 * what all cores can sign, while nothing else runs and when each signature is a request over HTTP: oidc-provider signs
 * RS256 on every core too, so that a ratio of the two would say little.
 */
export async function refreshes(ours: Landbridge, length: Length): Promise<Row[]> {
  console.log('\nRefresh with id_token')
  const chains = async (alg: Alg, count = clients) => (await seedGrants(ours.sql, count, alg)).chains
  const [map, bare] = await Promise.all([startOidcProvider('ES256', clients, 'map'), startSigningServer('RS256')])
  const signing: Signing[] = []
  const latest = { refreshes: 0, coresBusy: 0 }
  const refreshRsa = refreshing(ours, await chains('RS256'), length)
  const name = (callers: number) => `ours, ES256, ${callers} callers`
  const stock = `oidc-provider, ${mostOfStock} callers`
  const sides = {
    [name(connections)]: refreshing(ours, await chains('ES256'), length),
    'oidc-provider on a Map': refreshing({ port: map.port, path: '/token' }, map.chains, length),
    'all cores, signing and HTTP': refreshing(bare, await chains('RS256'), length),
    'ours, RS256': async () => {
      const figure = await refreshRsa()
      Object.assign(latest, { refreshes: figure.rate, coresBusy: figure.coresBusy })
      return figure
    },
    'all cores, signing only': async () => {
      const rate = await signingCeiling({ alg: 'RS256', seconds: length.seconds })
      signing.push({ ...latest, signatures: rate })
      return rate
    },
    [name(mostOfStock)]: refreshing(ours, await chains('ES256', clients / 2), length, mostOfStock),
    [stock]: refreshingStock(length, mostOfStock),
  }
  // No round to warm up: the first load on each server does that by itself.
  const turns = await inTurns(length.rounds, sides, 0)
  await map.stop()
  await bare.stop()
  const elliptic = (callers: number, peer: string, bar: number | null) =>
    turns.row(`refresh with id_token (ES256), ${callers} callers`, name(callers), peer, bar)
  const what = `refresh with id_token (RS256), ${connections} callers`
  return [
    elliptic(mostOfStock, stock, 3),
    elliptic(connections, 'oidc-provider on a Map', null),
    turns.row(what, 'ours, RS256', 'all cores, signing only', null),
    turns.row(what, 'ours, RS256', 'all cores, signing and HTTP', null),
    againstAllWork(what, signing.slice(-length.rounds)),
  ]
}

interface Signing {
  refreshes: number
  coresBusy: number
  /** What all cores sign while nothing else runs. */
  signatures: number
}

/**
 * All cores, at the work that a refresh really is: its signature and everything else. Ours divided by that is the share
 * of the cores' time that was used (decision 9.13), so this misses its bar when a core idles while callers wait.
 */
function againstAllWork(what: string, turns: Signing[]): Row {
  const cores = availableParallelism()
  const whole = median(turns.map(({ refreshes, coresBusy }) => (1000 * cores * coresBusy) / refreshes))
  const signature = median(turns.map(({ signatures }) => (1000 * cores) / signatures))
  const most = median(turns.map(({ refreshes, coresBusy }) => refreshes / coresBusy))
  const perSecond = (rate: number) => `${Math.round(rate).toLocaleString('en')}/s`
  const shares = turns.map(({ coresBusy }) => coresBusy)
  return {
    what,
    ours: perSecond(median(turns.map(({ refreshes }) => refreshes))),
    peer: `all cores, ${signature.toFixed(2)} ms for the signature and ${(whole - signature).toFixed(2)} ms for the rest of a refresh: ${perSecond(most)}`,
    ratio: median(shares),
    bar: 0.9,
    spread: spreadOf(shares),
  }
}
