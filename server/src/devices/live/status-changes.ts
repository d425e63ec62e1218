import type { Context } from '../../context.ts'
import { queueEvent } from '../../events/outbox.ts'
import { type Sql, wakeAfterCommit } from '../../platform/database/sql.ts'
import { type Job, runJob, type SharedJob } from '../../platform/jobs.ts'
import { carryStatuses, listStatusSubjects, listThresholds } from '../store/statuses.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { publishToWatchers } from './publish.ts'
import { latestOf } from './status-carrier.ts'
import { deadlinesDueTopic, liveTopics, statusChangedTopic } from './topics.ts'

/** Deadlines that one statement settles, and devices whose changes one run of the job publishes at a time. */
const batchSize = 2_000
/** However fast changes arrive, the job's transaction must end: it holds the devices that it changes. */
const maxBatches = 5
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
export async function settleAllDeadlines({ sql, now, statuses, notifications }: Context): Promise<boolean> {
  for (let any = false; ; any = true) {
    const at = now()
    const due = await telemetry.listDue(sql, at, batchSize)
    if (due.length === 0) return any
    const seconds = new Map((await listThresholds(sql, due)).map((known) => [known.device_id, known.seconds]))
    const thresholds = due.map((id) => ({ device_id: id, seconds: seconds.get(id) ?? null }))
    let checked = 0
    for (const ofLane of telemetry.byLane(sql, thresholds, ({ device_id }) => device_id)) {
      const settled = await telemetry.settleDeadlines(sql, ofLane, at)
      if ((settled.changes?.length ?? 0) <= fewChanges) await statuses.carry(settled.changes ?? [])
      else notifications.publishHere(statusChangedTopic)
      checked += settled.checked
    }
    // What is left over is locked: another process is checking it, or its device is sending telemetry now.
    if (checked < batchSize) return any || checked > 0
  }
}

/**
 * The statement that changes a device's status adds a row to `status_changes`, and its process wakes this job, which
 * carries the status over to the directory if that is not done yet (decision 7.53), and turns the rows into webhook
 * deliveries and notifications of live streams. One process at a time, so that the changes
 * of a device keep their order. The look is for rows of a process that stopped before it woke the job.
 */
export function statusEventsJob(context: Context): SharedJob {
  return {
    name: 'status events',
    everySeconds: 5,
    wakeHere: statusChangedTopic,
    hasWork: () => telemetry.hasStatusChanges(context.sql),
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
      // More are left.
      wakeAfterCommit(sql, statusChangedTopic)
    },
  }
}

async function publishStatusChanges(context: Context, sql: Sql): Promise<number> {
  const changes = await telemetry.listStatusChanges(sql, batchSize)
  if (changes.length === 0) return 0
  await carryStatuses(sql, latestOf(changes.map((change) => ({ ...change, at: change.at.getTime() }))))
  const deviceIds = [...new Set(changes.map(({ device_id }) => device_id))]
  const subjects = await listStatusSubjects(sql, deviceIds)
  const found = new Map(subjects.map((subject) => [subject.device_id, subject]))
  const spans = changes.map(({ traceparent }) => startSpan(context, traceparent))
  await queueEvent(
    sql,
    ...changes.flatMap(({ device_id, status, previous, at, traceparent }, index) => {
      const subject = found.get(device_id)
      if (!subject) return []
      const { partner_id, model_id, mac, sn } = subject
      return {
        type: 'device.status_changed' as const,
        at,
        partner_id,
        data: { device_id, model_id, mac, sn, status, previous_status: previous },
        traceparent: spans[index]?.traceparent ?? traceparent,
      }
    }),
  )
  for (const span of spans) span?.end()
  const { liveInterest: interest } = context
  const watched = new Set(interest.watched(subjects.flatMap(({ customer_id }) => customer_id ?? [])))
  const devices = subjects.flatMap(({ customer_id, device_id }) =>
    customer_id !== null && watched.has(customer_id) ? { customer_id, device_id } : [],
  )
  await publishToWatchers(context, sql, liveTopics.status, devices)
  // Last: where telemetry has a database of its own, a run that is cut off before this is repeated.
  await telemetry.moveToHistory(sql, changes)
  return deviceIds.length
}

function startSpan({ tracing }: Context, parent: string | null) {
  if (!tracing || parent === null) return null
  return tracing.start({ name: 'queue device.status_changed', kind: 'producer', parent })
}
