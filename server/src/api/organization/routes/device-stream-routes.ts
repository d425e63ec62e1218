import type { PassThrough } from 'node:stream'
import { Type } from 'typebox'
import { getDevice } from '../../../devices/registry/devices.ts'
import type { App } from '../../../platform/http/app.ts'
import { Id, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { ownerOf, streamCredential } from '../authenticate-organization.ts'
import { endStreams, openDeviceStream } from '../device-stream.ts'

export function deviceStreamRoute(app: App, context: Context): void {
  app.addHook('preClose', async () => endStreams(context))

  app.get(
    '/devices/stream',
    tagged('Organization: devices')({
      permission: 'devices: read',
      reads: 'growing',
      summary: 'Stream state and status of devices',
      description:
        'Server-sent events: `state` {device_id, status, last_seen_at, state} whenever a device sends a message, `status` ' +
        '{device_id, status, status_at, reason} whenever its status changes, `removed` {device_id} when it is no longer yours. Resume ' +
        'with `Last-Event-ID`; an event may come twice. The stream ends when its credential does.',
      querystring: Type.Object({
        device_id: Type.Optional(Id),
        customer_id: Type.Optional(
          Type.String({ description: 'The customer a session acts for: EventSource cannot send Landbridge-Customer.' }),
        ),
      }),
      headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: 64 })) }),
      response: {
        200: {
          description: 'Events, until the caller disconnects.',
          content: { 'text/event-stream': { schema: Type.Unsafe<PassThrough>({ type: 'string' }) } },
        },
        ...refusals({ 404: ['not_found'], 429: ['too_many_streams'] }),
      },
    }),
    async (request, reply) => {
      const owner = ownerOf(request)
      const { device_id = null } = request.query
      if (device_id !== null) await getDevice(context, owner, device_id)
      const stream = await openDeviceStream(context, {
        owner,
        device_id,
        last_event_id: request.headers['last-event-id'],
        credential: streamCredential(context, request),
      })
      // nginx would otherwise buffer the stream.
      return reply
        .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
        .type('text/event-stream')
        .send(stream)
    },
  )
}
