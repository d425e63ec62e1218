import type { Registry } from 'prom-client'

/*
 * Counters and histograms for hot paths: an increment is an addition to a plain number. Those of prom-client compare and
 * hash all labels on every call, which takes about a microsecond.
 */

type Labels = Record<string, string>
type Value = { metricName?: string; labels: Record<string, string | number>; value: number }

/** A counter with up to two labels. A series appears with its first increment, or earlier when it is started. */
export class Counter<First extends string = string, Second extends string = string> {
  readonly #names: readonly string[]
  readonly #series = new Map<string, { labels: Labels; value: number }>()

  constructor(registry: Registry, name: string, help: string, labelNames: readonly string[]) {
    this.#names = labelNames
    register(registry, { name, help, type: 'counter', values: () => [...this.#series.values()] })
  }

  increment(first: First, second?: Second, by = 1): void {
    const key = second === undefined ? first : `${first} ${second}`
    const series = this.#series.get(key) ?? this.#add(key, [first, second])
    series.value += by
  }

  /** Exposes a series as 0, so that the first increment is visible as a rate. */
  start(first: First, second?: Second): void {
    const key = second === undefined ? first : `${first} ${second}`
    if (!this.#series.has(key)) this.#add(key, [first, second])
  }

  #add(key: string, values: (string | undefined)[]): { labels: Labels; value: number } {
    const labels = Object.fromEntries(this.#names.map((name, index) => [name, values[index] ?? '']))
    const series = { labels, value: 0 }
    this.#series.set(key, series)
    return series
  }
}

/** How many values there were up to each bound, and their sum. */
export class Distribution {
  readonly bounds: readonly number[]
  /** Values above the previous bound and up to this one; the last element is for values above all bounds. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let index = 0
    while (index < this.bounds.length && value > this.bounds[index]!) index += 1
    this.counts[index]! += 1
    this.sum += value
  }
}

export interface HistogramSeries {
  labels: Labels
  distribution: Distribution
}

export function registerHistogram(
  registry: Registry,
  name: string,
  help: string,
  series: () => readonly HistogramSeries[],
): void {
  register(registry, { name, help, type: 'histogram', values: () => series().flatMap((one) => valuesOf(name, one)) })
}

/** The counts are cumulative in the text format. */
function valuesOf(name: string, { labels, distribution }: HistogramSeries): Value[] {
  let total = 0
  const counts = distribution.counts.map((count, index): Value => {
    total += count
    const le = distribution.bounds[index] ?? '+Inf'
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: total }
  })
  return [
    ...counts,
    { metricName: `${name}_sum`, labels, value: distribution.sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}

interface Definition {
  name: string
  help: string
  type: 'counter' | 'histogram'
  values: () => Value[]
}

function register(registry: Registry, { name, help, type, values }: Definition): void {
  const metric = { name, help, type, get: async () => ({ name, help, type, values: values() }) }
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0])
}
