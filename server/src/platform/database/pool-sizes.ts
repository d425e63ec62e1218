import type { PoolSize } from './database.ts'

/** Of each process, unless LANDBRIDGE_CONNECTIONS says otherwise. */
export const defaultConnections = 8
/** To listen on. */
const listening = 1
/** What each pool has for itself, so that none can be starved by the others. */
const least = { work: 2, hot: 1, ingest: 1, reads: 1, jobs: 1 }
/** Two statements that store telemetry may be under way (decision 7.29); jobs take turns. */
const most = { ingest: 2, jobs: 1 }

export interface PoolSizes {
  /** Of all pools together. */
  budget: number
  /** For most requests. */
  work: Required<PoolSize>
  /** For the look-ups that every request makes. */
  hot: Required<PoolSize>
  /** For telemetry. */
  ingest: Required<PoolSize>
  /** For reads that may take seconds. */
  reads: Required<PoolSize>
  jobs: Required<PoolSize>
}

/**
 * Of a process that may open this many connections: what is left over goes to the pool that needs it first. On a
 * distributed database two are kept for telemetry, since one may be waiting for a server that does not respond, and more
 * are of use, each for another server.
 */
export function poolSizes(connections: number, { distributed = false } = {}): PoolSizes {
  const kept = distributed ? { ...least, ingest: 2 } : least
  const budget = connections - listening
  const spare = budget - Object.values(kept).reduce((sum, each) => sum + each)
  const size = (pool: keyof typeof least, max = kept[pool] + spare) => ({ least: kept[pool], max })
  return {
    budget,
    work: size('work'),
    hot: size('hot'),
    ingest: size('ingest', distributed ? undefined : Math.min(most.ingest, kept.ingest + spare)),
    reads: size('reads'),
    jobs: size('jobs', most.jobs),
  }
}

/** The most connections of a whole start, with the one process more that a reload has, and some for the command line. */
export function connectionsOfAll(processes: number, perProcess: number): number {
  return perProcess * (processes === 1 ? 1 : processes + 1) + 20
}
