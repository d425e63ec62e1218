import type { MetricReport } from '../merge-metrics.ts'

/** The serving processes of this start, of which this is one. */
export interface Siblings {
  configured: number
  serving(): number
  /** What the others count, for a scrape that speaks for all of them. `own` is what this process adds to it. */
  collect(own: MetricReport): Promise<MetricReport[]>
}

/** A process without a supervisor. */
export const noSiblings: Siblings = { configured: 1, serving: () => 1, collect: async () => [] }
