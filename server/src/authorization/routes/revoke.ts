import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { when } from '../../platform/http/schemas.ts'
import type { Context } from '../context.ts'
import { specLimits } from '../spec-limits.ts'
import { authenticateClient } from '../token/client-authentication.ts'
import { revokeToken } from '../token/grants.ts'
import { OAuthRefusal } from '../token/oauth-refusal.ts'
import { parseRevocation } from '../token/token-request.ts'
import { clientEndpoint, formOf, OAuthError } from './oauth-endpoint.ts'

const RevocationRequest = Type.Object(
  {
    token: Type.String(),
    token_type_hint: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String({ description: 'In the body or as HTTP Basic.' })),
    client_secret: Type.Optional(Type.String({ description: 'In the body or as HTTP Basic.' })),
  },
  { title: 'RevocationRequest', description: 'The token to revoke.' },
)

/** Contract 4.3. */
export function revokeRoute(app: App, context: Context): void {
  clientEndpoint(app, context, 'revoke', specLimits.revocationRequestsPerAddress)
  app.post(
    '/oauth/revoke',
    {
      schema: {
        summary: 'Revoke the grant that a token belongs to',
        description:
          'Ends the connection with the organization: every token of the grant stops working, regardless of who signed in. An unknown token gets 200 too.',
        tags: ['authorization'],
        consumes: ['application/x-www-form-urlencoded'],
        body: RevocationRequest,
        response: {
          200: Type.Unsafe<undefined>({
            type: 'null',
            description: 'The grant is revoked, or there was nothing to revoke. The body is empty.',
          }),
          ...{
            400: when(
              OAuthError,
              '`invalid_request`: no token, no form, or credentials that differ in header and body.',
            ),
            401: when(
              OAuthError,
              '`invalid_client`: the client_id is unknown, the client_secret is wrong, or the application is disabled.',
            ),
            413: when(OAuthError, '`invalid_request`: the form is too large.'),
            429: when(OAuthError, 'Too many requests from this address. Wait a minute.'),
          },
        },
      },
    },
    async ({ headers, body }, reply) => {
      const { credentials, request } = parseRevocation(headers.authorization, formOf(body))
      const client = await authenticateClient(context, credentials)
      if (request instanceof OAuthRefusal) throw request.of(client.client_id)
      await revokeToken(context, client, request.token)
      // Decision 8.5: simple-oauth2 and @fastify/oauth2 refuse an empty response that does not call itself JSON.
      return reply
        .code(200)
        .type('application/json')
        .send('' as unknown as undefined)
    },
  )
}
