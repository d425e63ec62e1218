import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { openReplaceWindow, removeDevice } from '../../devices/devices.ts'
import { readHistory, readSeries } from '../../devices/history.ts'
import {
  HistoryItem,
  HistoryQuery,
  readRange,
  Series,
  SeriesQuery,
  State,
  Status,
} from '../../devices/history-schemas.ts'
import { PageOf, PageQuery } from '../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Instant, Nullable } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { describeStaticCertificate } from '../../platform/tls/static-certificate.ts'
import { accessOf } from '../access.ts'
import { getFleetDevice, listFleet } from '../fleet.ts'

const tags = ['Partner: devices']

const Device = Type.Object({
  id: Id,
  model_id: Id,
  mac: Type.String(),
  sn: Type.String(),
  firmware_version: Type.String(),
  registered_at: Instant,
  claimed: Type.Boolean(),
  claimed_at: Nullable(Instant),
  status: Status,
  status_at: Instant,
  last_seen_at: Nullable(Instant),
  replace_until: Nullable(Instant),
})
const DeviceWithState = Type.Object({ ...Device.properties, state: State })

const FleetQuery = Type.Object({
  ...PageQuery,
  model_id: Type.Optional(Id),
  status: Type.Optional(Status),
  claimed: Type.Optional(Type.Boolean()),
  search: Type.Optional(Type.String({ maxLength: 128, description: 'The beginning of a MAC or a serial number.' })),
})

export function deviceRoutes(app: App, context: Context): void {
  app.get(
    '/devices',
    {
      schema: {
        summary: 'List the fleet',
        description: 'A filtered search may answer a short page with a `next`: go on from there.',
        tags,
        querystring: FleetQuery,
        response: { 200: PageOf(Device) },
      },
    },
    async (request) => listFleet(context, accessOf(request).partner_id, request.query),
  )

  app.get(
    '/devices/:id',
    { schema: { summary: 'Get a device with its state', tags, params: IdPath, response: { 200: DeviceWithState } } },
    async (request) => getFleetDevice(context, accessOf(request).partner_id, request.params.id),
  )

  app.delete(
    '/devices/:id',
    {
      schema: {
        summary: 'Remove a device',
        description: 'Its credentials die at once; its history is kept until retention.',
        tags,
        params: IdPath,
        response: { 204: Empty },
      },
    },
    async (request, reply) => {
      const { actor, partner_id } = accessOf(request)
      await removeDevice(context, actor, { partner_id }, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/devices/:id/replace',
    {
      schema: {
        summary: 'Open a replace window',
        description:
          'For an hour the same MAC and serial number may register again; the device keeps its id and history.',
        tags,
        params: IdPath,
        response: { 201: Type.Object({ replace_until: Instant }) },
      },
    },
    async (request, reply) => {
      const { actor, partner_id } = accessOf(request)
      return reply.code(201).send(await openReplaceWindow(context, actor, { partner_id }, request.params.id))
    },
  )

  app.get(
    '/devices/:id/history',
    {
      schema: {
        summary: "Read a device's messages",
        tags,
        params: IdPath,
        querystring: HistoryQuery,
        response: { 200: PageOf(HistoryItem) },
      },
    },
    async (request) => {
      const { partner_id } = accessOf(request)
      const { limit, after, order } = request.query
      const query = { ...readRange(request.query), limit, after, newest_first: order === 'newest_first' }
      return readHistory(context, { partner_id }, request.params.id, query)
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
        response: { 200: Series },
      },
    },
    async (request) => {
      const { partner_id } = accessOf(request)
      const { keys = [], ...range } = readRange(request.query)
      return readSeries(context, { partner_id }, request.params.id, { ...range, keys, buckets: request.query.buckets })
    },
  )

  app.get(
    '/static-certificate',
    {
      schema: {
        summary: 'What devices pin at hub_url_static_cert',
        tags,
        response: {
          200: Type.Object({
            url: Type.String(),
            certificate: Type.String({ description: 'PEM.' }),
            sha256_fingerprint: Type.String({ description: '`AB:CD:…`' }),
          }),
        },
      },
    },
    async () => ({ url: context.addresses.staticCertUrl, ...(await describeStaticCertificate(context)) }),
  )
}
