import { Type } from 'typebox'
import type { Sql } from '../platform/database/sql.ts'
import { newestFirst, type Page, type PageRequest, toPage } from '../platform/http/pagination.ts'
import { Dictionary, Id, Instant } from '../platform/http/schemas.ts'
import { newId, smallestIdOf } from '../platform/secrets/identifiers.ts'
import {
  type AuditEventType,
  auditEventTypes,
  type CustomerEventType,
  customerEventTypes,
  type PartnerEventType,
  partnerEventTypes,
} from './audit-types.ts'
import * as store from './store/audit-events.ts'

export type { Actor } from './store/audit-events.ts'

interface EventParts {
  at: Date
  actor: store.Actor
  application_id?: string | undefined
  device_id?: string | undefined
  details?: Record<string, string | number | boolean | null | string[]>
}

/** Only a type that organizations know of may have a customer, and only one that partners know of a partner. */
export type NewAuditEvent = EventParts &
  (
    | { type: CustomerEventType; customer_id?: string | undefined }
    | { type: Exclude<AuditEventType, CustomerEventType>; customer_id?: undefined }
  ) &
  (
    | { type: PartnerEventType; partner_id?: string | undefined }
    | { type: Exclude<AuditEventType, PartnerEventType>; partner_id?: undefined }
  )

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

/** A string to our own code: the log may have events of an older release. */
function eventType(types: readonly AuditEventType[]) {
  return Type.Unsafe<string>({ type: 'string', enum: types, description: 'What happened.' })
}

export const AuditEvent = Type.Object(
  {
    id: Id,
    type: eventType(auditEventTypes),
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

/** As organizations see them. */
export const CustomerAuditEvent = Type.Object(
  { ...AuditEvent.properties, type: eventType(customerEventTypes) },
  { title: 'OrganizationAuditEvent', description: 'Something that happened in an organization, kept for good.' },
)

/** As partners see them. */
export const PartnerAuditEvent = Type.Object(
  { ...AuditEvent.properties, type: eventType(partnerEventTypes) },
  { title: 'PartnerAuditEvent', description: 'Something that concerns a partner, kept for good.' },
)

/** Of every audit log. */
export const AuditFilters = {
  type: Type.Optional(Type.String({ maxLength: 100 })),
  application_id: Type.Optional(Id),
  device_id: Type.Optional(Id),
  since: Type.Optional(Type.String({ format: 'date-time', description: 'Events at or after this instant.' })),
  until: Type.Optional(Type.String({ format: 'date-time', description: 'Events before this instant.' })),
}

/** Not for partners: it would tell them who acts at a customer (decision 9.10). */
export const ActorFilter = {
  actor_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'The user, application, API key or device that acted.' }),
  ),
}

export type AuditFilter = Omit<store.AuditFilter, 'since' | 'until' | 'firstId' | 'lastId'> & {
  since?: string
  until?: string
}

/** The filters of a query, without its page. */
export function auditFilterOf(query: unknown, offered: object): AuditFilter {
  return Object.fromEntries(Object.entries(query as object).filter(([name]) => name in offered))
}

/** More than an event's id, which has the time of its insertion, ever differs from its `at`. */
const marginMilliseconds = 86_400_000

/** Bounds of ids turn a filter by date into a range of every index. */
function idNear(instant: string, milliseconds: number): string {
  return smallestIdOf(Date.parse(instant) + milliseconds)
}

/** Newest first. */
export async function listAuditEvents(
  sql: Sql,
  { since, until, ...filter }: AuditFilter,
  request: PageRequest,
): Promise<Page<RecordedEvent>> {
  const range = newestFirst(request)
  const dates = {
    ...(since === undefined ? {} : { since: new Date(since), firstId: idNear(since, -marginMilliseconds) }),
    ...(until === undefined ? {} : { until: new Date(until), lastId: idNear(until, marginMilliseconds) }),
  }
  const rows = await store.listAuditEvents(sql, { ...filter, ...dates }, range)
  return toPage(rows.map(withoutNulls), range, ({ id }) => id)
}

export async function findAuditEvent(sql: Sql, id: string): Promise<RecordedEvent | undefined> {
  const row = await store.findAuditEvent(sql, id)
  return row && withoutNulls(row)
}

function withoutNulls(event: store.AuditEventRow): RecordedEvent {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)) as unknown as RecordedEvent
}
