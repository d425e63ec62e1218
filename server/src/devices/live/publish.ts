import type { Context } from '../../context.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import { perContext } from '../../platform/database/per-context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { findOwners } from '../store/live.ts'
import { onIngested } from '../telemetry/ingest.ts'
import { packMessages } from './disconnect.ts'
import { liveInterest } from './interest.ts'

/** `<customer id>:<device id>` for each device that spoke, or that turned status or was removed. */
export const liveTelemetryTopic = 'devices.spoke'
export const liveStatusTopic = 'devices.turned'

/**
 * After each commit of ingest, word of the devices that spoke, for those who watch. One query and one notification for
 * whatever came while the last was on its way; nothing at all where nobody watches.
 */
export async function publishToWatchers(context: Context): Promise<void> {
  const interest = liveInterest(context)
  await interest.known()
  const tell = coalesce<{ customers: string[]; device_ids: string[] }, undefined>(async (news) => {
    const customers = [...new Set(news.flatMap((batch) => batch.customers))]
    const devices = [...new Set(news.flatMap((batch) => batch.device_ids))]
    const owners = await findOwners(context.sql, devices, customers)
    await publishDevices(context, context.sql, liveTelemetryTopic, owners)
    return news.map(() => undefined)
  })
  onIngested(context, ({ customers, device_ids }) => {
    const watched = interest.watched(customers)
    if (watched.length === 0) return
    tell({ customers: watched, device_ids: device_ids() }).catch((error) =>
      context.log.warn({ err: error }, 'live: watchers not told'),
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
  const words = devices.map(({ customer_id, device_id }) => `${customer_id}:${device_id}`)
  for (const message of packMessages(words)) await context.notifications.publish(sql, topic, message)
}
