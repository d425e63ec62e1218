import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { csvHeader, csvLine, csvText } from '../platform/csv.ts'
import type { Pool } from '../platform/database/sql.ts'
import { type ReadParts, sendExport } from '../platform/gated-reads.ts'
import type { App } from '../platform/http/app.ts'
import type { Page, PageRequest } from '../platform/http/pagination.ts'
import type { Reader } from '../platform/read-gate.ts'
import type { RecordedEvent } from './audit.ts'

/** An event as an API returns it: some add the actor's name, some omit the owner. */
export type AuditEventResponse = Omit<RecordedEvent, 'actor'> & { actor: { kind: string; id?: string; name?: string } }

/** Rows per statement: neither memory nor a connection is held while a slow caller reads. */
const eventsPerStatement = 500

interface Export<Whole> {
  tags: string[]
  /** The filters, without `limit` and `after`. */
  querystring: TObject
  readerOf(request: FastifyRequest): Reader
  read(context: Whole, request: FastifyRequest, page: PageRequest): Promise<Page<AuditEventResponse>>
  /** Records the export and returns its Content-Disposition. */
  begin(request: FastifyRequest, extension: Format): Promise<string>
}

type Format = keyof typeof formats

/** The caller's whole audit log, newest first, as JSON lines and as CSV. */
export function auditExportRoutes<Whole extends ReadParts & { sql: Pool }>(
  app: App,
  context: Whole,
  { tags, querystring, readerOf, read, begin }: Export<Whole>,
): void {
  for (const format of Object.keys(formats) as Format[]) {
    const { type, name, write } = formats[format]
    app.get(
      `/audit-events.${format}`,
      {
        config: { reads: 'growing', permission: 'audit: read' },
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
        return sendExport(context, {
          reader: readerOf(request),
          reply: reply.type(`${type}; charset=utf-8`) as FastifyReply,
          async open(gated) {
            const readPage = (after?: string) =>
              read(gated, request, { limit: eventsPerStatement, ...(after ? { after } : {}) })
            return lines(await readPage(), readPage, write)
          },
          begin: () => begin(request, format),
        })
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
      const header = csvHeader(['id', 'at', 'type', 'actor_kind', 'actor_id', 'actor_name', ...ids, 'details'])
      return (isFirst ? header : '') + events.map((event) => csvLine(fieldsOf(event).map(csvText))).join('')
    },
  },
}

function fieldsOf(event: AuditEventResponse): string[] {
  const { kind, id = '', name = '' } = event.actor
  const about = ids.map((key) => event[key] ?? '')
  return [event.id, event.at.toISOString(), event.type, kind, id, name, ...about, JSON.stringify(event.details)]
}
