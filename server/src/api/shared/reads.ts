import type { FastifyRequest } from 'fastify'
import { tenantOf } from '../../devices/telemetry/slow-reads.ts'
import { gated } from '../../platform/gated-reads.ts'
import type { Reader } from '../../platform/read-gate.ts'
import type { Context } from '../context.ts'

type Owner = Parameters<typeof tenantOf>[0]

/** With a body, Fastify's signal says only that all of it was read: it would end the read of every POST. */
export function readerFor(owner: Owner, request: FastifyRequest): Reader {
  return { tenant: tenantOf(owner), signal: request.body === undefined ? request.signal : undefined }
}

/** The context of a route that declares `reads: 'growing'`. */
export function reading(context: Context, owner: Owner, request: FastifyRequest): Context {
  return gated(context, readerFor(owner, request))
}
