import { type Sql, wakeAfterCommit } from '../platform/database/sql.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { currentTraceparent } from '../platform/tracing.ts'
import type { EventData, EventType } from './event-schemas.ts'
import { insertEventDeliveries } from './store/webhook-deliveries.ts'
import { deliveriesQueuedTopic } from './webhook-partition.ts'

export const eventTypes = [
  'device.registered',
  'device.updated',
  'device.claimed',
  'device.removed',
  'device.status_changed',
  'device.command',
  'grant.revoked',
  'grant.connected',
  'approval.requested',
  'approval.given',
  'approval.withdrawn',
  'application.disabled',
  'api_key.expiring',
] as const satisfies EventType[]

export type PartnerEvent = {
  [Type in EventType]: {
    partner_id: string
    type: Type
    at: Date
    /** Where the order of events counts that several processes publish. */
    id?: string | undefined
    data: EventData[Type]
    /** For work that was gathered from many requests; otherwise it is the span of this one. */
    traceparent?: string | null | undefined
  }
}[EventType]

/**
 * Queues events for the partner's webhooks. Call it in the transaction of the change itself: what is rolled back is
 * never sent, and what is committed always is.
 */
export async function queueEvent(sql: Sql, ...events: PartnerEvent[]): Promise<void> {
  if (events.length === 0) return
  const current = currentTraceparent()
  const queued = events.map(({ id = newId(), partner_id, type, at, data, traceparent = current }) => ({
    id,
    partner_id,
    type,
    at: at.toISOString(),
    payload: JSON.stringify({ type, timestamp: at.toISOString(), data }),
    traceparent,
  }))
  const partitions = await insertEventDeliveries(sql, queued)
  for (const partition of partitions) wakeAfterCommit(sql, deliveriesQueuedTopic(partition))
}
