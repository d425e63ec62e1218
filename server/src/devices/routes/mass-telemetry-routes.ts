import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { unsupportedBody } from '../../platform/http/document-refusals.ts'
import { toRefusal } from '../../platform/http/refusals.ts'
import { refusals } from '../../platform/http/schemas.ts'
import { massLimits, ownLimits } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { HubAddress } from '../cells/redirect.ts'
import type { Context } from '../context.ts'
import { outcomes } from '../telemetry/ingest.ts'
import { admitLargeCall, countRefusedLargeCall, releaseLargeCall } from '../telemetry/large-calls.ts'
import { ingestMany, type MassResult } from '../telemetry/mass-telemetry.ts'
import { recordRefusedCall, recordRefusedMessage } from '../telemetry/recorded-refusals.ts'
import { MassTelemetry, MassTelemetryResults } from '../telemetry/telemetry-schemas.ts'
import { unavailable, waitingText } from './telemetry-routes.ts'

/** Contract 4.8, decision 7.8. */
export function massTelemetryRoute(app: App, context: Context, address: HubAddress): void {
  app.post(
    '/v1/devices/telemetry',
    {
      bodyLimit: massLimits.bytes,
      schema: {
        summary: 'Send telemetry of many devices',
        description:
          'For a cloud that speaks for its devices: 1 to 1,000 messages and at most 8 MiB per call. Each device has its own result; one that is refused does not affect the others.',
        tags: ['devices'],
        body: MassTelemetry,
        response: {
          200: MassTelemetryResults,
          ...refusals({
            400: ['malformed_json'],
            413: ['too_large'],
            415: unsupportedBody,
            422: ['invalid'],
            429: ['too_many_requests'],
            503: ['overloaded', 'storage_full', 'unknown_outcome'],
          }),
        },
      },
      validatorCompiler: () => () => true,
      onRequest: async (request, reply) => (isLarge(request) ? await admit(context, request, reply) : undefined),
      onError: async (request, _reply, error) => {
        const { status, code, message } = toRefusal(error, request.method)
        recordRefusedCall(context, request, { status, code, error: message })
        if (isLarge(request)) await countRefusedLargeCall(context, limitAddress(request.ip))
      },
    },
    async (request, reply) => {
      const large = isLarge(request)
      const results = await ingestMany(context, request.body, { large, address })
      if (!Array.isArray(results)) {
        context.messageCounters.count('mass', results)
        recordRefusedCall(context, request, results)
        return unavailable(reply as FastifyReply, results)
      }
      // A device that moved has proven its key; of a 503 nobody knows.
      if (large && results.every(({ status }) => status === 401 || status === 410 || status === 422)) {
        await countRefusedLargeCall(context, limitAddress(request.ip))
      }
      for (const { id, ...outcome } of results) {
        if (outcome.status === 200) continue
        recordRefusedMessage(context, { ...outcome, request_id: request.id, endpoint: 'mass_telemetry', device_id: id })
      }
      for (const result of results) context.messageCounters.count('mass', result)
      return (reply as FastifyReply).type(json).send(`{"results":[${results.map(resultText).join()}]}`)
    },
  )
}

/** Assumed for a body of unknown length: most are far shorter, some as long as allowed. */
const unknownBytes = 1024 * 1024

function bytesOf({ headers }: FastifyRequest): number {
  return Math.min(Number(headers['content-length'] ?? unknownBytes), massLimits.bytes)
}

function isLarge(request: FastifyRequest): boolean {
  return !(bytesOf(request) <= ownLimits.largeBodyBytes)
}

/** Returns the reply when the call is refused. */
async function admit(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const address = limitAddress(request.ip)
  const bytes = bytesOf(request)
  switch (await admitLargeCall(context, address, bytes)) {
    case 'admitted':
      reply.raw.once('close', () => releaseLargeCall(context, address, bytes))
      return undefined
    case 'overloaded':
      context.messageCounters.count('mass', outcomes.overloaded)
      return unavailable(reply, outcomes.overloaded)
    case 'too_many_refused':
      throw new Refusal(429, 'too_many_requests', 'Too many large calls stored nothing. Wait a minute and try again.')
  }
}

const json = 'application/json; charset=utf-8'

/** Up to a thousand per response, nearly all alike: faster than a serializer. An id that was found is a UUID. */
function resultText(result: MassResult): string {
  if (result.status !== 200) return JSON.stringify(result)
  return `{"id":"${result.id}","status":200${waitingText(result)}}`
}
