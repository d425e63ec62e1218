import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { openReplaceWindow, removeDevice } from '../../devices/registry/devices.ts'
import { Empty, IdPath, Instant } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import type { Callers } from './caller.ts'

/** What a customer and a partner may both do to a device. How each sees and finds its devices is its own. */
export function ownedDeviceRoutes(app: App, context: Context, callers: Callers): void {
  const tags = [`${callers.api}: devices`]

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
      await removeDevice(context, callers.actorOf(request), callers.ownerOf(request), request.params.id)
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
      return reply
        .code(201)
        .send(await openReplaceWindow(context, callers.actorOf(request), callers.ownerOf(request), request.params.id))
    },
  )
}
