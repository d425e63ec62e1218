import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { reachedDevices } from '../../../devices/registry/device-names.ts'
import type { CustomerOwner } from '../../../devices/registry/devices.ts'
import { reachedSpaces } from '../../../directory/organization/spaces.ts'
import {
  ActorFilter,
  AuditFilters,
  auditFilterOf,
  CustomerAuditEvent,
  listAuditEvents,
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
import { callerOf, ownerOf } from '../authenticate-organization.ts'

const tag = 'Organization: audit events'
const route = tagged(tag)
const Filters = { ...AuditFilters, ...ActorFilter }

export function auditEventRoutes(app: App, context: Context): void {
  const readerOf = (request: FastifyRequest) => readerFor(ownerOf(request), request)
  const read = async (context: Context, request: FastifyRequest, range: PageRequest) => {
    const owner = ownerOf(request)
    const filter = { ...auditFilterOf(request.query, Filters), customer_id: owner.customer_id }
    const page = await listAuditEvents(context.sql, filter, range)
    return owner.within ? { ...page, items: await reachedEvents(context, owner, page.items) } : page
  }

  app.get(
    '/audit-events',
    route({
      permission: 'audit: read',
      reads: 'growing',
      summary: 'List the audit events of this organization, newest first',
      description:
        'Who did what, and when. No API can change them. Whoever sees some spaces only gets the events of what is there now; ' +
        'a page may then be short and still have a `next`.',
      ...pagedWithNames(CustomerAuditEvent, Filters),
    }),
    async (request) => {
      const owner = ownerOf(request)
      const gated = reading(context, owner, request)
      const page = await read(gated, request, request.query)
      return { ...page, names: await namesIn(gated, owner, page.items) }
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

/** About a device or a space that the reader reaches: where it was at the time of the event does not count. */
async function reachedEvents(
  context: Context,
  owner: CustomerOwner,
  events: RecordedEvent[],
): Promise<RecordedEvent[]> {
  const spaceOf = ({ type, details }: RecordedEvent) => (type.startsWith('space.') ? String(details.space_id) : null)
  const [devices, spaces] = await Promise.all([
    reachedDevices(
      context,
      owner,
      events.flatMap(({ device_id }) => device_id ?? []),
    ),
    reachedSpaces(
      context,
      owner,
      events.flatMap((event) => spaceOf(event) ?? []),
    ),
  ])
  return events.filter((event) => devices.has(event.device_id ?? '') || spaces.has(spaceOf(event) ?? ''))
}
