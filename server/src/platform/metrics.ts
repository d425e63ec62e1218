import type { onResponseHookHandler } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Pool } from './database/sql.ts'
import type { App } from './http/server.ts'
import { requestSeconds } from './request-seconds.ts'

/** What Prometheus reads. One registry a context: two services in one test process are counted apart. */
export interface Metrics {
  registry: Registry
  /** A number read when somebody asks: a queue's length, connections open. */
  gauge(name: string, help: string, read: () => number): void
  counter<Label extends string>(name: string, help: string, labels?: readonly Label[]): Counter<Label>
  /** Counts every answer of this listener by route and status. */
  watchHttp(app: App): void
  /** Memory, CPU, garbage collection, and how long the event loop keeps its callers waiting. */
  watchProcess(): void
}

export function createMetrics(sql: Pool): Metrics {
  const registry = new Registry()
  const registers = [registry]
  watchDatabase(sql, registry)
  const seconds = requestSeconds(registry)
  return {
    registry,
    gauge: (name, help, read) => {
      // The newest reader counts: what it reads may be opened again.
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
        const observe = seconds.of(route)
        const watcher: onResponseHookHandler = (request, reply, done) => {
          observe(request.method, reply.statusCode, reply.elapsedTime / 1000)
          done()
        }
        watchers.add(watcher)
        return watcher
      }
      // The route's pattern, never the address itself: that would be a series a device, and may carry a code. Known from
      // the start, since asking a request for its route makes an object of all there is to know about it.
      app.addHook('onRoute', (route) => {
        const hooks = [route.onResponse ?? []].flat()
        // The HEAD that comes with a GET is made from it, watcher and all.
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

/** Asked of Postgres at each reading, with the round trip as a figure of its own; absent while Postgres does not answer. */
function watchDatabase(sql: Pool, registry: Registry): void {
  new Gauge({
    name: 'landbridge_database_round_trip_seconds',
    help: 'Time Postgres took to answer this reading.',
    registers: [registry],
    // Measured by its own reading: a figure set by another's is a reading old.
    async collect() {
      this.remove()
      const started = performance.now()
      const answered = await sql`select 1`.then(
        () => true,
        () => false,
      )
      if (answered) this.set((performance.now() - started) / 1000)
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
