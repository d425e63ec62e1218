import { askFactorReset, cancelFactorReset, confirmFactorReset } from '../../../directory/accounts/factor-resets.ts'
import { requireFreshProof } from '../../../directory/accounts/proof.ts'
import type { App } from '../../../platform/http/app.ts'
import { Empty, IdPath, refusals } from '../../../platform/http/schemas.ts'
import type { Context } from '../../context.ts'
import { PendingFactorReset } from '../../shared/directory-schemas.ts'
import { tagged } from '../../shared/route-schemas.ts'
import { callerOf, requirePortalSession } from '../authenticate-organization.ts'

const route = tagged('Organization: users')
const portalOnly = ['portal_session_required', 'administrators_only', 'proof_needed'] as const

export function factorResetRoutes(app: App, context: Context): void {
  app.post(
    '/users/:id/second-factor-reset',
    {
      ...route({
        permission: 'people: manage',
        creates: { unlimited: 'a person has one that is pending' },
        summary: 'Ask to reset the second factors of a user',
        description:
          'For a person who lost them all. Ends their sessions at once; the factors are removed after 24 hours, or when a second ' +
          'administrator confirms it. The person cancels it by signing in with a second factor. Requires the portal ' +
          'session of an administrator who has confirmed their identity within ten minutes, and a person who belongs to this organization only.',
        params: IdPath,
        response: {
          201: PendingFactorReset,
          ...refusals({
            403: [...portalOnly, 'belongs_elsewhere', 'own_second_factors'],
            409: ['no_second_factor', 'reset_pending'],
          }),
        },
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request, reply) => {
      const { customer_id: customerId, actor, session } = callerOf(request)
      requireFreshProof(context, session!)
      const target = { customerId, userId: request.params.id }
      return reply.code(201).send(await askFactorReset(context, actor, target))
    },
  )

  app.post(
    '/users/:id/second-factor-reset/confirm',
    {
      ...route({
        permission: 'people: manage',
        creates: { unlimited: 'ends a reset that is pending' },
        summary: 'Confirm the reset of second factors',
        description:
          'The factors are removed at once. By a second administrator who has confirmed their identity within ten minutes: ' +
          'neither the one who asked for it, nor the person.',
        params: IdPath,
        response: {
          204: Empty,
          ...refusals({
            403: [...portalOnly, 'second_administrator_needed', 'own_second_factors'],
            409: ['reset_ended'],
          }),
        },
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request, reply) => {
      const { customer_id: customerId, user_id, session } = callerOf(request)
      requireFreshProof(context, session!)
      const target = { customerId, userId: request.params.id }
      await confirmFactorReset(context, { kind: 'user', id: user_id! }, target)
      return reply.code(204).send()
    },
  )

  app.delete(
    '/users/:id/second-factor-reset',
    {
      ...route({
        permission: 'people: manage',
        summary: 'Cancel the reset of second factors',
        description: 'By any administrator signed in to the portal. The person keeps their factors.',
        params: IdPath,
        response: { 204: Empty, ...refusals({ 403: ['portal_session_required', 'administrators_only'] }) },
      }),
      onRequest: async (request) => requirePortalSession(request),
    },
    async (request, reply) => {
      const { customer_id: customerId, actor } = callerOf(request)
      await cancelFactorReset(context, actor, { customerId, userId: request.params.id })
      return reply.code(204).send()
    },
  )
}
