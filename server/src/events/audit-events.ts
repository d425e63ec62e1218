import { Type } from 'typebox'
import type { Sql } from '../platform/database/sql.ts'
import { newestFirst, type Page, PageQuery, type PageRequest, toPage } from '../platform/http/pagination.ts'
import { Dictionary, Id, Instant } from '../platform/http/schemas.ts'
import type { Actor } from './audit.ts'

export interface RecordedEvent {
  id: string
  type: string
  at: Date
  actor: Actor
  partner_id?: string
  application_id?: string
  customer_id?: string
  device_id?: string
  details: Record<string, unknown>
}

export interface AuditFilter {
  type?: string
  partner_id?: string
  application_id?: string
  customer_id?: string
}

export const AuditEvent = Type.Object({
  id: Id,
  type: Type.String({ description: 'What happened, such as `refresh_token.replayed`.' }),
  at: Instant,
  actor: Type.Object({ kind: Type.String(), id: Type.Optional(Type.String()) }, { description: 'Who did it.' }),
  partner_id: Type.Optional(Id),
  application_id: Type.Optional(Id),
  customer_id: Type.Optional(Id),
  device_id: Type.Optional(Id),
  details: Dictionary(Type.Unknown()),
})

export const AuditFilters = { type: Type.Optional(Type.String({ maxLength: 100 })) }
export const AuditQuery = { ...PageQuery, ...AuditFilters }

/** Newest first. Only the conditions asked for stand in the statement, so that each combination finds its own index. */
export async function listAuditEvents(
  sql: Sql,
  { type, partner_id, application_id, customer_id }: AuditFilter,
  request: PageRequest,
): Promise<Page<RecordedEvent>> {
  const range = newestFirst(request)
  const rows = await sql<RecordedEvent[]>`
    select id, type, at, actor, partner_id, application_id, customer_id, device_id, details
    from audit_events
    where id < ${range.after}
      ${type === undefined ? sql`` : sql`and type = ${type}`}
      ${partner_id === undefined ? sql`` : sql`and partner_id = ${partner_id}`}
      ${application_id === undefined ? sql`` : sql`and application_id = ${application_id}`}
      ${customer_id === undefined ? sql`` : sql`and customer_id = ${customer_id}`}
    order by id desc limit ${range.limit}`
  return toPage(rows.map(withoutNulls), range, ({ id }) => id)
}

export async function findAuditEvent(sql: Sql, id: string): Promise<RecordedEvent | undefined> {
  const [row] = await sql<RecordedEvent[]>`
    select id, type, at, actor, partner_id, application_id, customer_id, device_id, details
    from audit_events where id = ${id}`
  return row && withoutNulls(row)
}

function withoutNulls(event: RecordedEvent): RecordedEvent {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null)) as unknown as RecordedEvent
}
