import type { Sql } from '../platform/database/sql.ts'
import { newId } from '../platform/secrets/identifiers.ts'
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

/** The partner, or one of its applications where the partner's id is not at hand. */
type Owner = { partner_id: string } | { application_id: string }

export type PartnerEvent = {
  [Type in EventType]: Owner & { type: Type; at: Date; data: EventData[Type] }
}[EventType]

/**
 * Queues events for the partner's webhooks. Call it in the transaction of the change itself: what is rolled back is
 * never sent, and what is committed always is.
 */
export async function queueEvent(sql: Sql, ...events: PartnerEvent[]): Promise<void> {
  if (events.length === 0) return
  const queued = events.map(({ type, at, data, ...owner }) => ({
    id: newId(),
    partner_id: 'partner_id' in owner ? owner.partner_id : null,
    application_id: 'application_id' in owner ? owner.application_id : null,
    type,
    at: at.toISOString(),
    payload: JSON.stringify({ type, timestamp: at.toISOString(), data }),
  }))
  await insertEventDeliveries(sql, queued)
}
