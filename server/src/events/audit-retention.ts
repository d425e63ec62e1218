import type { Logger } from 'pino'
import { transaction } from '../platform/database/database.ts'
import type { Pool } from '../platform/database/sql.ts'
import type { SharedJob } from '../platform/jobs.ts'
import { allowAuditDeletion, deleteOldAuditEvents, findMillisecondsOverdue } from './store/audit-events.ts'

const batch = 1_000
const day = 86_400_000
const hour = 3_600_000

interface Options {
  sql: Pool
  now: () => Date
  log: Logger
  config: { auditDays: number | null }
}

/**
 * Deletes audit events past their retention, one batch per transaction; without a number of days they are kept for
 * ever. More than two days' events at once, as after the number was lowered, are announced an hour ahead, so that a
 * mistake can be undone.
 */
export function deleteOldAuditEventsJob({ sql, now, log, config }: Options): SharedJob {
  let announcedAt: Date | null = null
  return {
    name: 'old audit events',
    everySeconds: hour / 1000,
    async runShared() {
      if (config.auditDays === null) return
      const age = { now: now(), milliseconds: config.auditDays * day }
      const overdue = await findMillisecondsOverdue(sql, age)
      if (overdue === null) return
      const about = { days: config.auditDays, oldest_is_overdue_by_days: Math.floor(overdue / day) }
      if (overdue > 2 * day && (announcedAt === null || age.now.getTime() - announcedAt.getTime() < hour)) {
        announcedAt ??= age.now
        log.warn(about, 'audit events past LANDBRIDGE_AUDIT_DAYS will be deleted in an hour, more than usual')
        return
      }
      announcedAt = null
      let deleted = 0
      for (let count = batch; count === batch; deleted += count) {
        count = await transaction(sql, async (tx) => {
          await allowAuditDeletion(tx)
          return await deleteOldAuditEvents(tx, age, batch)
        })
      }
      log.info({ ...about, deleted }, 'audit events past their retention were deleted')
    },
  }
}
