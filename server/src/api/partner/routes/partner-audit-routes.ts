import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import {
  AuditFilters,
  auditFilterOf,
  listAuditEvents,
  PartnerAuditEvent,
  type RecordedEvent,
} from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import type { App } from '../../../platform/http/app.ts'
import type { PageRequest } from '../../../platform/http/pagination.ts'
import type { Context } from '../../context.ts'
import { namesIn, pagedWithNames } from '../../shared/audit-names.ts'
import { beginExport } from '../../shared/exports.ts'
import { readerFor, reading } from '../../shared/reads.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-partner.ts'

const tag = 'Partner: audit events'
const route = tagged(tag)

export function auditEventRoutes(app: App, context: Context): void {
  const readerOf = (request: FastifyRequest) => readerFor({ partner_id: callerOf(request).partner_id }, request)
  const read = async (context: Context, request: FastifyRequest, page: PageRequest) => {
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
      reads: 'growing',
      summary: 'List the audit events of this partner, newest first',
      description: 'Events at a customer are included as far as they concern this partner, without who caused them.',
      ...pagedWithNames(PartnerAuditEvent, AuditFilters),
    }),
    async (request) => {
      const { partner_id } = callerOf(request)
      const gated = reading(context, { partner_id }, request)
      const page = await read(gated, request, request.query)
      return { ...page, names: await namesIn(gated, { partner_id }, page.items) }
    },
  )

  auditExportRoutes(app, context, {
    tags: [tag],
    querystring: Type.Object(AuditFilters),
    readerOf,
    read,
    begin: (request, extension) => {
      const { actor, partner_id } = callerOf(request)
      const details = auditFilterOf(request.query, AuditFilters)
      return beginExport(context, { actor, owner: { partner_id }, what: 'audit log', extension, details })
    },
  })
}

/** Of an event at a customer, such as a claim, the partner sees what, when and which device, but neither who nor details (contract 1.5). */
function withoutAccountData(event: RecordedEvent): RecordedEvent {
  const { customer_id, ...rest } = event
  if (customer_id === undefined) return event
  // A device's own report reveals nothing of the customer's account.
  if (event.actor.kind === 'device') return rest
  return { ...rest, actor: { kind: event.actor.kind } as RecordedEvent['actor'], details: {} }
}
