import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { ActorFilter, AuditFilters, auditFilterOf, CustomerAuditEvent, listAuditEvents } from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import type { PageRequest } from '../../../platform/http/pagination.ts'
import type { App } from '../../../platform/http/server.ts'
import { namesIn, pagedWithNames } from '../../shared/audit-names.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate.ts'

const tag = 'Organization: audit events'
const route = tagged(tag)
const Filters = { ...AuditFilters, ...ActorFilter }

export function auditEventRoutes(app: App, context: Context): void {
  const read = (request: FastifyRequest, page: PageRequest) => {
    const { customer_id } = callerOf(request)
    return listAuditEvents(context.sql, { ...auditFilterOf(request.query, Filters), customer_id }, page)
  }

  app.get(
    '/audit-events',
    route({
      summary: 'List the audit events of this organization, newest first',
      description: 'Who did what, and when. No API can change them.',
      ...pagedWithNames(CustomerAuditEvent, Filters),
    }),
    async (request) => {
      const { customer_id } = callerOf(request)
      const page = await read(request, request.query)
      return { ...page, names: await namesIn(context, { customer_id }, page.items) }
    },
  )

  auditExportRoutes(app, { tags: [tag], querystring: Type.Object(Filters), read })
}
