import type { MetricReport } from '../merge-metrics.ts'

/** The serving processes of this start, of which this is one. */
export interface Siblings {
  configured: number
  serving(): number
  /** What the others count, for a scrape that speaks for all of them. `own` is what this process adds to it. */
  collect(own: MetricReport): Promise<MetricReport[]>
  /** Null where every process stores the messages that it receives. */
  handOver: HandOverSockets | null
}

/** Sockets over which the processes of a cell hand messages to the one that stores them: decision 9.17. */
export interface HandOverSockets {
  /** The socket of this process. */
  own: string
  /** That of the process that stores for all; null while nobody does. */
  writer(): string | null
}

/** A process without a supervisor. */
export const noSiblings: Siblings = { configured: 1, serving: () => 1, collect: async () => [], handOver: null }
