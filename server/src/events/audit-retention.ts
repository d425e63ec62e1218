import type { Logger } from 'pino'
import { type Month, missingMonths, monthsOlderThan, waitBriefly } from '../platform/database/month-partitions.ts'
import type { Age, Sql } from '../platform/database/sql.ts'
import type { Job } from '../platform/jobs.ts'
import { smallestIdOf } from '../platform/secrets/identifiers.ts'
import * as store from './store/audit-events.ts'

const day = 86_400_000
const hour = 3_600_000

interface Options {
  now: () => Date
  log: Logger
  config: { auditDays: number | null }
}

/**
 * Creates the months of the audit log and drops those that are past their retention as a whole; without a number of
 * days they are kept for ever. More than one month at once, as after the number was lowered, is announced an hour
 * ahead, so that a mistake can be undone.
 */
export function auditMonthsJob({ now, log, config }: Options): Job {
  let announcedAt: Date | null = null
  return {
    name: 'months of the audit log',
    everySeconds: hour / 1000,
    async run(sql) {
      await waitBriefly(sql)
      for (const { name, from, to } of await missingMonths(sql, store.auditTable, now())) {
        await store.createAuditMonth(sql, name, smallestIdOf(from.getTime()), smallestIdOf(to.getTime()))
      }
      await store.protectAuditMonths(sql)
      if (config.auditDays === null) return
      const age = { now: now(), milliseconds: config.auditDays * day }
      const months = await monthsToDrop(sql, age)
      const about = { days: config.auditDays, months: months.map(({ name }) => name) }
      if (months.length > 1 && (announcedAt === null || age.now.getTime() - announcedAt.getTime() < hour)) {
        announcedAt ??= age.now
        log.warn(about, 'audit events past LANDBRIDGE_AUDIT_DAYS will be dropped in an hour, more than usual')
        return
      }
      announcedAt = null
      for (const month of months) await store.dropAuditMonth(sql, month.name)
      if (months.length > 0) log.info(about, 'months of the audit log past their retention were dropped')
      await store.allowAuditDeletion(sql)
      await store.deleteAuditStrays(sql, age, 1_000)
    },
  }
}

async function monthsToDrop(sql: Sql, age: Age): Promise<Month[]> {
  const months: Month[] = []
  for (const month of await monthsOlderThan(sql, store.auditTable, age)) {
    if (await store.hasOnlyOldEvents(sql, month.name, age)) months.push(month)
  }
  return months
}
