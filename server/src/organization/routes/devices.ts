import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { claimDevice } from '../../devices/claim.ts'
import { listDevices } from '../../devices/device-lists.ts'
import { changeable, changeDevice, getDevice, openReplaceWindow, removeDevice } from '../../devices/devices.ts'
import { State, Status } from '../../devices/history-schemas.ts'
import { Mac, SerialNumber } from '../../devices/schemas.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { etagOf, IfMatch } from '../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../platform/http/pagination.ts'
import { Empty, Id, IdPath, Instant, Name, Nullable, refusals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { accessOf } from '../access.ts'

const tags = ['Organization: devices']

const Device = Type.Object({
  id: Id,
  model_id: Id,
  name: Nullable(Type.String()),
  space_id: Nullable(Id),
  mac: Type.String(),
  sn: Type.String(),
  firmware_version: Type.String(),
  status: Status,
  status_at: Instant,
  last_seen_at: Nullable(Instant),
  registered_at: Instant,
  claimed_at: Nullable(Instant),
  replace_until: Nullable(Instant),
})
const DeviceWithState = Type.Object({ ...Device.properties, state: State })

const DeviceQuery = Type.Object({
  ...PageQuery,
  space_id: Type.Optional(Id),
  model_id: Type.Optional(Id),
  status: Type.Optional(Status),
  search: Type.Optional(
    Type.String({ maxLength: 128, description: 'The beginning of a name, a MAC or a serial number.' }),
  ),
})

const Claim = Type.Object(
  {
    mac: Mac,
    sn: SerialNumber,
    model_id: Type.String({ maxLength: 64 }),
    name: Type.Optional(Nullable(Name)),
    space_id: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
  },
  { additionalProperties: false },
)

const DeviceChange = Type.Object(
  { name: Type.Optional(Nullable(Name)), space_id: Type.Optional(Nullable(Id)) },
  { additionalProperties: false, minProperties: 1 },
)

export function deviceRoutes(app: App, context: Context): void {
  app.get(
    '/devices',
    {
      schema: {
        summary: 'List the devices of this organization',
        description: 'A filtered search may answer a short page with a `next`: go on from there.',
        tags,
        querystring: DeviceQuery,
        response: { 200: PageOf(Device) },
      },
    },
    async (request) => {
      const { space_id, ...query } = request.query
      const { customer_id } = accessOf(request)
      return listDevices(context, { customer_id }, { ...query, ...(space_id ? { space_ids: [space_id] } : {}) })
    },
  )

  app.post(
    '/devices/claim',
    {
      schema: {
        summary: 'Claim a device by its MAC, serial number and model',
        description: 'Every failure is the same `claim_failed`: unknown, claimed already, removed, no such space.',
        tags,
        body: Claim,
        response: { 201: Device, ...refusals({ 422: ['claim_failed'], 429: ['too_many_attempts'] }) },
      },
    },
    async (request, reply) => {
      const { actor, customer_id } = accessOf(request)
      const device = await claimDevice(context, actor, customer_id, limitAddress(request.ip), request.body)
      return reply.code(201).send(device)
    },
  )

  app.get(
    '/devices/:id',
    { schema: { summary: 'Get a device with its state', tags, params: IdPath, response: { 200: DeviceWithState } } },
    async (request, reply) => {
      const { customer_id } = accessOf(request)
      const device = await getDevice(context, { customer_id }, request.params.id)
      reply.header('etag', etagOf(changeable(device)))
      return device
    },
  )

  app.patch(
    '/devices/:id',
    {
      schema: {
        summary: 'Rename a device, or move it to another space',
        tags,
        params: IdPath,
        headers: IfMatch,
        body: DeviceChange,
        response: { 200: Device, ...refusals({ 412: ['changed_meanwhile'] }) },
      },
    },
    async (request, reply) => {
      const { actor, customer_id } = accessOf(request)
      const ifMatch = request.headers['if-match']
      const device = await changeDevice(context, actor, customer_id, request.params.id, request.body, ifMatch)
      reply.header('etag', etagOf(changeable(device)))
      return device
    },
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
      const { actor, customer_id } = accessOf(request)
      await removeDevice(context, actor, { customer_id }, request.params.id)
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
      const { actor, customer_id } = accessOf(request)
      return reply.code(201).send(await openReplaceWindow(context, actor, { customer_id }, request.params.id))
    },
  )
}
