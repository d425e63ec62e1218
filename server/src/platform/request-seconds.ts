import type { Registry } from 'prom-client'

const name = 'landbridge_http_request_seconds'
const help = 'Time from a request to its answer, by route and status.'
/** Each counts what took no longer, as Prometheus wants it; what took longer still is only in the total. */
const bounds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

interface Series {
  labels: { method: string; route: string; status: number }
  /** How many were within each bound and above the one before; the last is for those above all. */
  within: number[]
  sum: number
}

type Observe = (method: string, status: number, seconds: number) => void

export interface RequestSeconds {
  /** For the answers of one route, whichever listener gives them. */
  of(route: string): Observe
}

/** A histogram of our own: that of prom-client examines all labels at every observation, which costs more than a look-up. */
export function requestSeconds(registry: Registry): RequestSeconds {
  const all: Series[] = []
  const metric = {
    name,
    help,
    type: 'histogram',
    get: async () => ({ name, help, type: 'histogram', values: values() }),
  }
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0])

  function* valuesOf({ labels, within, sum }: Series) {
    let count = 0
    for (const [place, bound] of bounds.entries()) {
      count += within[place]!
      yield { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: count }
    }
    count += within[bounds.length]!
    yield { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count }
    yield { metricName: `${name}_sum`, labels, value: sum }
    yield { metricName: `${name}_count`, labels, value: count }
  }

  function values() {
    return all.flatMap((series) => [...valuesOf(series)])
  }

  function observer(route: string): Observe {
    const known = new Map<string, Map<number, Series>>()
    const add = (method: string, status: number): Series => {
      const ofMethod = known.get(method) ?? new Map<number, Series>()
      const series = { labels: { method, route, status }, within: new Array(bounds.length + 1).fill(0), sum: 0 }
      known.set(method, ofMethod.set(status, series))
      all.push(series)
      return series
    }
    return (method, status, seconds) => {
      const series = known.get(method)?.get(status) ?? add(method, status)
      let place = 0
      while (place < bounds.length && seconds > bounds[place]!) place += 1
      series.within[place]! += 1
      series.sum += seconds
    }
  }

  const observers = new Map<string, Observe>()
  return {
    of(route) {
      const observe = observers.get(route) ?? observer(route)
      observers.set(route, observe)
      return observe
    },
  }
}
