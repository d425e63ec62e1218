type Labels = Record<string, string | number>

export interface MetricValue {
  metricName?: string
  labels: Labels
  value: number
}

export interface Metric {
  name: string
  help: string
  type: string
  /** How a gauge of several processes becomes one. */
  aggregator?: string
  values: MetricValue[]
}

/** What one process counts. */
export type MetricReport = Metric[]

/** What adds up for ever, so that it must not shrink when a process ends. */
export function isCounted({ type }: { type: unknown }): boolean {
  return type === 'counter' || type === 'histogram'
}

/** The first report decides about names, texts and what has no rule. */
export function mergeReports(reports: readonly MetricReport[]): MetricReport {
  const merged = new Map<string, { metric: Metric; values: Map<string, MetricValue> }>()
  for (const report of reports) {
    for (const metric of report) {
      const entry = merged.get(metric.name) ?? { metric, values: new Map() }
      merged.set(metric.name, entry)
      for (const value of metric.values) {
        // What is no number, such as the lag of a loop that was idle, arrives from another process as null.
        if (!Number.isFinite(value.value)) continue
        const key = keyOf(value)
        const known = entry.values.get(key)
        entry.values.set(key, known ? { ...known, value: combine(metric, known.value, value.value) } : value)
      }
    }
  }
  return [...merged.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }))
}

function keyOf({ metricName = '', labels }: MetricValue): string {
  const sorted = Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([metricName, sorted])
}

/** prom-client would average the lag of event loops and omit the start: the slowest loop and the oldest process say more. */
function combine({ type, aggregator = 'sum' }: Metric, one: number, other: number): number {
  if (isCounted({ type })) return one + other
  switch (aggregator) {
    case 'sum':
      return one + other
    case 'max':
    case 'average':
      return Math.max(one, other)
    case 'min':
    case 'omit':
      return Math.min(one, other)
    default:
      return one
  }
}
