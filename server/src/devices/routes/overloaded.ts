import type { FastifyReply } from 'fastify'
import { outcomes, retryAfterSeconds } from '../telemetry/ingest.ts'

/** 503 with Retry-After: nothing of the request was stored. */
export function overloaded(reply: FastifyReply): FastifyReply {
  const { status, ...body } = outcomes.overloaded
  return reply.code(status).header('retry-after', retryAfterSeconds).send(body)
}
