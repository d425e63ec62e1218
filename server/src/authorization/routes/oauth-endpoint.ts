import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../../context.ts'
import type { FailureEndpoint } from '../../events/integration-log.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { acceptFormsOnly, toFormRefusal } from '../../platform/http/form.ts'
import type { App } from '../../platform/http/server.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { usesBasic } from '../token/client-authentication.ts'
import { OAuthRefusal, TooManyRequests } from '../token/oauth-refusal.ts'
import { noteRefusedApplication } from '../token/recorded-refusals.ts'

/** What a refused client is told (RFC 6749 section 5.2). */
export const OAuthError = Type.Object({ error: Type.String(), error_description: Type.Optional(Type.String()) })

/** Counted before anything is read: a flood costs one look at a counter (design section 6, token endpoint order). */
export function limitByAddress(app: App, context: Context, endpoint: string, max: number): void {
  app.addHook('onRequest', async (request) => {
    if (!(await context.limits.take(`${endpoint} ${limitAddress(request.ip)}`, max))) throw new TooManyRequests()
  })
}

/** A form in, JSON out, nothing kept by caches, refusals as RFC 6749 writes them: the token and revocation endpoints. */
export function clientEndpoint(app: App, context: Context, endpoint: FailureEndpoint & ('token' | 'revoke')): void {
  acceptFormsOnly(app)
  // The schemas of these routes are for the OpenAPI document; the endpoints read their forms by the RFC's rules.
  app.setValidatorCompiler(() => () => true)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  })
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    const refusal = toFormRefusal(error)
    if (refusal.status === 401 && usesBasic(request.headers.authorization)) {
      reply.header('www-authenticate', 'Basic realm="oauth"')
    }
    writeOAuthRefusal(context, endpoint, refusal, error, request, reply)
  })
}

function writeOAuthRefusal(
  context: Context,
  endpoint: FailureEndpoint,
  refusal: Refusal,
  cause: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { code, message } = refusal
  // 7.3 knows one word and one status for a fault of ours.
  const status = Math.min(refusal.status, 500)
  if (status === 500) request.log.error({ err: cause, reason: refusal.reason }, 'failed')
  else request.log.info({ code, reason: refusal.reason }, 'refused')
  // A fault of ours, and what Fastify turned down by itself, in the words of 7.3; the others have theirs.
  const worded = refusal instanceof OAuthRefusal || refusal instanceof TooManyRequests
  const error = worded ? code : status === 500 ? 'server_error' : 'invalid_request'
  noteRefusedApplication(context, request, endpoint, refusal, error)
  if (refusal instanceof TooManyRequests) void reply.code(429).send({ error })
  else void reply.code(status).send({ error, error_description: message })
}
