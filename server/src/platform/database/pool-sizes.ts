export interface PoolSizes {
  /** For most requests. */
  work: number
  /** For the look-ups that every request makes. */
  hot: number
  /** For reads that may take seconds. */
  reads: number
  jobs: number
}

/** Two for telemetry (`telemetry-pipeline.ts`) and one to listen on. */
const others = 3

/**
 * Of each of `processes` that a start runs. Two have as many as one on its own; more share what two would have, down to
 * what a process needs to serve a few callers at once.
 */
export function poolSizes(processes: number): PoolSizes {
  const share = (total: number, least: number) => Math.max(least, Math.min(total / 2, Math.round(total / processes)))
  return { work: share(20, 4), hot: share(12, 3), reads: share(8, 2), jobs: 2 }
}

/** The most connections that each of `processes` opens. */
export function connectionsPerProcess(processes: number): number {
  const { work, hot, reads, jobs } = poolSizes(processes)
  return work + hot + reads + jobs + others
}

/** The most connections of a whole start, with the one process more that a reload has, and some for the command line. */
export function connectionsOfAll(processes: number): number {
  return connectionsPerProcess(processes) * (processes === 1 ? 1 : processes + 1) + 20
}
