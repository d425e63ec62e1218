import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { AuditEvent, type AuditFilter, AuditFilters, AuditQuery } from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import { PageOf } from '../../../platform/http/pagination.ts'
import type { App } from '../../../platform/http/server.ts'
import { listPartnerEvents } from '../audit.ts'
import { callerOf } from '../authenticate.ts'

const tags = ['Partner: audit events']

export function auditEventRoutes(app: App, context: Context): void {
  app.get(
    '/audit-events',
    {
      schema: {
        summary: "List what happened to this partner's things, newest first",
        description: 'What customers did is told as far as it touches the partner, and never who did it.',
        tags,
        querystring: Type.Object(AuditQuery),
        response: { 200: PageOf(AuditEvent) },
      },
    },
    async (request) => {
      const { type, ...page } = request.query
      return listPartnerEvents(context, callerOf(request).partner_id, type, page)
    },
  )

  auditExportRoutes(app, {
    tags,
    querystring: Type.Object(AuditFilters),
    read: (request, page) => {
      const { type } = request.query as Pick<AuditFilter, 'type'>
      return listPartnerEvents(context, callerOf(request).partner_id, type, page)
    },
  })
}
