import type { onResponseHookHandler } from 'fastify'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { App } from './http/server.ts'
import { requestSeconds } from './request-seconds.ts'

/** What Prometheus reads. One registry a context: two services in one test process are counted apart. */
export interface Metrics {
  registry: Registry
  /** A number read when somebody asks: a queue's length, connections open. */
  gauge(name: string, help: string, read: () => number): void
  /** Counts every answer of this listener by route and status. */
  watchHttp(app: App): void
  /** Memory, CPU, garbage collection, and how long the event loop keeps its callers waiting. */
  watchProcess(): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
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
