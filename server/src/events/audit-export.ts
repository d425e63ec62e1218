import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { csvLine, csvText } from '../platform/csv.ts'
import type { Page, PageRequest } from '../platform/http/pagination.ts'
import type { App } from '../platform/http/server.ts'
import type { RecordedEvent } from './audit.ts'

/** An event as an API returns it: some add the actor's name, some omit the owner. */
export type AuditEventResponse = Omit<RecordedEvent, 'actor'> & { actor: { kind: string; id?: string; name?: string } }

/** Rows per statement: neither memory nor a connection is held while a slow caller reads. */
const eventsPerStatement = 500

interface Export {
  tags: string[]
  /** The filters, without `limit` and `after`. */
  querystring: TObject
  read(request: FastifyRequest, page: PageRequest): Promise<Page<AuditEventResponse>>
}

/** The caller's whole audit log, newest first, as JSON lines and as CSV. */
export function auditExportRoutes(app: App, { tags, querystring, read }: Export): void {
  for (const [format, { type, name, write }] of Object.entries(formats)) {
    app.get(
      `/audit-events.${format}`,
      {
        schema: {
          summary: `Export audit events as ${name}, newest first`,
          description: 'All that match, in one response that is written as it is read.',
          tags,
          querystring,
          response: {
            200: {
              description: `${name}: one event per line.`,
              content: { [type]: { schema: Type.Unsafe<Readable>({ type: 'string' }) } },
            },
          },
        },
      },
      async (request, reply) => {
        const readPage = (after?: string) => read(request, { limit: eventsPerStatement, ...(after ? { after } : {}) })
        // Read before the response begins, so that a bad request still gets a proper refusal.
        const first = await readPage()
        reply.header('content-disposition', `attachment; filename="audit-events.${format}"`)
        return reply.type(`${type}; charset=utf-8`).send(Readable.from(lines(first, readPage, write)))
      },
    )
  }
}

async function* lines(
  first: Page<AuditEventResponse>,
  readPage: (after: string) => Promise<Page<AuditEventResponse>>,
  write: (events: AuditEventResponse[], isFirst: boolean) => string,
) {
  yield write(first.items, true)
  for (let { next } = first; next !== null; ) {
    const page = await readPage(next)
    yield write(page.items, false)
    next = page.next
  }
}

const ids = ['partner_id', 'application_id', 'customer_id', 'device_id'] as const

const formats = {
  jsonl: {
    type: 'application/jsonl',
    name: 'JSON lines',
    write: (events: AuditEventResponse[]) => events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  },
  csv: {
    type: 'text/csv',
    name: 'CSV',
    write: (events: AuditEventResponse[], isFirst: boolean) => {
      const header = csvLine(['id', 'at', 'type', 'actor_kind', 'actor_id', 'actor_name', ...ids, 'details'])
      return (isFirst ? header : '') + events.map((event) => csvLine(fieldsOf(event).map(csvText))).join('')
    },
  },
}

function fieldsOf(event: AuditEventResponse): string[] {
  const { kind, id = '', name = '' } = event.actor
  const about = ids.map((key) => event[key] ?? '')
  return [event.id, event.at.toISOString(), event.type, kind, id, name, ...about, JSON.stringify(event.details)]
}
