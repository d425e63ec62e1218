import type { Sql } from '../platform/database/sql.ts'
import { newId } from '../platform/secrets/identifiers.ts'

/** Who did it. `system` is the service itself: expiry, replay detection, deadlines. A `visitor` is not signed in. */
export type Actor =
  | { kind: 'operator' }
  | { kind: 'user'; id: string }
  | { kind: 'application'; id: string }
  | { kind: 'api_key'; id: string }
  | { kind: 'device'; id: string }
  | { kind: 'system' }
  | { kind: 'visitor' }

export interface AuditEvent {
  type: string
  at: Date
  actor: Actor
  partner_id?: string | undefined
  application_id?: string | undefined
  customer_id?: string | undefined
  device_id?: string | undefined
  details?: Record<string, string | number | boolean | null | string[]>
}

/** Recorded in the transaction of the act itself: an act without its event, or an event without its act, cannot be. */
export async function recordAudit(sql: Sql, ...events: AuditEvent[]): Promise<void> {
  const rows = events.map((event) => ({
    id: newId(),
    type: event.type,
    at: event.at,
    actor: sql.json(event.actor),
    partner_id: event.partner_id ?? null,
    application_id: event.application_id ?? null,
    customer_id: event.customer_id ?? null,
    device_id: event.device_id ?? null,
    details: sql.json(event.details ?? {}),
  }))
  if (rows.length > 0) await sql`insert into audit_events ${sql(rows)}`
}
