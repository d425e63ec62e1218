import { Type } from 'typebox'
import type { Sql } from '../platform/database/sql.ts'
import { newestFirst, type Page, type PageRequest, toPage } from '../platform/http/pagination.ts'
import { Dictionary, Id, Instant } from '../platform/http/schemas.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import * as store from './store/audit-events.ts'

export type { Actor, AuditFilter } from './store/audit-events.ts'

export interface NewAuditEvent {
  type: string
  at: Date
  actor: store.Actor
  partner_id?: string | undefined
  application_id?: string | undefined
  customer_id?: string | undefined
  device_id?: string | undefined
  details?: Record<string, string | number | boolean | null | string[]>
}

/** Call it in the transaction of the change itself, so that neither is stored without the other. */
export async function recordAudit(sql: Sql, ...events: NewAuditEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map((event) => ({
    id: newId(),
    type: event.type,
    at: event.at,
    actor: event.actor,
    partner_id: event.partner_id ?? null,
    application_id: event.application_id ?? null,
    customer_id: event.customer_id ?? null,
    device_id: event.device_id ?? null,
    details: event.details ?? {},
  }))
  await store.insertAuditEvents(sql, rows)
}

type Ids = Partial<Record<'partner_id' | 'application_id' | 'customer_id' | 'device_id', string>>

/** An event as it is read back; ids that do not apply are absent. */
export type RecordedEvent = Omit<store.AuditEventRow, keyof Ids> & Ids

export const AuditEvent = Type.Object(
  {
    id: Id,
    type: Type.String({ description: 'What happened, such as `refresh_token.replayed`.' }),
    at: Instant,
    actor: Type.Object(
      { kind: Type.String(), id: Type.Optional(Type.String()) },
      { title: 'Actor', description: 'Who did it.' },
    ),
    partner_id: Type.Optional(Id),
    application_id: Type.Optional(Id),
    customer_id: Type.Optional(Id),
    device_id: Type.Optional(Id),
    details: Dictionary(Type.Unknown()),
  },
  { title: 'AuditEvent', description: 'Something that happened, kept for good.' },
)

export const AuditFilters = { type: Type.Optional(Type.String({ maxLength: 100 })) }

/** Newest first. */
export async function listAuditEvents(
  sql: Sql,
  filter: store.AuditFilter,
  request: PageRequest,
): Promise<Page<RecordedEvent>> {
  const range = newestFirst(request)
  const rows = await store.listAuditEvents(sql, filter, range)
  return toPage(rows.map(withoutNulls), range, ({ id }) => id)
}

export async function findAuditEvent(sql: Sql, id: string): Promise<RecordedEvent | undefined> {
  const row = await store.findAuditEvent(sql, id)
  return row && withoutNulls(row)
}

function withoutNulls(event: store.AuditEventRow): RecordedEvent {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)) as unknown as RecordedEvent
}
