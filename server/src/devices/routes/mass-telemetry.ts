import type { Context } from '../../context.ts'
import type { App } from '../../platform/http.ts'
import { refusals } from '../../platform/schemas.ts'
import { retryAfterSeconds } from '../ingest.ts'
import { ingestMany, massLimits } from '../mass-telemetry.ts'
import { noteRefusedMessage } from '../refusal-notes.ts'
import { MassTelemetry, MassTelemetryResults } from '../schemas.ts'

/** "Send Mass Telemetry" of spec 4.8, in the shape of design section 7. */
export function massTelemetryRoute(app: App, context: Context): void {
  app.post(
    '/v1/devices/telemetry',
    {
      bodyLimit: massLimits.bytes,
      schema: {
        summary: 'Send telemetry of many devices',
        tags: ['devices'],
        body: MassTelemetry,
        response: {
          200: MassTelemetryResults,
          ...refusals({
            400: ['malformed_json'],
            413: ['too_large'],
            415: ['unsupported_media_type'],
            422: ['invalid'],
            503: ['overloaded'],
          }),
        },
      },
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const results = await ingestMany(context, request.body)
      for (const { id, ...outcome } of results ?? []) {
        if (outcome.status === 200) continue
        noteRefusedMessage(context, { ...outcome, request_id: request.id, endpoint: 'mass_telemetry', device_id: id })
      }
      if (results) return { results }
      return reply.code(503).header('retry-after', retryAfterSeconds).send(busy)
    },
  )
}

const busy = { error: 'Too busy to store the messages. Send them again later.', code: 'overloaded' }
