import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import { tryLockPartitions } from '../../platform/database/partition-locks.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { SharedJob } from '../../platform/jobs.ts'
import { numberedId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { carryStatuses, listStatusSubjects } from '../store/statuses.ts'
import * as telemetry from '../telemetry-store/telemetry-store.ts'
import { publishToWatchers } from './live-publishing.ts'
import { latestOf } from './status-carrier.ts'
import { liveTopics, statusChangedTopic } from './topics.ts'

/** Changes that one transaction publishes: it holds the devices that it changes. */
const batchSize = 2_000
/** The first key of the advisory locks of the partitions, which are the second. */
export const publishLockClass = 0x73746174

/**
 * The statement that changes a device's status adds a row to `status_changes`, and its process wakes this job, which
 * carries the status over to the directory if that is not done yet (decision 7.53), and turns the rows into webhook
 * deliveries and notifications of live streams. One process at a time per partition, so that the changes of a device keep
 * their order and processes share a mass outage. The look is for rows of a process that stopped before it woke the job.
 */
export function statusEventsJob(context: Context): SharedJob {
  const { sql, liveInterest } = context
  /** Up to which device each partition was published; null from the beginning. */
  const reached = telemetry.changePartitions.map((): string | null => null)
  let next = Math.floor(Math.random() * reached.length)
  let areMany = false

  /** Returns the partitions that it had, and how many changes it published. */
  async function publish(partitions: readonly number[], after: string | null) {
    return await transaction(sql, async (tx) => {
      const locked = await tryLockPartitions(tx, publishLockClass, partitions)
      const changes =
        locked.length > 0 ? await telemetry.listStatusChanges(tx, { locked, after, limit: batchSize }) : []
      if (changes.length > 0) await publishStatusChanges(context, tx, changes)
      return { locked, published: changes.length, last: changes.at(-1)?.device_id ?? null }
    })
  }

  /**
   * Once around: one partition after the other, so that other processes can publish the rest, and neighbours in one
   * statement. Ends after that, since the process may have to stop.
   */
  async function publishEach(): Promise<void> {
    areMany = false
    for (const _ of reached) {
      next = (next + 1) % reached.length
      const { published, last } = await publish([next], reached[next]!)
      const isFull = published === batchSize
      reached[next] = isFull ? last : null
      if (isFull) areMany = true
    }
  }

  return {
    name: 'status events',
    everySeconds: 5,
    wakeHere: statusChangedTopic,
    hasWork: () => telemetry.hasStatusChanges(sql),
    async runShared() {
      // Before the transaction, since it needs a connection.
      await liveInterest.ready()
      if (!areMany) {
        const { locked, published } = await publish(telemetry.changePartitions, null)
        if (published < batchSize) return locked.length === reached.length
      }
      await publishEach()
      // Again at once, for what is left and what came meanwhile.
      return false
    },
  }
}

async function publishStatusChanges(
  context: Context,
  sql: Sql,
  changes: readonly telemetry.StatusChange[],
): Promise<void> {
  await carryStatuses(sql, latestOf(changes.map((change) => ({ ...change, at: change.at.getTime() }))))
  const deviceIds = [...new Set(changes.map(({ device_id }) => device_id))]
  const subjects = await listStatusSubjects(sql, deviceIds)
  const found = new Map(subjects.map((subject) => [subject.device_id, subject]))
  const spans = changes.map(({ traceparent }) => startSpan(context, traceparent))
  await queueEvent(
    sql,
    ...changes.flatMap(({ device_id, number, status, previous, at, traceparent }, index) => {
      const subject = found.get(device_id)
      if (!subject) return []
      const { partner_id, model_id, mac, sn } = subject
      return {
        type: 'device.status_changed' as const,
        // Decision 7.77.
        id: numberedId(at, number),
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
}

function startSpan({ tracing }: Context, parent: string | null) {
  if (!tracing || parent === null) return null
  return tracing.start({ name: 'queue device.status_changed', kind: 'producer', parent })
}
