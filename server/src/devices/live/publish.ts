import type { Context } from '../../context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { perContext } from '../../platform/database/per-context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { findOwners } from '../store/live.ts'
import { onIngested } from '../telemetry/ingest.ts'
import { liveInterest } from './interest.ts'
import { liveTopics } from './topics.ts'

/**
 * After each commit of telemetry, notifies the live streams of its devices: one query and one notification for all that
 * was committed while the last was being sent, and nothing for customers without an open stream.
 */
export async function publishToWatchers(context: Context): Promise<void> {
  const interest = liveInterest(context)
  await interest.ready()
  const publish = coalesce<{ customers: string[]; device_ids: string[] }, undefined>(async (batches) => {
    const customers = [...new Set(batches.flatMap((batch) => batch.customers))]
    const deviceIds = [...new Set(batches.flatMap((batch) => batch.device_ids))]
    const owners = await findOwners(context.sql, deviceIds, customers)
    await publishDevices(context, context.sql, liveTopics.telemetry, owners)
    return batches.map(() => undefined)
  })
  onIngested(context, ({ customers, device_ids }) => {
    const watched = interest.watched(customers)
    if (watched.length === 0) return
    publish({ customers: watched, device_ids: device_ids() }).catch((error) =>
      context.log.warn({ err: error }, 'live: telemetry not published'),
    )
  })
}

/** Called once by whatever serves devices on this process. */
export const startPublishing = perContext((context: Context) => publishToWatchers(context))

export async function publishDevices(
  context: Context,
  sql: Sql,
  topic: string,
  devices: readonly { device_id: string; customer_id: string }[],
): Promise<void> {
  const items = devices.map(({ customer_id, device_id }) => `${customer_id}:${device_id}`)
  await context.notifications.publish(sql, topic, items)
}
