import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { HistoryItem, HistoryQuery, readRange, Series, SeriesQuery } from '../../devices/registry/responses.ts'
import { readHistory, readSeries } from '../../devices/telemetry/history.ts'
import { writeHistoryCsv } from '../../devices/telemetry/history-csv.ts'
import { PageOf } from '../../platform/http/pagination.ts'
import { IdPath, refusals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import type { Callers } from './caller.ts'

const { from, to, keys } = HistoryQuery.properties

const slowReadRefusals = refusals({ 422: ['read_too_large'], 429: ['too_many_reads'] })

export function deviceHistoryRoutes(app: App, context: Context, callers: Callers): void {
  const tags = [`${callers.api}: devices`]

  app.get(
    '/devices/:id/history',
    {
      schema: {
        summary: "Read a device's messages",
        description: 'For a customer from its claim on. A removed device’s messages can be read until retention.',
        tags,
        params: IdPath,
        querystring: HistoryQuery,
        response: { 200: PageOf(HistoryItem), ...slowReadRefusals },
      },
    },
    async (request) => {
      const { limit, after, order } = request.query
      const query = { ...readRange(request.query), limit, after, newest_first: order === 'newest_first' }
      return readHistory(context, callers.ownerOf(request), request.params.id, query, request.signal)
    },
  )

  app.get(
    '/devices/:id/history.csv',
    {
      schema: {
        summary: "Read a device's messages as CSV",
        description:
          'The whole range, oldest first; one column a data point: those named, or all of the device’s state.',
        tags,
        params: IdPath,
        querystring: Type.Object({ from, to, keys }),
        // Not `produces`: that would have the refusals be CSV as well.
        response: {
          200: { description: 'CSV.', content: { 'text/csv': { schema: Type.Unsafe<Readable>({ type: 'string' }) } } },
          ...slowReadRefusals,
        },
      },
    },
    async (request, reply) => {
      const { params, query, signal } = request
      const lines = await writeHistoryCsv(context, callers.ownerOf(request), params.id, readRange(query), signal)
      reply.header('content-disposition', `attachment; filename="${request.params.id}.csv"`)
      return reply.type('text/csv; charset=utf-8').send(Readable.from(lines))
    },
  )

  app.get(
    '/devices/:id/series',
    {
      schema: {
        summary: "Read a device's numbers, drawn small enough for a chart",
        tags,
        params: IdPath,
        querystring: SeriesQuery,
        response: { 200: Series, ...slowReadRefusals },
      },
    },
    async (request) => {
      const { keys = [], ...range } = readRange(request.query)
      const query = { ...range, keys, buckets: request.query.buckets }
      return readSeries(context, callers.ownerOf(request), request.params.id, query, request.signal)
    },
  )
}
