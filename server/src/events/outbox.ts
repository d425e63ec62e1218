import type { Sql } from '../platform/database/sql.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { currentTraceparent } from '../platform/tracing.ts'
import { insertEventDeliveries } from './store/webhook-deliveries.ts'

/** A device as its partner knows it, without the customer who claimed it (contract 1.5). */
export interface DeviceSubject {
  device_id: string
  model_id: string
  mac: string
  sn: string
}

/** The events and their data. A grant is named by the customer's id, which the application knows as `org_id`. */
export interface EventData {
  'device.registered': DeviceSubject & { firmware_version: string }
  'device.updated': DeviceSubject & { firmware_version: string; previous_firmware_version: string }
  'device.claimed': DeviceSubject
  'device.removed': DeviceSubject
  'device.status_changed': DeviceSubject & { status: string; previous_status: string }
  'grant.revoked': { client_id: string; org_id: string; reason: string }
  'approval.withdrawn': { client_id: string; org_id: string }
  'application.disabled': { client_id: string }
  'webhook.test': { message: string }
}

export type EventType = keyof EventData

export const eventTypes = [
  'device.registered',
  'device.updated',
  'device.claimed',
  'device.removed',
  'device.status_changed',
  'grant.revoked',
  'approval.withdrawn',
  'application.disabled',
] as const satisfies EventType[]

export type PartnerEvent = {
  [Type in EventType]: {
    partner_id: string
    type: Type
    at: Date
    data: EventData[Type]
    /** For work that was gathered from many requests; otherwise it is the span of this one. */
    traceparent?: string | null | undefined
  }
}[EventType]

/** Published with the commit of queued deliveries that should not wait for the next poll. */
export const deliveriesQueuedTopic = 'webhooks.queued'

/**
 * Queues events for the partner's webhooks. Call it in the transaction of the change itself: what is rolled back is
 * never sent, and what is committed always is.
 */
export async function queueEvent(sql: Sql, ...events: PartnerEvent[]): Promise<number> {
  if (events.length === 0) return 0
  const current = currentTraceparent()
  const queued = events.map(({ partner_id, type, at, data, traceparent = current }) => ({
    id: newId(),
    partner_id,
    type,
    at: at.toISOString(),
    payload: JSON.stringify({ type, timestamp: at.toISOString(), data }),
    traceparent,
  }))
  return await insertEventDeliveries(sql, queued)
}
