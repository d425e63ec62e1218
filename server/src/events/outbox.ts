import type { Sql } from '../platform/database/sql.ts'
import { newId } from '../platform/secrets/identifiers.ts'

/** A device as its partner knows it. Nothing of the customer who claimed it: spec 1.5. */
export interface DeviceSubject {
  device_id: string
  model_id: string
  mac: string
  sn: string
}

/** What partners can be told. A grant is named by the customer's id, which the application knows as `org_id`. */
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
  [Type in EventType]: { partner_id: string; type: Type; at: Date; data: EventData[Type] }
}[EventType]

/** Published with the commit of queued deliveries that should not wait for the next poll. */
export const deliveriesQueuedTopic = 'webhooks.queued'

/**
 * Queues events for the partner's webhooks, in the transaction of the act itself: what was rolled back is never told,
 * and what was committed always is. One statement whatever the number, nothing written where nobody listens.
 * Returns how many deliveries were queued.
 */
export async function queueEvent(sql: Sql, ...events: PartnerEvent[]): Promise<number> {
  if (events.length === 0) return 0
  const rows = events.map(({ partner_id, type, at, data }) => ({
    id: newId(),
    partner_id,
    type,
    at: at.toISOString(),
    payload: JSON.stringify({ type, timestamp: at.toISOString(), data }),
  }))
  // With the lock, a webhook that is being deleted drops out; without it, its foreign key would undo the act itself.
  const { count } = await sql`
    insert into webhook_deliveries (endpoint_id, event_id, type, payload, queued_at, next_attempt_at)
    select endpoint.id, event.id, event.type, event.payload, event.at, event.at
    from unnest(
      ${rows.map((row) => row.id)}::uuid[],
      ${rows.map((row) => row.partner_id)}::uuid[],
      ${rows.map((row) => row.type)}::text[],
      ${rows.map((row) => row.payload)}::text[],
      ${rows.map((row) => row.at)}::timestamptz[]
    ) as event (id, partner_id, type, payload, at)
    join webhook_endpoints endpoint on endpoint.partner_id = event.partner_id
    where endpoint.disabled_at is null and event.type = any(endpoint.events)
    for key share of endpoint`
  return count
}
