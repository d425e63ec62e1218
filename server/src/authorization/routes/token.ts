import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { when } from '../../platform/http/schemas.ts'
import type { Context } from '../context.ts'
import { specLimits } from '../spec-limits.ts'
import { authenticateClient, type Client, judgeClient } from '../token/client-authentication.ts'
import { exchangeCode } from '../token/code-exchange.ts'
import { OAuthRefusal, TooManyRequests } from '../token/oauth-refusal.ts'
import { refreshTokens } from '../token/refresh.ts'
import { readRefresh } from '../token/refresh-reading.ts'
import { parseTokenRequest } from '../token/token-request.ts'
import { TokenResponse } from '../token/token-response.ts'
import { clientEndpoint, formOf, OAuthError } from './oauth-endpoint.ts'

const TokenForm = Type.Object(
  {
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
  },
  { title: 'TokenRequest', description: 'A code or a refresh token to exchange.' },
)

/** Contract 4.2, in the order of decision 6.19. */
export function tokenRoute(app: App, context: Context): void {
  clientEndpoint(app, context, 'token', specLimits.tokenRequestsPerAddress)
  app.post(
    '/oauth/token',
    {
      schema: {
        summary: 'Exchange a code or a refresh token for tokens',
        description:
          'A code works once and for a minute. A refresh token works once: store the new one before you use the new ' +
          'access token. The previous refresh token is `invalid_grant` for 60 seconds; presented later than that, it ' +
          'revokes the whole grant.',
        tags: ['authorization'],
        consumes: ['application/x-www-form-urlencoded'],
        body: TokenForm,
        response: {
          200: TokenResponse,
          400: when(
            OAuthError,
            '- `invalid_grant`: the code or refresh token is unknown, expired, used or revoked, or the verifier or ' +
              'redirect_uri is not the one it belongs to.\n- `invalid_request`: a parameter is missing or repeated, the ' +
              'body is no form, or credentials differ in header and body.\n- `invalid_scope`: more scopes than were ' +
              'granted.\n- `unsupported_grant_type`: any other grant_type.',
          ),
          401: when(
            OAuthError,
            '`invalid_client`: the client_id is unknown, the client_secret is wrong, or the application is disabled.',
          ),
          413: when(OAuthError, '`invalid_request`: the form is too large.'),
          429: when(OAuthError, 'Too many requests from this address or of this application. Wait a minute.'),
          500: when(OAuthError, '`server_error`: the id_token could not be signed. Nothing is used up: try again.'),
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
