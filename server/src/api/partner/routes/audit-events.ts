import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import {
  AuditFilters,
  auditFilterOf,
  listAuditEvents,
  PartnerAuditEvent,
  type RecordedEvent,
} from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import type { PageRequest } from '../../../platform/http/pagination.ts'
import type { App } from '../../../platform/http/server.ts'
import { namesIn, pagedWithNames } from '../../shared/audit-names.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate.ts'

const tag = 'Partner: audit events'
const route = tagged(tag)

export function auditEventRoutes(app: App, context: Context): void {
  const read = async (request: FastifyRequest, page: PageRequest) => {
    const { partner_id } = callerOf(request)
    const events = await listAuditEvents(
      context.sql,
      { ...auditFilterOf(request.query, AuditFilters), partner_id },
      page,
    )
    return { ...events, items: events.items.map(withoutAccountData) }
  }

  app.get(
    '/audit-events',
    route({
      summary: 'List the audit events of this partner, newest first',
      description: 'Events at a customer are included as far as they concern this partner, without who caused them.',
      ...pagedWithNames(PartnerAuditEvent, AuditFilters),
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      const page = await read(request, request.query)
      return { ...page, names: await namesIn(context, { partner_id }, page.items) }
    },
  )

  auditExportRoutes(app, { tags: [tag], querystring: Type.Object(AuditFilters), read })
}

/** Of an event at a customer, such as a claim, the partner sees what, when and which device, but neither who nor details (contract 1.5). */
function withoutAccountData(event: RecordedEvent): RecordedEvent {
  const { customer_id, ...rest } = event
  if (customer_id === undefined) return event
  // A device's own report reveals nothing of the customer's account.
  if (event.actor.kind === 'device') return rest
  return { ...rest, actor: { kind: event.actor.kind } as RecordedEvent['actor'], details: {} }
}
