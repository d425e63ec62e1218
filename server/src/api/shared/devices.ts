import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { openReplaceWindow, removeDevice } from '../../devices/registry/devices.ts'
import { Empty, IdPath, Instant } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import type { Callers } from './caller.ts'
import { tagged } from './route-schemas.ts'

/** What a customer and a partner may both do to a device; each has its own way to list and read devices. */
export function sharedDeviceRoutes(app: App, context: Context, callers: Callers): void {
  const route = tagged(`${callers.api}: devices`)

  app.delete(
    '/devices/:id',
    route({
      summary: 'Remove a device',
      description: 'Its credentials stop working at once. Its history is kept until retention ends.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      await removeDevice(context, callers.actorOf(request), callers.ownerOf(request), request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/devices/:id/replace',
    route({
      summary: 'Open a replace window',
      description:
        'For an hour, the same MAC and serial number may register again. The device keeps its id and history.',
      params: IdPath,
      response: {
        201: Type.Object(
          { replace_until: Instant },
          { title: 'ReplaceWindow', description: 'How long the device may register again.' },
        ),
      },
    }),
    async (request, reply) => {
      return reply
        .code(201)
        .send(await openReplaceWindow(context, callers.actorOf(request), callers.ownerOf(request), request.params.id))
    },
  )
}
