import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { readStatusHistory, readUptime } from '../../devices/live/status-history.ts'
import { findDeviceNames } from '../../devices/registry/device-names.ts'
import {
  HistoryItem,
  HistoryQuery,
  readRange,
  Series,
  SeriesQuery,
  StatusHistoryQuery,
  StatusPeriod,
  Timelines,
  TimelinesQuery,
  Uptime,
  UptimeQuery,
} from '../../devices/registry/responses.ts'
import { readHistory, readSeries, readTimelines } from '../../devices/telemetry/history.ts'
import { writeHistoryCsv } from '../../devices/telemetry/history-csv.ts'
import { sendExport } from '../../platform/gated-reads.ts'
import type { App } from '../../platform/http/app.ts'
import { PageOf } from '../../platform/http/pagination.ts'
import { IdPath, refusals } from '../../platform/http/schemas.ts'
import type { Context } from '../context.ts'
import type { Callers } from './caller.ts'
import { beginExport, day } from './exports.ts'
import { readerFor, reading } from './reads.ts'
import { paged, tagged } from './route-schemas.ts'

const { from, to, keys } = HistoryQuery.properties

const headers = Type.Optional(
  Type.Enum(['keys', 'labels'], {
    default: 'keys',
    description: '`labels`: columns have the labels and units of the model’s data dictionary, and its order.',
  }),
)

const slowReadRefusals = refusals({ 422: ['read_too_large'], 429: ['too_many_reads'] })

export function deviceHistoryRoutes(app: App, context: Context, callers: Callers): void {
  const route = tagged(`${callers.api}: devices`)

  app.get(
    '/devices/:id/history',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: "Read a device's messages",
      description:
        'A customer sees messages that arrived since its own claim. Messages of a removed device can be read until their retention ends.',
      params: IdPath,
      querystring: HistoryQuery,
      response: { 200: PageOf(HistoryItem), ...slowReadRefusals },
    }),
    async (request) => {
      const gated = reading(context, callers.devicesOf(request), request)
      const { limit, after, order } = request.query
      const query = { ...readRange(request.query), limit, after, newest_first: order === 'newest_first' }
      return readHistory(gated, callers.devicesOf(request), request.params.id, query, request.signal)
    },
  )

  app.get(
    '/devices/:id/history.csv',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: "Read a device's messages as CSV",
      description:
        'The whole range, oldest first, with one column per data point: the ones named, or all in the device’s state.',
      params: IdPath,
      querystring: Type.Object({ from, to, keys, headers }),
      // Not `produces`: errors would then be documented as CSV too.
      response: {
        200: { description: 'CSV.', content: { 'text/csv': { schema: Type.Unsafe<Readable>({ type: 'string' }) } } },
        ...slowReadRefusals,
      },
    }),
    async (request, reply) => {
      const { params, query, signal } = request
      const range = { ...readRange(query), headers: query.headers }
      const owner = callers.devicesOf(request)
      const days = [range.from, range.to ?? context.now()].flatMap((at) => (at ? [day(at)] : []))
      return sendExport(context, {
        reader: readerFor(owner, request),
        reply: reply.type('text/csv; charset=utf-8') as FastifyReply,
        open: (gated) => writeHistoryCsv(gated, owner, params.id, range, signal),
        begin: async () => {
          const [device] = await findDeviceNames(context, owner, [params.id])
          return beginExport(context, {
            ...{ actor: callers.actorOf(request), owner, device_id: params.id },
            ...{ what: 'history', extension: 'csv', details: query, name: [device?.name ?? params.id, ...days] },
          })
        },
      })
    },
  )

  app.get(
    '/devices/:id/series',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: "Read a device's numbers, reduced to fit a chart",
      description:
        'Minimum, maximum and average of each data point in each interval. Booleans count as 0 and 1; texts are left out.',
      params: IdPath,
      querystring: SeriesQuery,
      response: { 200: Series, ...slowReadRefusals },
    }),
    async (request) => {
      const gated = reading(context, callers.devicesOf(request), request)
      const { keys = [], ...range } = readRange(request.query)
      const query = { ...range, keys, intervals: request.query.buckets }
      return readSeries(gated, callers.devicesOf(request), request.params.id, query, request.signal)
    },
  )

  app.get(
    '/devices/:id/timelines',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: "Read a device's values as periods",
      description:
        'For values that are no numbers: the periods in which a data point had one value. Where nothing came for long, there is none.',
      params: IdPath,
      querystring: TimelinesQuery,
      response: { 200: Timelines, ...slowReadRefusals },
    }),
    async (request) => {
      const gated = reading(context, callers.devicesOf(request), request)
      const { keys = [], ...range } = readRange(request.query)
      const query = { ...range, keys, intervals: request.query.buckets }
      return readTimelines(gated, callers.devicesOf(request), request.params.id, query, request.signal)
    },
  )

  app.get(
    '/devices/:id/status-history',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: "Read a device's status history",
      description:
        'Periods of one status, newest first. A customer sees them from its own claim on. They are kept as long as messages.',
      params: IdPath,
      ...paged(StatusPeriod, StatusHistoryQuery),
    }),
    async (request) => {
      const gated = reading(context, callers.devicesOf(request), request)
      const { limit, after } = request.query
      const query = { ...readRange(request.query), limit, after }
      return readStatusHistory(gated, callers.devicesOf(request), request.params.id, query)
    },
  )

  app.get(
    '/devices/:id/uptime',
    route({
      permission: 'devices: read',
      reads: 'growing',
      summary: "Read a device's uptime",
      description: 'How long it had each status in a range, and the share of the time in which it could be reached.',
      params: IdPath,
      querystring: UptimeQuery,
      response: { 200: Uptime, ...slowReadRefusals },
    }),
    async (request) =>
      readUptime(
        reading(context, callers.devicesOf(request), request),
        callers.devicesOf(request),
        request.params.id,
        readRange(request.query),
        request.signal,
      ),
  )
}
