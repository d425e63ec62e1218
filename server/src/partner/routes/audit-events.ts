import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { PageOf } from '../../platform/http/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { AuditEvent, AuditQuery } from '../../platform/records/audit-events.ts'
import { accessOf } from '../access.ts'
import { listPartnerEvents } from '../audit.ts'

export function auditEventRoutes(app: App, context: Context): void {
  app.get(
    '/audit-events',
    {
      schema: {
        summary: "List what happened to this partner's things, newest first",
        description: 'What customers did is told as far as it touches the partner, and never who did it.',
        tags: ['Partner: audit events'],
        querystring: Type.Object(AuditQuery),
        response: { 200: PageOf(AuditEvent) },
      },
    },
    async (request) => {
      const { type, ...page } = request.query
      return listPartnerEvents(context, accessOf(request).partner_id, type, page)
    },
  )
}
