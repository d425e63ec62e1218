import type { Logger } from 'pino'
import { transaction } from '../database/database.ts'
import { type Age, agedBefore, type Pool, type Sql } from '../database/sql.ts'
import type { SharedJob } from '../jobs.ts'

const batch = 1_000

interface Surroundings {
  sql: Pool
  now: () => Date
  log: Logger
  config: { auditDays: number | null }
}

/** Removes audit events past their retention, a few per transaction. With no number of days they are kept for ever. */
export function forgetAuditEvents({ sql, now, log, config }: Surroundings): SharedJob {
  return {
    name: 'old audit events',
    everySeconds: 3_600,
    async runShared() {
      if (config.auditDays === null) return
      const age = { now: now(), milliseconds: config.auditDays * 86_400_000 }
      if (!(await hasOldEvents(sql, age))) return
      log.warn({ days: config.auditDays }, 'audit events past their retention are being removed')
      let removed = 0
      for (let count = batch; count === batch; removed += count) {
        count = await transaction(sql, async (tx) => {
          await allowRemoval(tx)
          return await deleteOldEvents(tx, age, batch)
        })
      }
      log.warn({ removed, days: config.auditDays }, 'audit events past their retention were removed')
    },
  }
}

async function hasOldEvents(sql: Sql, age: Age): Promise<boolean> {
  const rows = await sql`select 1 from audit_events where at < ${agedBefore(sql, age)} limit 1`
  return rows.length > 0
}

/** Until the end of the transaction; the triggers of the table ask for it. */
async function allowRemoval(sql: Sql): Promise<void> {
  await sql`select set_config('landbridge.audit_retention', 'on', true)`
}

async function deleteOldEvents(sql: Sql, age: Age, most: number): Promise<number> {
  const { count } = await sql`
    delete from audit_events where id in (
      select id from audit_events where at < ${agedBefore(sql, age)} order by at limit ${most} for update skip locked)`
  return count
}
