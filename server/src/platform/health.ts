import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import { isMigrated, readMigrations } from './database/migrate.ts'
import type { App } from './http/server.ts'

const Health = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) })

/** A balancer asks often and must not wait: a database that takes longer is not ready to serve. */
const patienceMilliseconds = 2_000

export async function healthRoutes(app: App, context: Context): Promise<void> {
  const migrations = await readMigrations()

  app.get(
    '/healthz',
    { schema: { summary: 'Is the process alive?', tags: ['health'], response: { 200: Health } } },
    async () => ({ status: 'alive' }),
  )

  app.get(
    '/readyz',
    {
      schema: {
        summary: 'Is the database reachable and migrated, and does the clock agree with it?',
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
    const keepAliveTimer = new AbortController()
    try {
      const migrated = await Promise.race([
        Promise.all([isMigrated(context.sql, migrations), context.clock.compare()]),
        sleep(patienceMilliseconds, 'late' as const, { signal: keepAliveTimer.signal, ref: false }),
      ])
      if (migrated === 'late') return 'the database does not answer'
      return migrated[0] ? context.clock.fault() : 'the database is not migrated'
    } catch (error) {
      context.log.warn({ err: error }, 'not ready')
      return 'the database cannot be reached'
    } finally {
      keepAliveTimer.abort()
    }
  }
}
