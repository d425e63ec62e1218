import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import { Parameters } from '../../platform/http/form.ts'
import type { App } from '../../platform/http/server.ts'
import { specLimits } from '../../platform/spec-limits.ts'
import { authenticateClient, type Client, judgeClient, readCredentials } from '../token/client-authentication.ts'
import { exchangeCode } from '../token/code-exchange.ts'
import { OAuthRefusal, parameterMissing, parameterRepeated, TooManyRequests } from '../token/oauth-refusal.ts'
import { refreshTokens } from '../token/refresh.ts'
import { type RefreshReading, readRefresh } from '../token/refresh-reading.ts'
import type { TokenResponse } from '../token/token-response.ts'
import { clientEndpoint, limitByAddress, OAuthError } from './oauth-endpoint.ts'

const TokenRequest = Type.Object({
  grant_type: Type.Union([Type.Literal('authorization_code'), Type.Literal('refresh_token')]),
  code: Type.Optional(Type.String({ description: 'With authorization_code: the one-time code.' })),
  code_verifier: Type.Optional(Type.String({ description: 'With authorization_code.' })),
  redirect_uri: Type.Optional(Type.String({ description: 'With authorization_code: that of the request.' })),
  refresh_token: Type.Optional(Type.String({ description: 'With refresh_token.' })),
  scope: Type.Optional(Type.String({ description: 'With refresh_token: may only narrow.' })),
  client_id: Type.Optional(Type.String({ description: 'Here or as HTTP Basic.' })),
  client_secret: Type.Optional(Type.String({ description: 'Here or as HTTP Basic.' })),
})

const TokenReply = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  scope: Type.String(),
  id_token: Type.Optional(Type.String()),
})

/** 4.2, in the order of design section 6. */
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
        body: TokenRequest,
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
    async (request) => {
      const form = request.body instanceof Parameters ? request.body : new Parameters('')
      const credentials = readCredentials(request.headers.authorization, form)
      if (form.get('grant_type') !== 'refresh_token') {
        return await dispatch(context, await authenticateClient(context, credentials), form)
      }
      // The hot path: client and token are read together, and judged in the order above all the same.
      const reading = await readRefresh(context, credentials.client_id, form.get('refresh_token') ?? '')
      return await dispatch(context, judgeClient(reading.client, credentials), form, reading)
    },
  )
}

async function dispatch(
  context: Context,
  client: Client,
  form: Parameters,
  reading?: RefreshReading,
): Promise<TokenResponse> {
  if (!(await context.limits.take(`token ${client.client_id}`, specLimits.tokenRequestsPerClient))) {
    throw new TooManyRequests(client.client_id)
  }
  const need = (name: string): string => {
    if (form.repeated(name)) throw parameterRepeated(name, client.client_id)
    const value = form.get(name)
    if (!value) throw parameterMissing(name, client.client_id)
    return value
  }
  switch (need('grant_type')) {
    case 'authorization_code':
      return await exchangeCode(context, client, {
        code: need('code'),
        redirect_uri: need('redirect_uri'),
        code_verifier: need('code_verifier'),
      })
    case 'refresh_token': {
      if (form.repeated('scope')) throw parameterRepeated('scope', client.client_id)
      const shown = { refresh_token: need('refresh_token'), scope: form.get('scope') }
      return await refreshTokens(context, client, shown, reading!)
    }
    default: {
      const sentence = 'grant_type must be authorization_code or refresh_token.'
      throw new OAuthRefusal('unsupported_grant_type', sentence, 'grant_type_unsupported', client.client_id)
    }
  }
}
