import { Type } from 'typebox'
import { openReplaceWindow, removeDevice } from '../../devices/registry/devices.ts'
import type { App } from '../../platform/http/app.ts'
import { Empty, IdPath, Instant } from '../../platform/http/schemas.ts'
import { listLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import type { Callers } from './caller.ts'
import { tagged } from './route-schemas.ts'

export const DeviceTotal = Type.Object(
  {
    total: Type.Integer({ maximum: listLimits.sortedDevices, description: 'How many match, or at least match.' }),
    more: Type.Boolean({ description: '`true`: counting stopped, there are at least as many.' }),
  },
  { title: 'DeviceTotal', description: 'How many devices match.' },
)

/** `-` before a field: the other way round. */
export function sortBy<const Fields extends readonly string[]>(fields: Fields, otherwise: string) {
  const values = fields.flatMap((field) => [field, `-${field}`]) as (Fields[number] | `-${Fields[number]}`)[]
  return Type.Enum(values, {
    description: `The order; with \`-\`, the other way round. \`status\` begins with what needs attention. ${otherwise}`,
  })
}

/** What a customer and a partner may both do to a device; each has its own way to list and read devices. */
export function sharedDeviceRoutes(app: App, context: Context, callers: Callers): void {
  const route = tagged(`${callers.api}: devices`)

  app.delete(
    '/devices/:id',
    route({
      permission: 'devices: manage',
      summary: 'Remove a device',
      description: 'Its credentials stop working at once. Its history is kept until retention ends.',
      params: IdPath,
      response: { 204: Empty },
    }),
    async (request, reply) => {
      await removeDevice(context, callers.actorOf(request), callers.devicesOf(request), request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/devices/:id/replace',
    route({
      permission: 'devices: manage',
      creates: { unlimited: 'changes a device that exists' },
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
        .send(await openReplaceWindow(context, callers.actorOf(request), callers.devicesOf(request), request.params.id))
    },
  )
}
