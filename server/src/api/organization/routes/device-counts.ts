import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { countDevicesByStatus, mostCounted } from '../../../devices/registry/device-counts.ts'
import type { App } from '../../../platform/http/server.ts'
import { accessOf } from '../authenticate.ts'

const Count = Type.Integer({ maximum: mostCounted, description: `Counted up to ${mostCounted}.` })

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
    async (request) => countDevicesByStatus(context, accessOf(request).customer_id),
  )
}
