import type { Context } from '../../directory/context.ts'
import { transaction } from '../../platform/database/database.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { announceCommands, recordSettled } from './command-news.ts'

/** Commands that one transaction looks at. */
const batchSize = 1_000

/**
 * Every command that waits has a deadline: it expires, is handed out again, or nobody knows what became of it. Any process
 * checks them, each those whose devices no other is busy with. No deadline is nearer than five seconds when it is set, so
 * with this interval every process knows it before it passes.
 */
export function commandDeadlinesJob(context: Context): SharedJob {
  return {
    name: 'command deadlines',
    everySeconds: 4,
    nextDue: () => telemetry.findNextCommandDue(context.sql),
    runShared: () => settleDueCommands(context),
  }
}

/** False when no command was settled. */
export async function settleDueCommands(context: Context): Promise<boolean> {
  for (let any = false; ; any = true) {
    const due = await telemetry.listDueCommands(context.sql, batchSize)
    if (due.length === 0) return any
    const settled = await transaction(context.sql, async (sql) => {
      const ids = await telemetry.lockFreeStates(sql, due)
      if (ids.length === 0) return 0
      const changed = await telemetry.settleCommands(sql, ids)
      const heads = await telemetry.refreshHeads(sql, ids)
      await recordSettled(context, sql, changed)
      const again = changed.filter(({ state }) => state === 'queued')
      await announceCommands(context, sql, {
        heads,
        devices: [...heads, ...again].map(({ device_id }) => device_id),
        partners: [...heads, ...again].map(({ partner_id }) => partner_id),
        changed,
      })
      return changed.length
    })
    // What is left is locked: its device is busy now, and stays due.
    if (settled === 0) return any
  }
}
