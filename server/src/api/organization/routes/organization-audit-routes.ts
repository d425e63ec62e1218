import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { ActorFilter, AuditFilters, auditFilterOf, CustomerAuditEvent, listAuditEvents } from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import type { App } from '../../../platform/http/app.ts'
import type { PageRequest } from '../../../platform/http/pagination.ts'
import type { Context } from '../../context.ts'
import { namesIn, pagedWithNames } from '../../shared/audit-names.ts'
import { beginExport } from '../../shared/exports.ts'
import { readerFor, reading } from '../../shared/reads.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf } from '../authenticate-organization.ts'

const tag = 'Organization: audit events'
const route = tagged(tag)
const Filters = { ...AuditFilters, ...ActorFilter }

export function auditEventRoutes(app: App, context: Context): void {
  const readerOf = (request: FastifyRequest) => readerFor({ customer_id: callerOf(request).customer_id }, request)
  const read = (context: Context, request: FastifyRequest, page: PageRequest) => {
    const { customer_id } = callerOf(request)
    return listAuditEvents(context.sql, { ...auditFilterOf(request.query, Filters), customer_id }, page)
  }

  app.get(
    '/audit-events',
    route({
      permission: 'audit: read',
      reads: 'growing',
      summary: 'List the audit events of this organization, newest first',
      description: 'Who did what, and when. No API can change them.',
      ...pagedWithNames(CustomerAuditEvent, Filters),
    }),
    async (request) => {
      const { customer_id } = callerOf(request)
      const gated = reading(context, { customer_id }, request)
      const page = await read(gated, request, request.query)
      return { ...page, names: await namesIn(gated, { customer_id }, page.items) }
    },
  )

  auditExportRoutes(app, context, {
    tags: [tag],
    querystring: Type.Object(Filters),
    readerOf,
    read,
    begin: (request, extension) => {
      const { actor, customer_id } = callerOf(request)
      const details = auditFilterOf(request.query, Filters)
      return beginExport(context, { actor, owner: { customer_id }, what: 'audit log', extension, details })
    },
  })
}
