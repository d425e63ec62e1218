import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { countDevicesByStatus, maxCounted } from '../../../devices/registry/device-lists.ts'
import type { App } from '../../../platform/http/server.ts'
import { callerOf } from '../authenticate.ts'

const Count = Type.Integer({ maximum: maxCounted, description: `Counted up to ${maxCounted}.` })

export function deviceCountRoutes(app: App, context: Context): void {
  app.get(
    '/devices/counts',
    {
      schema: {
        summary: 'How many devices are in each status',
        tags: ['Organization: devices'],
        response: { 200: Type.Object({ never_seen: Count, online: Count, offline: Count, error: Count }) },
      },
    },
    async (request) => countDevicesByStatus(context, callerOf(request).customer_id),
  )
}
