import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { isMigrated, readMigrations } from './database/migrate.ts'
import type { App } from './http/server.ts'

const Health = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) })

/** A load balancer must not wait: a database that takes longer is not ready. */
const timeoutMilliseconds = 2_000

export async function healthRoutes(app: App, context: Context): Promise<void> {
  const migrations = await readMigrations()

  app.get(
    '/healthz',
    { schema: { summary: 'Whether the process is alive', tags: ['health'], response: { 200: Health } } },
    async () => ({ status: 'alive' }),
  )

  app.get(
    '/readyz',
    {
      schema: {
        summary: 'Whether the database is reachable and migrated, and agrees with the clock',
        tags: ['health'],
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      const reason = await whyNotReady()
      return reason ? reply.code(503).send({ status: 'not ready', reason }) : { status: 'ready' }
    },
  )

  async function whyNotReady(): Promise<string | null> {
    if (context.lifecycle.draining) return 'this process is stopping'
    const timer = new AbortController()
    try {
      const migrated = await Promise.race([
        Promise.all([isMigrated(context.sql, migrations), context.clock.compare()]),
        sleep(timeoutMilliseconds, 'late' as const, { signal: timer.signal, ref: false }),
      ])
      if (migrated === 'late') return 'the database does not respond'
      return migrated[0] ? context.clock.problem() : 'the database is not migrated'
    } catch (error) {
      context.log.warn({ err: error }, 'not ready')
      return 'the database cannot be reached'
    } finally {
      timer.abort()
    }
  }
}
