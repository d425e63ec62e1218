import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { PageOf } from '../../platform/http/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { AuditEvent, AuditQuery, listAuditEvents } from '../../platform/records/audit-events.ts'
import { accessOf } from '../access.ts'

export function auditEventRoutes(app: App, context: Context): void {
  app.get(
    '/audit-events',
    {
      schema: {
        summary: 'List what happened in this organization, newest first',
        tags: ['Organization: audit events'],
        querystring: Type.Object(AuditQuery),
        response: { 200: PageOf(AuditEvent) },
      },
    },
    async (request) => {
      const { customer_id } = accessOf(request)
      const { type, ...page } = request.query
      return listAuditEvents(context.sql, { customer_id, ...(type === undefined ? {} : { type }) }, page)
    },
  )
}
