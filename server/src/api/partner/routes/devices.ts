import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { DeviceFacts, State, Status } from '../../../devices/registry/responses.ts'
import { PageOf, PageQuery } from '../../../platform/http/pagination.ts'
import { Id, IdPath } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { describeStaticCertificate } from '../../../platform/tls/static-certificate.ts'
import { callerOf } from '../authenticate.ts'
import { getFleetDevice, listFleet } from '../fleet.ts'

const tags = ['Partner: devices']

const Device = Type.Object({ ...DeviceFacts, claimed: Type.Boolean() })
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
    async (request) => listFleet(context, callerOf(request).partner_id, request.query),
  )

  app.get(
    '/devices/:id',
    { schema: { summary: 'Get a device with its state', tags, params: IdPath, response: { 200: DeviceWithState } } },
    async (request) => getFleetDevice(context, callerOf(request).partner_id, request.params.id),
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
