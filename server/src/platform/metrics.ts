import type { onResponseHookHandler } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Pool } from './database/sql.ts'
import type { App } from './http/server.ts'

/** What Prometheus reads. One registry per context, so that two services in one test process are counted apart. */
export interface Metrics {
  registry: Registry
  /** A number that is read on every scrape, such as the length of a queue. */
  gauge(name: string, help: string, read: () => number): void
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>
  /** Counts every response of this listener by route and status. */
  watchHttp(app: App): void
  /** Memory, CPU, garbage collection and event loop lag. */
  watchProcess(): void
}

export function createMetrics(sql: Pool): Metrics {
  const registry = new Registry()
  const registers = [registry]
  watchDatabase(sql, registry)
  const seconds = new Histogram({
    name: 'landbridge_http_request_seconds',
    help: 'Time from a request to its response, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
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
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: labels, registers }),
    watchHttp(app) {
      const watchers = new WeakSet<object>()
      const watch = (route: string) => {
        const series = new Map<string, Histogram.Internal<string>>()
        const watcher: onResponseHookHandler = ({ method }, { statusCode, elapsedTime }, done) => {
          const key = `${method} ${statusCode}`
          const known = series.get(key) ?? seconds.labels(method, route, String(statusCode))
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
  }
}

/** Read from Postgres on every scrape; absent while Postgres does not respond. */
function watchDatabase(sql: Pool, registry: Registry): void {
  new Gauge({
    name: 'landbridge_database_round_trip_seconds',
    help: 'Time of a statement to Postgres and back, measured on this scrape.',
    registers: [registry],
    async collect() {
      this.remove()
      const started = performance.now()
      const reached = await sql`select 1`.then(
        () => true,
        () => false,
      )
      if (reached) this.set((performance.now() - started) / 1000)
    },
  })
  new Gauge({
    name: 'landbridge_database_connections',
    help: 'Connections of all Landbridge processes to this database, by state.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      const rows = await sql<{ state: string; count: number }[]>`
        select coalesce(state, 'unknown') as state, count(*)::int as count from pg_stat_activity
        where datname = current_database() and application_name like 'landbridge%' group by 1`.catch(() => [])
      for (const { state, count } of rows) this.set({ state }, count)
    },
  })
}
