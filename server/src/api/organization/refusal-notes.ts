import type { FastifyRequest } from 'fastify'
import { noteRefusedApplication } from '../../authorization/token/recorded-refusals.ts'
import type { Context } from '../../context.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { Caller } from './authenticate.ts'

/**
 * For the partner's integration log: what its application was refused here. A token that lapsed explains itself; of
 * everything else only the word and the route, since a sentence may name what is the customer's alone (spec 1.5).
 */
export function noteRefusal(context: Context, request: FastifyRequest, refusal: Refusal): void {
  const access = request.getDecorator<Caller | null>('access')
  if (access === null) {
    noteRefusedApplication(context, request, 'organization', refusal, 'invalid_token')
  } else if (access.client_id !== null && refusal.status < 500) {
    context.integrationLog.record({
      request_id: request.id,
      endpoint: 'organization',
      status: refusal.status,
      error: refusal.code,
      description: `${request.method} ${request.routeOptions.url}`,
      reason: 'organization_refused',
      application_id: access.client_id,
    })
  }
}
