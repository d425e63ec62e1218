// Refreshes with an id_token, beside oidc-provider (ES256) and what all cores can sign (RS256).
import { availableParallelism } from 'node:os'
import { type Chain, seedGrants } from '../../test/support/seeded-grants.ts'
import { type Figure, inTurns, median } from '../environment.ts'
import type { Row } from '../table.ts'
import type { Landbridge } from './landbridge.ts'
import { type Alg, load, signingCeiling, startOidcProvider } from './load-processes.ts'
import type { LoadReport, RefreshWork } from './token-load.ts'

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
 * what all cores can sign, and beside what they can do of the whole work: oidc-provider signs RS256 on every core too, so
 * that a ratio of the two would say little.
 */
export async function refreshes(ours: Landbridge, length: Length): Promise<Row[]> {
  console.log('\nRefresh with id_token')
  const chains = async (alg: Alg) => (await seedGrants(ours.sql, clients, alg)).chains
  const [provider, own, ownRsa] = await Promise.all([
    startOidcProvider('ES256', clients),
    chains('ES256'),
    chains('RS256'),
  ])
  const costs: Costs[] = []
  const latest: Costs = { elliptic: 0, ellipticSignature: 0, signature: 0 }
  // Each number of callers has chains of its own.
  const half = clients / 2
  const refreshElliptic = refreshing(ours, own.slice(half), length)
  const target = { port: provider.port, path: '/token' }
  const sides = {
    'ours, ES256': async () => {
      const figure = await refreshElliptic()
      latest.elliptic = figure.coresBusy / figure.rate
      return figure
    },
    'oidc-provider': refreshing(target, provider.chains.slice(half), length),
    'ours, ES256, few callers': refreshing(ours, own.slice(0, half), length, fewCallers),
    'oidc-provider, few callers': refreshing(target, provider.chains.slice(0, half), length, fewCallers),
    // Its callers get their responses in orders of a tenth of a second, so a short window would count one too many.
    'ours, RS256': refreshing(ours, ownRsa, { ...length, seconds: length.seconds + 1 }),
    'all cores, signing only': async () => {
      const rate = await signingCeiling({ alg: 'RS256', seconds: length.seconds })
      latest.signature = 1 / rate
      latest.ellipticSignature = 1 / (await signingCeiling({ alg: 'ES256', seconds: length.seconds }))
      costs.push({ ...latest })
      return rate
    },
    'all cores, signing and the rest': async () => restAsWithElliptic(costs.at(-1)!).most,
  }
  // No round to warm up: the first load on each server does that by itself.
  const turns = await inTurns(length.rounds, sides, 0)
  await provider.stop()
  const whatElliptic = (callers: number) => `refresh with id_token (ES256), ${callers} callers`
  const what = `refresh with id_token (RS256), ${connections} callers`
  const limit = turns.row(what, 'ours, RS256', 'all cores, signing and the rest', 0.9)
  const milliseconds = (of: (costs: Costs) => number) =>
    `${(1000 * availableParallelism() * median(costs.map(of))).toFixed(2)} ms`
  const signature = milliseconds((one) => one.signature)
  const rest = milliseconds((one) => restAsWithElliptic(one).rest)
  return [
    turns.row(whatElliptic(connections), 'ours, ES256', 'oidc-provider', 3),
    turns.row(whatElliptic(fewCallers), 'ours, ES256, few callers', 'oidc-provider, few callers', null),
    turns.row(what, 'ours, RS256', 'all cores, signing only', null),
    { ...limit, peer: `${limit.peer}, at ${signature} for the signature and ${rest} for the rest as with ES256` },
  ]
}

/** Seconds of all cores together, for one of each. */
interface Costs {
  /** A refresh with ES256, with everything that the machine does for it. */
  elliptic: number
  ellipticSignature: number
  /** A signature with RS256. */
  signature: number
}

/** The rest of a refresh, and how many with RS256 all cores can make per second when theirs costs as much (decision 9.13). */
function restAsWithElliptic({ elliptic, ellipticSignature, signature }: Costs): { rest: number; most: number } {
  const rest = elliptic - ellipticSignature
  return { rest, most: 1 / (signature + rest) }
}
