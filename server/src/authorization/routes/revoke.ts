import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { Parameters } from '../../platform/http/form.ts'
import type { App } from '../../platform/http/server.ts'
import { specLimits } from '../../platform/spec-limits.ts'
import { authenticateClient, readCredentials } from '../token/client-authentication.ts'
import { parameterMissing, parameterRepeated } from '../token/oauth-refusal.ts'
import { revokeToken } from '../token/revocation.ts'
import { clientEndpoint, limitByAddress, OAuthError } from './oauth-endpoint.ts'

const RevocationRequest = Type.Object({
  token: Type.String(),
  token_type_hint: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String({ description: 'Here or as HTTP Basic.' })),
  client_secret: Type.Optional(Type.String({ description: 'Here or as HTTP Basic.' })),
})

/** 4.3 */
export function revokeRoute(app: App, context: Context): void {
  clientEndpoint(app, context, 'revoke')
  limitByAddress(app, context, 'revoke', specLimits.revocationRequestsPerAddress)
  app.post(
    '/oauth/revoke',
    {
      schema: {
        summary: 'Revoke the grant that a token belongs to',
        tags: ['authorization'],
        consumes: ['application/x-www-form-urlencoded'],
        body: RevocationRequest,
        response: {
          200: Type.Unsafe<undefined>({
            type: 'null',
            description: 'Revoked, or nothing to revoke. The body is empty.',
          }),
          ...{ 400: OAuthError, 401: OAuthError, 413: OAuthError, 429: OAuthError },
        },
      },
    },
    async (request, reply) => {
      const form = request.body instanceof Parameters ? request.body : new Parameters('')
      const client = await authenticateClient(context, readCredentials(request.headers.authorization, form))
      if (form.repeated('token')) throw parameterRepeated('token', client.client_id)
      const token = form.get('token')
      if (!token) throw parameterMissing('token', client.client_id)
      await revokeToken(context, client, token)
      // Empty, as 4.3 says; simple-oauth2 and @fastify/oauth2 refuse an empty 200 that does not call itself JSON.
      return reply
        .code(200)
        .type('application/json')
        .send('' as unknown as undefined)
    },
  )
}
