import type { FastifyError } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { writeRefusal } from '../../platform/http/refusals.ts'
import { when } from '../../platform/http/schemas.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { Context } from '../context.ts'
import { specLimits } from '../spec-limits.ts'
import { recordRefusal, TooManyRequests } from '../token/oauth-refusal.ts'
import { BearerRefusal, userinfo } from '../token/userinfo.ts'
import { limitByAddress, PlainError } from './oauth-endpoint.ts'

const schema = {
  summary: 'Who signed in, and for which organization',
  description: 'Needs an access token with the scope `openid`. `name` comes with `profile`, `email` with `email`.',
  tags: ['authorization'],
  security: [{ bearer: [] }],
  response: {
    200: Type.Object(
      {
        sub: Type.String(),
        name: Type.Optional(Type.String()),
        email: Type.Optional(Type.String()),
        email_verified: Type.Optional(Type.Boolean()),
        org_id: Type.Optional(
          Type.String({ description: 'Absent once the person no longer belongs to the organization.' }),
        ),
        org_name: Type.Optional(Type.String()),
      },
      { title: 'UserInfo', description: 'Claims about the person who signed in.' },
    ),
    ...{
      401: when(PlainError, '`invalid_token`: the access token is missing, malformed, expired or revoked.'),
      403: when(PlainError, '`insufficient_scope`: the access token was issued without the scope `openid`.'),
      429: when(PlainError, 'Too many requests from this address. Wait a minute.'),
    },
  },
}

/** Contract 4.4: the token comes in the Authorization header only; a body is accepted and ignored. */
export function userinfoRoutes(app: App, context: Context): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  })
  limitByAddress(app, context, 'userinfo', specLimits.userinfoRequestsPerAddress)
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    if (error instanceof TooManyRequests) return reply.code(429).send({ error: error.code })
    if (!(error instanceof BearerRefusal)) return writeRefusal(error, request, reply)
    const { status, code } = error
    recordRefusal(context, request, 'userinfo', error, code)
    return reply.code(status).header('www-authenticate', `Bearer error="${code}"`).send({ error: code })
  })
  app.get('/oauth/userinfo', { schema }, async (request) => userinfo(context, request.headers.authorization))
  app.post('/oauth/userinfo', { schema }, async (request) => userinfo(context, request.headers.authorization))
}
