import { Type } from 'typebox'
import type { Context } from '../../../context.ts'
import { Refused } from '../../../platform/http/schemas.ts'
import type { App } from '../../../platform/http/server.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { requireOperator } from '../authenticate.ts'

export function metricsRoute(app: App, context: Context): void {
  const { registry } = context.metrics
  app.get(
    '/metrics',
    tagged('operator')({
      summary: 'Get metrics in the Prometheus text format',
      description:
        'Send `Authorization: <operator key>`, or `Authorization: Bearer <operator key>` as Prometheus does.',
      response: {
        200: { description: 'The text format.', content: { 'text/plain': { schema: Type.String() } } },
        401: Refused([]),
      },
    }),
    async (request, reply) => {
      requireOperator(context, request.headers.authorization?.replace(/^Bearer /, ''))
      return reply.type(registry.contentType).send(await registry.metrics())
    },
  )
}
