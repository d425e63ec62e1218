import type { Context } from '../../context.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { type Job, runJob, type SharedJob } from '../../platform/jobs.ts'
import { findNextDeadline, hasStatusChanges } from '../store/due-work.ts'
import { settleDeadlines, takeStatusChanges } from '../store/status.ts'
import { publishDevices } from './publish.ts'
import { deadlinesDueTopic, liveTopics, statusChangedTopic } from './topics.ts'

const batchSize = 500
/** However fast changes arrive, the job's transaction must end. */
const maxBatches = 20

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
    nextDue: () => findNextDeadline(context.sql),
    runShared: () => settleAllDeadlines(context),
  }
}

/** False when no device was checked. */
export async function settleAllDeadlines({ sql, now, notifications }: Context): Promise<boolean> {
  for (let any = false; ; any = true) {
    const { checked, offline } = await settleDeadlines(sql, now(), batchSize)
    if (offline > 0) notifications.publishHere(statusChangedTopic)
    if (checked < batchSize) return any || checked > 0
  }
}

/**
 * The statement that changes a device's status adds a row to `status_changes`, and its process wakes this job, which
 * turns the rows into webhook deliveries and notifications of live streams. One process at a time, so that the changes
 * of a device keep their order. The look is for rows of a process that stopped before it woke the job.
 */
export function statusEventsJob(context: Context): SharedJob {
  return {
    name: 'status events',
    everySeconds: 5,
    wakeHere: statusChangedTopic,
    hasWork: () => hasStatusChanges(context.sql),
    async runShared() {
      // Before the transaction, since it needs a connection.
      await context.liveInterest.ready()
      return await runJob(context.sql, publishStatusChangesJob(context))
    },
  }
}

export function publishStatusChangesJob(context: Context): Job {
  return {
    name: 'status events',
    everySeconds: 5,
    async run(sql) {
      for (let batch = 0; batch < maxBatches; batch += 1) {
        if ((await publishStatusChanges(context, sql)) < batchSize) return
      }
    },
  }
}

async function publishStatusChanges(context: Context, sql: Sql): Promise<number> {
  const changes = await takeStatusChanges(sql, batchSize)
  if (changes.length === 0) return 0
  const spans = changes.map(({ traceparent }) => startSpan(context, traceparent))
  await queueEvent(
    sql,
    ...changes.map(({ device_id, status, previous, at, partner_id, model_id, mac, sn, traceparent }, index) => ({
      type: 'device.status_changed' as const,
      at,
      partner_id,
      data: { device_id, model_id, mac, sn, status, previous_status: previous },
      traceparent: spans[index]?.traceparent ?? traceparent,
    })),
  )
  for (const span of spans) span?.end()
  const { liveInterest: interest } = context
  const watched = new Set(interest.watched(changes.flatMap(({ customer_id }) => customer_id ?? [])))
  const devices = changes.flatMap(({ customer_id, device_id }) =>
    customer_id !== null && watched.has(customer_id) ? { customer_id, device_id } : [],
  )
  await publishDevices(context, sql, liveTopics.status, devices)
  return changes.length
}

function startSpan({ tracing }: Context, parent: string | null) {
  if (!tracing || parent === null) return null
  return tracing.start({ name: 'queue device.status_changed', kind: 'producer', parent })
}
