import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Owner } from '../../devices/registry/devices.ts'
import type { PeopleActor } from '../../directory/accounts/people-rights.ts'
import type { App } from '../../platform/http/app.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import type { Tenant } from '../../platform/limits-reached.ts'
import type { Context } from '../context.ts'
import { createCallLimit } from './call-rates.ts'

/** How a route that two APIs have reads its caller: it acts for a customer in one of them, for a partner in the other. */
export interface Callers {
  /** The first word of the tags in the reference. */
  api: 'Organization' | 'Partner'
  ownerOf(request: FastifyRequest): { customer_id: string } | { partner_id: string }
  /** The same, of a caller who reaches all of it. */
  wholeOf(request: FastifyRequest): { customer_id: string } | { partner_id: string }
  /** Whose devices, and of these what the caller reaches. */
  devicesOf(request: FastifyRequest): Owner
  actorOf(request: FastifyRequest): PeopleActor
  /** Throws unless the caller is a person signed in to the portal: no token or key may extend its own reach. */
  requirePortalSession(request: FastifyRequest): void
}

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Authenticates and counts every request of the scope, before its path and body are looked at. */
export function authenticateRequests<Caller extends { user_id: string | null; actor: PeopleActor }>(
  app: App,
  context: Context,
  {
    authenticate,
    tenantOf,
  }: {
    authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Caller>
    tenantOf(caller: Caller): Tenant
  },
): void {
  const limitCall = createCallLimit(context)
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request, reply) => {
    const caller = await authenticate(request, reply)
    if (caller.user_id !== null && !readOnly.has(request.method)) {
      requireOwnOrigin(context.addresses.publicUrl, request)
    }
    request.setDecorator('caller', caller)
    await limitCall(reply, { tenant: tenantOf(caller), actor: caller.actor })
  })
}
