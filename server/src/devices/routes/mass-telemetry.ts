import type { FastifyReply } from 'fastify'
import type { Context } from '../../context.ts'
import { unsupportedBody } from '../../platform/http/document-refusals.ts'
import { refusals } from '../../platform/http/schemas.ts'
import type { App } from '../../platform/http/server.ts'
import { ingestMany, type MassResult, massLimits } from '../mass-telemetry.ts'
import { noteRefusedMessage } from '../refusal-notes.ts'
import { MassTelemetry, MassTelemetryResults } from '../schemas.ts'
import { overloaded } from './overloaded.ts'

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
            415: unsupportedBody,
            422: ['invalid'],
            503: ['overloaded'],
          }),
        },
      },
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const results = await ingestMany(context, request.body)
      if (results === null) return overloaded(reply as FastifyReply)
      for (const { id, ...outcome } of results) {
        if (outcome.status === 200) continue
        noteRefusedMessage(context, { ...outcome, request_id: request.id, endpoint: 'mass_telemetry', device_id: id })
      }
      return (reply as FastifyReply).type(json).send(`{"results":[${results.map(resultText).join()}]}`)
    },
  )
}

const json = 'application/json; charset=utf-8'

/** A thousand of these an answer, nearly all of them alike: written by hand. An id that was found is a UUID. */
function resultText(result: MassResult): string {
  return result.status === 200 ? `{"id":"${result.id}","status":200}` : JSON.stringify(result)
}
