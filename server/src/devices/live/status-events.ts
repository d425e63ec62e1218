import type { Context } from '../../context.ts'
import { queueEvent } from '../../events/outbox.ts'
import type { Sql } from '../../platform/database/sql.ts'
import type { Job } from '../../platform/jobs.ts'
import { takeStatusChanges } from '../store/status.ts'
import { liveInterest } from './interest.ts'
import { liveStatusTopic, publishDevices } from './publish.ts'

const maxAtOnce = 500
/** One turn of the job ends somewhere, however fast changes come: its transaction must. */
const maxRounds = 20

/**
 * A change of status is noted by the statement that makes it, once, and told from there: to the partner's webhooks in
 * the transaction that takes the note away, and to whoever watches live. One process at a time, so that a device's
 * changes are told in their order.
 */
export function statusEventsJob(context: Context): Job {
  return { name: 'status events', everySeconds: 0.4, run: (sql) => publishStatusChanges(context, sql) }
}

export async function publishStatusChanges(context: Context, sql: Sql): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    if ((await tellSomeChanges(context, sql)) < maxAtOnce) return
  }
}

async function tellSomeChanges(context: Context, sql: Sql): Promise<number> {
  const changes = await takeStatusChanges(sql, maxAtOnce)
  if (changes.length === 0) return 0
  await queueEvent(
    sql,
    ...changes.map(({ device_id, status, previous, at, partner_id, model_id, mac, sn }) => ({
      type: 'device.status_changed' as const,
      at,
      partner_id,
      data: { device_id, model_id, mac, sn, status, previous_status: previous },
    })),
  )
  const interest = liveInterest(context)
  await interest.known()
  const watched = new Set(interest.watched(changes.flatMap(({ customer_id }) => customer_id ?? [])))
  const seen = changes.flatMap(({ customer_id, device_id }) =>
    customer_id !== null && watched.has(customer_id) ? { customer_id, device_id } : [],
  )
  await publishDevices(context, sql, liveStatusTopic, seen)
  return changes.length
}
