import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import type { Context } from '../context.ts'
import { listThresholds } from '../store/statuses.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { deadlinesDueTopic, statusChangedTopic } from './topics.ts'

/** Deadlines that one statement settles. */
const batchSize = 2_000
/** When a whole fleet falls silent, the job carries the statuses over: twice the writers would take twice the time. */
const fewChanges = 100

/**
 * Decision 7.10: a device is offline when nothing came for its model's threshold, known within a second. Any process
 * checks deadlines, each those that no other is checking. No threshold is shorter than ten seconds, so with this interval
 * every process knows a deadline before it passes, whichever process set it.
 */
export function offlineDeadlinesJob(context: Context): SharedJob {
  return {
    name: 'offline deadlines',
    everySeconds: 4,
    wakeOn: deadlinesDueTopic,
    nextDue: () => telemetry.findNextDeadline(context.sql),
    runShared: () => settleAllDeadlines(context),
  }
}

/** False when no device was checked. */
export async function settleAllDeadlines(context: Context): Promise<boolean> {
  const { sql } = context
  for (let any = false; ; any = true) {
    // Each process locks the deadlines that it lists, and lists those that no other has: so all share a mass outage.
    const { changes, checked } = sql.shards
      ? await settleOldest(sql, context.now())
      : await transaction(sql, (tx) => settleOldest(tx, context.now()))
    if (changes.length <= fewChanges) await context.statuses.carry(changes)
    else context.notifications.publishHere(statusChangedTopic)
    // What is left over is locked: another process is checking it, or its device is sending telemetry now.
    if (checked < batchSize) return any || checked > 0
  }
}

async function settleOldest(sql: Sql, at: Date) {
  const due = await telemetry.listDue(sql, at, batchSize)
  const changes: telemetry.NumberedStatus[] = []
  let checked = 0
  if (due.length === 0) return { changes, checked }
  const seconds = new Map((await listThresholds(sql, due)).map((known) => [known.device_id, known.seconds]))
  const thresholds = due.map((id) => ({ device_id: id, seconds: seconds.get(id) ?? null }))
  for (const ofLane of telemetry.byLane(sql, thresholds, ({ device_id }) => device_id)) {
    const settled = await telemetry.settleDeadlines(sql, ofLane, at)
    changes.push(...(settled.changes ?? []))
    checked += settled.checked
  }
  return { changes, checked }
}
