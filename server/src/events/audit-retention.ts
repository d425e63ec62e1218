import type { Logger } from 'pino'
import { transaction } from '../platform/database/database.ts'
import { type Age, agedBefore, type Pool, type Sql } from '../platform/database/sql.ts'
import type { SharedJob } from '../platform/jobs.ts'

const batch = 1_000

interface ContextOptions {
  sql: Pool
  now: () => Date
  log: Logger
  config: { auditDays: number | null }
}

const day = 86_400_000
const hour = 3_600_000

/**
 * Removes audit events past their retention, a few per transaction. With no number of days they are kept for ever. More
 * than two days' events at once, as after the number was lowered, are announced an hour ahead: a mistake can be undone.
 */
export function deleteOldAuditEventsJob({ sql, now, log, config }: ContextOptions): SharedJob {
  let announcedAt: Date | null = null
  return {
    name: 'old audit events',
    everySeconds: hour / 1000,
    async runShared() {
      if (config.auditDays === null) return
      const age = { now: now(), milliseconds: config.auditDays * day }
      const overdue = await millisecondsOverdue(sql, age)
      if (overdue === null) return
      const about = { days: config.auditDays, oldest_is_overdue_by_days: Math.floor(overdue / day) }
      if (overdue > 2 * day && (announcedAt === null || age.now.getTime() - announcedAt.getTime() < hour)) {
        announcedAt ??= age.now
        log.warn(about, 'audit events past LANDBRIDGE_AUDIT_DAYS will be removed in an hour, more than usual')
        return
      }
      announcedAt = null
      let removed = 0
      for (let count = batch; count === batch; removed += count) {
        count = await transaction(sql, async (tx) => {
          await allowRemoval(tx)
          return await deleteOldEvents(tx, age, batch)
        })
      }
      log.info({ ...about, removed }, 'audit events past their retention were removed')
    },
  }
}

/** How long the oldest event has been past its retention; null when none is. */
async function millisecondsOverdue(sql: Sql, age: Age): Promise<number | null> {
  const [oldest] = await sql<{ overdue: number }[]>`
    select extract(epoch from ${agedBefore(sql, age)} - at)::float8 * 1000 as overdue from audit_events
    where at < ${agedBefore(sql, age)} order by at limit 1`
  return oldest?.overdue ?? null
}

/** Until the end of the transaction; the triggers of the table ask for it. */
async function allowRemoval(sql: Sql): Promise<void> {
  await sql`select set_config('landbridge.audit_retention', 'on', true)`
}

async function deleteOldEvents(sql: Sql, age: Age, max: number): Promise<number> {
  const { count } = await sql`
    delete from audit_events where id = any(array(
      select id from audit_events where at < ${agedBefore(sql, age)} order by at limit ${max} for update skip locked))`
  return count
}
