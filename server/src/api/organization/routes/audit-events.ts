import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { AuditEvent, type AuditFilter, AuditFilters, listAuditEvents } from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import type { PageRequest } from '../../../platform/http/pagination.ts'
import type { App } from '../../../platform/http/server.ts'
import { paged, tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate.ts'

const tag = 'Organization: audit events'
const route = tagged(tag)

export function auditEventRoutes(app: App, context: Context): void {
  const read = (request: FastifyRequest, page: PageRequest) => {
    const { type } = request.query as Pick<AuditFilter, 'type'>
    const { customer_id } = callerOf(request)
    return listAuditEvents(context.sql, { customer_id, ...(type === undefined ? {} : { type }) }, page)
  }

  app.get(
    '/audit-events',
    route({
      summary: 'List the audit events of this organization, newest first',
      description: 'Who did what, and when. No API can change them.',
      ...paged(AuditEvent, AuditFilters),
    }),
    async (request) => read(request, request.query),
  )

  auditExportRoutes(app, { tags: [tag], querystring: Type.Object(AuditFilters), read })
}
