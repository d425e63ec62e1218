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
/** Fewer callers make smaller statements, so that each refresh costs more. */
const fewCallers = 40

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

/**
 * ES256 beside oidc-provider, which holds everything in memory, while ours commits to Postgres with fsync. RS256 beside
 * what all cores can sign, while nothing else runs and when each signature is a request over HTTP: oidc-provider signs
 * RS256 on every core too, so that a ratio of the two would say little.
 */
export async function refreshes(ours: Landbridge, length: Length): Promise<Row[]> {
  console.log('\nRefresh with id_token')
  const chains = async (alg: Alg) => (await seedGrants(ours.sql, clients, alg)).chains
  const [provider, bare, own, ownRsa, bareRsa] = await Promise.all([
    startOidcProvider('ES256', clients),
    startSigningServer('RS256'),
    chains('ES256'),
    chains('RS256'),
    chains('RS256'),
  ])
  const signing: Signing[] = []
  const latest = { refreshes: 0, coresBusy: 0 }
  const refreshRsa = refreshing(ours, ownRsa, length)
  // Each number of callers has chains of its own.
  const half = clients / 2
  const target = { port: provider.port, path: '/token' }
  const sides = {
    'ours, ES256': refreshing(ours, own.slice(half), length),
    'oidc-provider': refreshing(target, provider.chains.slice(half), length),
    'ours, ES256, few callers': refreshing(ours, own.slice(0, half), length, fewCallers),
    'oidc-provider, few callers': refreshing(target, provider.chains.slice(0, half), length, fewCallers),
    'all cores, signing and HTTP': refreshing(bare, bareRsa, length),
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
  }
  // No round to warm up: the first load on each server does that by itself.
  const turns = await inTurns(length.rounds, sides, 0)
  await provider.stop()
  await bare.stop()
  const whatElliptic = (callers: number) => `refresh with id_token (ES256), ${callers} callers`
  const what = `refresh with id_token (RS256), ${connections} callers`
  return [
    turns.row(whatElliptic(connections), 'ours, ES256', 'oidc-provider', 3),
    turns.row(whatElliptic(fewCallers), 'ours, ES256, few callers', 'oidc-provider, few callers', null),
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
