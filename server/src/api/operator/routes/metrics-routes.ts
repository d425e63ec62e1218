import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { acceptedEncodings } from '../../../platform/http/encodings.ts'
import { Refused } from '../../../platform/http/schemas.ts'
import { digest, sameDigest } from '../../../platform/secrets/secrets.ts'
import type { Context } from '../../context.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { requireOperator } from '../authenticate-operator.ts'
import { registerServiceGauges } from '../service-gauges.ts'

const compress = promisify(gzip)

export function metricsRoute(app: App, context: Context): void {
  const { metrics, siblings } = context
  registerServiceGauges(context)
  app.get(
    '/metrics',
    tagged('operator')({
      reads: 'bounded',
      summary: 'Get metrics of all processes of this server in the Prometheus text format',
      description:
        'Send `Authorization: Bearer <key>`, as Prometheus does, or `Authorization: <key>`, with the operator key or the key that opens nothing else (`LANDBRIDGE_METRICS_KEY`).',
      response: {
        200: { description: 'The text format.', content: { 'text/plain': { schema: Type.String() } } },
        401: Refused([]),
      },
    }),
    async (request, reply) => {
      requireMetricsKey(context, request.headers.authorization?.replace(/^Bearer /, ''))
      const others = siblings.configured > 1 ? await siblings.collect(await metrics.report('all')) : []
      const text = await metrics.text(others)
      reply.type(metrics.registry.contentType).header('vary', 'accept-encoding')
      if (!acceptedEncodings(request.headers['accept-encoding']).has('gzip')) return reply.send(text)
      // 90 kB of repeated names become 7; Prometheus asks for it, and so does the operator console's overview.
      return reply.header('content-encoding', 'gzip').send((await compress(text, { level: 1 })) as unknown as string)
    },
  )
}

/** Digests are compared, for the reason given in `authenticate-operator.ts`. */
function requireMetricsKey(context: Context, key: string | undefined): void {
  const { metricsKey } = context.config
  if (key && metricsKey && sameDigest(digest(key), digest(metricsKey))) return
  requireOperator(context, key)
}
