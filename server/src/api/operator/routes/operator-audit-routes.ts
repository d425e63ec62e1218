import { Type } from 'typebox'
import { withActorNames } from '../../../directory/accounts/users.ts'
import {
  ActorFilter,
  AuditEvent,
  type AuditFilter,
  AuditFilters,
  auditFilterOf,
  findAuditEvent,
  listAuditEvents,
} from '../../../events/audit.ts'
import { auditExportRoutes } from '../../../events/audit-export.ts'
import { gated } from '../../../platform/gated-reads.ts'
import type { App } from '../../../platform/http/app.ts'
import type { PageRequest } from '../../../platform/http/pagination.ts'
import { Id, IdPath } from '../../../platform/http/schemas.ts'
import { found } from '../../../platform/refusal.ts'
import type { Context } from '../../context.ts'
import { namesIn, pagedWithNames } from '../../shared/audit-names.ts'
import { beginExport } from '../../shared/exports.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { operator, readerOf } from '../authenticate-operator.ts'

const tag = 'Operator: audit events'
const route = tagged(tag)

const Filters = {
  ...AuditFilters,
  ...ActorFilter,
  partner_id: Type.Optional(Id),
  customer_id: Type.Optional(Id),
}

const NamedEvent = Type.Object(
  {
    ...AuditEvent.properties,
    actor: Type.Object(
      { ...AuditEvent.properties.actor.properties, name: Type.Optional(Type.String()) },
      {
        title: 'NamedActor',
        description: 'Who did it, with the name while the person, application or API key exists.',
      },
    ),
  },
  { title: 'NamedAuditEvent', description: 'An audit event, with the name of who did it.' },
)

export function auditEventRoutes(app: App, context: Context): void {
  const list = async (context: Context, filter: AuditFilter, request: PageRequest) => {
    const page = await listAuditEvents(context.sql, filter, request)
    return { ...page, items: await withActorNames(context, page.items) }
  }

  app.get(
    '/audit-events',
    route({
      reads: 'growing',
      summary: 'List audit events, newest first',
      description: 'Of the whole service, or filtered. No API can change them.',
      ...pagedWithNames(NamedEvent, Filters),
    }),
    async (request) => {
      const reading = gated(context, readerOf(request))
      const page = await list(reading, auditFilterOf(request.query, Filters), request.query)
      return { ...page, names: await namesIn(reading, { operator: true }, page.items) }
    },
  )

  auditExportRoutes(app, context, {
    tags: [tag],
    querystring: Type.Object(Filters),
    readerOf,
    read: (reading, request, page) => list(reading, auditFilterOf(request.query, Filters), page),
    begin: (request, extension) => {
      const details = auditFilterOf(request.query, Filters)
      return beginExport(context, { actor: operator, owner: { operator: true }, what: 'audit log', extension, details })
    },
  })

  app.get(
    '/audit-events/:id',
    route({
      reads: 'bounded',
      summary: 'Get an audit event',
      description: 'One event, with the name of who did it.',
      params: IdPath,
      response: { 200: NamedEvent },
    }),
    async (request) => {
      const event = found(await findAuditEvent(context.sql, request.params.id), 'audit event')
      return (await withActorNames(context, [event]))[0]!
    },
  )
}
