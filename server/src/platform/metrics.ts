import type { onResponseHookHandler } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { App } from './http/app.ts'
import { Distribution, type HistogramSeries, registerHistogram } from './measurements.ts'
import { isCounted, type Metric, type MetricReport, mergeReports } from './merge-metrics.ts'

const requestBounds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** What Prometheus reads. One registry per context, so that two services in one test process are counted apart. */
export interface Metrics {
  registry: Registry
  /** A number that is read on every scrape, such as the length of a queue. Those of several processes are added. */
  gauge(name: string, help: string, read: () => number): void
  /** Counts every response of this listener by route and status. */
  watchHttp(app: App): void
  /** Memory, CPU, garbage collection and event loop lag. */
  watchProcess(): void
  /**
   * What another process needs to speak for both. Without gauges of which one process speaks for all (`first`): they
   * are read from Postgres, or are the same on each.
   */
  report(wanted: 'all' | 'counted'): Promise<MetricReport>
  /** The text format, with what other processes count. */
  text(others: readonly MetricReport[]): Promise<string>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Map<string, HistogramSeries>()
  const help = 'Time from a request to its response, by route and status.'
  registerHistogram(registry, 'landbridge_http_request_seconds', help, () => [...requests.values()])

  /** Two listeners with the same route share its series. */
  function requestsOf(labels: { method: string; route: string; status: string }): Distribution {
    const key = Object.values(labels).join(' ')
    const series = requests.get(key) ?? { labels, distribution: new Distribution(requestBounds) }
    requests.set(key, series)
    return series.distribution
  }

  return {
    registry,
    gauge: (name, help, read) => {
      // The newest reader replaces the others: what it reads may have been reopened.
      registry.removeSingleMetric(name)
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    watchHttp(app) {
      const watchers = new WeakSet<object>()
      const watch = (route: string) => {
        const series = new Map<string, Distribution>()
        const watcher: onResponseHookHandler = ({ method }, { statusCode, elapsedTime }, done) => {
          const key = `${method} ${statusCode}`
          const known = series.get(key) ?? requestsOf({ method, route, status: String(statusCode) })
          series.set(key, known)
          known.observe(elapsedTime / 1000)
          done()
        }
        watchers.add(watcher)
        return watcher
      }
      // The route's pattern, never the address itself, which would be a series per id and may carry a secret. Read when
      // the route is registered, since `request.routeOptions` creates a large object on every call.
      app.addHook('onRoute', (route) => {
        const hooks = [route.onResponse ?? []].flat()
        // Fastify creates the HEAD route from the GET route, with its hooks.
        if (!hooks.some((hook) => watchers.has(hook))) route.onResponse = [watch(route.url), ...hooks]
      })
      const watchNone = watch('none')
      app.addHook('onResponse', function (request, reply, done) {
        if (request.is404) watchNone.call(this, request, reply, done)
        else done()
      })
    },
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    async report(wanted) {
      const metrics = registry.getMetricsAsArray() as unknown as (Metric & { get(): Promise<Metric> })[]
      const reported = metrics.filter((metric) =>
        wanted === 'counted' ? isCounted(metric) : metric.aggregator !== 'first',
      )
      return await Promise.all(reported.map((metric) => metric.get()))
    },
    async text(others) {
      if (others.length === 0) return await registry.metrics()
      const own = (await registry.getMetricsAsJSON()) as unknown as MetricReport
      const merged = new Registry()
      for (const metric of mergeReports([own, ...others])) {
        const registered = { ...metric, get: async () => metric }
        merged.registerMetric(registered as unknown as Parameters<Registry['registerMetric']>[0])
      }
      return await merged.metrics()
    },
  }
}
