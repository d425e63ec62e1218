import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import type { App } from '../../platform/http/server.ts'
import { specLimits } from '../../platform/spec-limits.ts'
import { authenticateClient, type Client, judgeClient } from '../token/client-authentication.ts'
import { exchangeCode } from '../token/code-exchange.ts'
import { OAuthRefusal, TooManyRequests } from '../token/oauth-refusal.ts'
import { refreshTokens } from '../token/refresh.ts'
import { readRefresh } from '../token/refresh-reading.ts'
import { parseTokenRequest } from '../token/token-request.ts'
import { clientEndpoint, formOf, limitByAddress, OAuthError } from './oauth-endpoint.ts'

const TokenForm = Type.Object({
  grant_type: Type.Union([Type.Literal('authorization_code'), Type.Literal('refresh_token')]),
  code: Type.Optional(Type.String({ description: 'With authorization_code: the one-time code.' })),
  code_verifier: Type.Optional(Type.String({ description: 'With authorization_code: the PKCE verifier.' })),
  redirect_uri: Type.Optional(
    Type.String({ description: 'With authorization_code: the same as in the authorization request.' }),
  ),
  refresh_token: Type.Optional(Type.String({ description: 'With refresh_token: the token to rotate.' })),
  scope: Type.Optional(Type.String({ description: 'With refresh_token: fewer scopes than were granted.' })),
  client_id: Type.Optional(Type.String({ description: 'In the body or as HTTP Basic.' })),
  client_secret: Type.Optional(Type.String({ description: 'In the body or as HTTP Basic.' })),
})

const TokenReply = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  scope: Type.String(),
  id_token: Type.Optional(Type.String()),
})

/** Contract 4.2, in the order of decision 6.19. */
export function tokenRoute(app: App, context: Context): void {
  clientEndpoint(app, context, 'token')
  limitByAddress(app, context, 'token', specLimits.tokenRequestsPerAddress)
  app.post(
    '/oauth/token',
    {
      schema: {
        summary: 'Exchange a code or a refresh token for tokens',
        tags: ['authorization'],
        consumes: ['application/x-www-form-urlencoded'],
        body: TokenForm,
        response: {
          200: TokenReply,
          400: OAuthError,
          401: OAuthError,
          413: OAuthError,
          429: OAuthError,
          500: OAuthError,
        },
      },
    },
    async ({ headers, body }) => {
      const { credentials, request } = parseTokenRequest(headers.authorization, formOf(body))
      if (!(request instanceof OAuthRefusal) && request.grant_type === 'refresh_token') {
        // The hot path reads client and token in one statement, and still judges the client first.
        const found = await readRefresh(context, credentials.client_id, request.refresh_token)
        const client = judgeClient(found.client, credentials)
        await limitByClient(context, client)
        return await refreshTokens(context, client, request, found)
      }
      const client = await authenticateClient(context, credentials)
      await limitByClient(context, client)
      if (request instanceof OAuthRefusal) throw request.of(client.client_id)
      return await exchangeCode(context, client, request)
    },
  )
}

async function limitByClient(context: Context, { client_id }: Client): Promise<void> {
  if (!(await context.limits.take(`token ${client_id}`, specLimits.tokenRequestsPerClient))) {
    throw new TooManyRequests(client_id)
  }
}
