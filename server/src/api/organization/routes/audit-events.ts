import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import {
  AuditEvent,
  type AuditFilter,
  AuditFilters,
  AuditQuery,
  listAuditEvents,
} from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import { PageOf } from '../../../platform/http/pagination.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf } from '../authenticate.ts'

const tags = ['Organization: audit events']

export function auditEventRoutes(app: App, context: Context): void {
  app.get(
    '/audit-events',
    {
      schema: {
        summary: 'List what happened in this organization, newest first',
        tags,
        querystring: Type.Object(AuditQuery),
        response: { 200: PageOf(AuditEvent) },
      },
    },
    async (request) => {
      const { customer_id } = callerOf(request)
      const { type, ...page } = request.query
      return listAuditEvents(context.sql, { customer_id, ...(type === undefined ? {} : { type }) }, page)
    },
  )

  auditExportRoutes(app, {
    tags,
    querystring: Type.Object(AuditFilters),
    read: (request, page) => {
      const { type } = request.query as Pick<AuditFilter, 'type'>
      const { customer_id } = callerOf(request)
      return listAuditEvents(context.sql, { customer_id, ...(type === undefined ? {} : { type }) }, page)
    },
  })
}
