import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { claimDevice } from '../../../devices/registry/claim.ts'
import { changeable, changeDevice, getDevice } from '../../../devices/registry/devices.ts'
import { DeviceFacts, State, Status } from '../../../devices/registry/responses.ts'
import { Mac, SerialNumber } from '../../../devices/telemetry/schemas.ts'
import { limitAddress } from '../../../platform/http/client-address.ts'
import { etagOf, IfMatch } from '../../../platform/http/etag.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Id, IdPath, Name, Nullable, refusals } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf } from '../authenticate.ts'
import { listDevicesOfCustomer } from '../devices.ts'

const tags = ['Organization: devices']

const Device = Type.Object({ ...DeviceFacts, name: Nullable(Type.String()), space_id: Nullable(Id) })
const DeviceWithState = Type.Object({ ...Device.properties, state: State })

const DeviceQuery = Type.Object({
  ...PageQuery,
  space_id: Type.Optional(Type.String({ format: 'uuid', description: 'In this space or anywhere below it.' })),
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
    async (request) => listDevicesOfCustomer(context, callerOf(request).customer_id, request.query),
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
      const { actor, customer_id } = callerOf(request)
      const device = await claimDevice(context, actor, customer_id, limitAddress(request.ip), request.body)
      return reply.code(201).send(device)
    },
  )

  app.get(
    '/devices/:id',
    { schema: { summary: 'Get a device with its state', tags, params: IdPath, response: { 200: DeviceWithState } } },
    async (request, reply) => {
      const { customer_id } = callerOf(request)
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
      const { actor, customer_id } = callerOf(request)
      const ifMatch = request.headers['if-match']
      const device = await changeDevice(context, actor, customer_id, request.params.id, request.body, ifMatch)
      reply.header('etag', etagOf(changeable(device)))
      return device
    },
  )
}
