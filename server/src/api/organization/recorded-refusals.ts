import type { FastifyRequest } from 'fastify'
import { recordRefusal as recordOAuthRefusal } from '../../authorization/token/oauth-refusal.ts'
import type { Context } from '../../context.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { Caller } from './authenticate.ts'

/**
 * Records what an application was refused, for its partner's integration log. An expired or revoked token explains itself;
 * of other refusals only the code and the route, since the sentence may name what only the customer may see (contract 1.5).
 */
export function recordRefusal(context: Context, request: FastifyRequest, refusal: Refusal): void {
  const caller = request.getDecorator<Caller | null>('caller')
  if (caller === null) {
    recordOAuthRefusal(context, request, 'organization', refusal, 'invalid_token')
  } else if (caller.client_id !== null && refusal.status < 500) {
    context.integrationLog.record({
      request_id: request.id,
      endpoint: 'organization',
      status: refusal.status,
      error: refusal.code,
      description: `${request.method} ${request.routeOptions.url}`,
      reason: 'organization_refused',
      application_id: caller.client_id,
    })
  }
}
