import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import type { BaseContext } from './context.ts'
import { isMigrated } from './database/migrate.ts'
import { readMigrations } from './database/migration-files.ts'
import type { App } from './http/app.ts'
import { when } from './http/schemas.ts'
import { databaseLimits } from './own-limits.ts'
import { version } from './version.ts'

const Health = Type.Object(
  {
    status: Type.Enum(['alive'], { description: 'The process runs; one that does not cannot respond.' }),
    version: Type.String({ description: 'Of the service that responds.' }),
  },
  { title: 'Health', description: 'Whether the process is alive.' },
)
const Readiness = Type.Object(
  {
    status: Type.Enum(['ready', 'not ready'], { description: '`not ready`: send no requests here until it is.' }),
    reason: Type.Optional(
      Type.String({
        description:
          'Why it is not ready: the process is stopping; its database cannot be reached, does not respond, is not ' +
          'migrated or lacks what was acknowledged; or its clock is wrong.',
      }),
    ),
    processes_serving: Type.Optional(
      Type.Integer({ description: 'Of several processes on these ports, those that serve now.' }),
    ),
    processes_configured: Type.Optional(Type.Integer({ description: 'How many processes should serve.' })),
  },
  { title: 'Readiness', description: 'Whether requests may be sent here.' },
)

export async function healthRoutes(app: App, context: BaseContext): Promise<void> {
  const migrations = await readMigrations()
  let loggedReason: string | null = null

  app.get(
    '/healthz',
    {
      schema: {
        summary: 'Whether the process is alive',
        description: 'For a supervisor: 200 while the process runs, whatever the state of its database.',
        tags: ['health'],
        response: { 200: when(Health, 'Alive.') },
      },
    },
    async () => ({ status: 'alive' as const, version }),
  )

  app.get(
    '/readyz',
    {
      schema: {
        summary: 'Whether the database is reachable and migrated, and agrees with the clock',
        description: 'For a load balancer: send requests to this process only while this returns 200.',
        tags: ['health'],
        response: { 200: when(Readiness, 'Ready.'), 503: when(Readiness, 'Not ready, and why.') },
      },
    },
    async (_request, reply) => {
      const { reason, error } = await judgeReadiness()
      // Once per change: a balancer asks every second.
      if (reason !== loggedReason) {
        if (reason) context.log.warn({ err: error, reason }, 'not ready')
        else context.log.info('ready again')
      }
      loggedReason = reason
      return reason
        ? reply.code(503).send({ status: 'not ready', reason, ...countProcesses() })
        : { status: 'ready' as const, ...countProcesses() }
    },
  )

  /** One process that serves is enough to be ready: a balancer that took the server out would take all of them out. */
  function countProcesses(): { processes_serving?: number; processes_configured?: number } {
    const { configured, serving } = context.siblings
    return configured > 1 ? { processes_serving: serving(), processes_configured: configured } : {}
  }

  async function judgeReadiness(): Promise<{ reason: string | null; error?: unknown }> {
    if (context.lifecycle.draining) return { reason: 'this process is stopping' }
    const timer = new AbortController()
    try {
      const outcome = await Promise.race([
        // Through every pool that requests use: one that hangs is not seen through another.
        Promise.all([isMigrated(context.hot, migrations), context.clock.compare(), context.sql.checkAll()]),
        sleep(databaseLimits.readyMilliseconds, 'late' as const, { signal: timer.signal, ref: false }),
      ])
      if (outcome === 'late') return { reason: context.sql.primary.refusal() ?? 'the database does not respond' }
      return { reason: outcome[0] ? context.clock.problem() : 'the database is not migrated' }
    } catch (error) {
      return { reason: context.sql.primary.refusal() ?? 'the database cannot be reached', error }
    } finally {
      timer.abort()
    }
  }
}
