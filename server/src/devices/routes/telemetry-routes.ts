import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { unsupportedBody } from '../../platform/http/document-refusals.ts'
import { toRefusal } from '../../platform/http/refusals.ts'
import { refusals } from '../../platform/http/schemas.ts'
import { messageLimits } from '../../platform/own-limits.ts'
import { type HubAddress, redirectDevice } from '../cells/redirect.ts'
import type { Context } from '../context.ts'
import { ingest, keyDigest, type Outcome, retryAfterSeconds, type Unavailable } from '../telemetry/ingest.ts'
import type { Accepted, Moved } from '../telemetry/outcome.ts'
import { recordRefusedMessage } from '../telemetry/recorded-refusals.ts'
import { DeviceMoved, Telemetry, waitingForDevice } from '../telemetry/telemetry-schemas.ts'

/** Contract 4.8. */
export function telemetryRoute(app: App, context: Context, address: HubAddress): void {
  app.post(
    '/v1/devices/:id/telemetry',
    {
      bodyLimit: messageLimits.bytes,
      schema: {
        summary: 'Send telemetry of one device',
        description:
          'Send on change and every 30 to 60 seconds. 200 means that the message is stored. Data points that are absent keep their latest value, null removes one, and `override` replaces all.',
        tags: ['devices'],
        params: Type.Object({ id: Type.String() }),
        body: Telemetry,
        response: {
          200: Type.Object(
            { success: Type.Literal(true), ...waitingForDevice },
            { title: 'TelemetryAccepted', description: 'The message is stored.' },
          ),
          421: DeviceMoved,
          ...refusals({
            400: ['malformed_json'],
            401: ['invalid_access_key'],
            404: ['not_found'],
            410: ['device_removed'],
            413: ['too_large'],
            415: unsupportedBody,
            422: ['invalid'],
            503: ['overloaded', 'storage_full', 'unknown_outcome'],
          }),
        },
      },
      // The schema is documentation: `readTelemetry` is faster, and names the key that is wrong.
      validatorCompiler: () => () => true,
      // A body that could not be read.
      onError: async (request, _reply, error) => {
        const { status, code, message } = toRefusal(error, request.method)
        const refused = { request_id: request.id, endpoint: 'telemetry', device_id: request.params.id } as const
        recordRefusedMessage(context, { ...refused, status, code, error: message })
      },
    },
    async (request, reply) => {
      const { authorization = '' } = request.headers
      const { id } = request.params
      const credential = { device_id: id, key_digest: keyDigest(authorization) }
      const moved = context.cells.probablyElsewhere(id) && (await redirectDevice(context, credential, address))
      const outcome = moved ?? (await ingest(context, { ...credential, body: request.body }))
      context.messageCounters.count('http', outcome)
      if (outcome.status !== 200) {
        recordRefusedMessage(context, { ...outcome, request_id: request.id, endpoint: 'telemetry', device_id: id })
      }
      return respond(reply as FastifyReply, outcome)
    },
  )
}

function respond(reply: FastifyReply, outcome: Outcome | Moved): FastifyReply {
  if (outcome.status === 200) {
    return reply.type('application/json; charset=utf-8').send(`{"success":true${waitingText(outcome)}}`)
  }
  if (outcome.status === 503) return unavailable(reply, outcome)
  const { status, ...body } = outcome
  return reply.code(status).send(body)
}

/** Nothing for nearly all. */
export function waitingText({ command, config_version }: Accepted): string {
  const flag = command ? ',"command":true' : ''
  return config_version === undefined ? flag : `${flag},"config_version":${config_version}`
}

export function unavailable(reply: FastifyReply, { status, ...body }: Unavailable): FastifyReply {
  return reply.code(status).header('retry-after', retryAfterSeconds).send(body)
}
