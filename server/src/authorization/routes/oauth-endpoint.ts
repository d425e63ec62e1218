import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { FailureEndpoint } from '../../events/integration-log.ts'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { acceptFormsOnly, Parameters, toFormRefusal } from '../../platform/http/form.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { readCredentials, usesBasic } from '../token/client-authentication.ts'
import { OAuthRefusal, recordRefusal, TooManyRequests } from '../token/oauth-refusal.ts'

/** RFC 6749 section 5.2. */
export const OAuthError = Type.Object(
  { error: Type.String(), error_description: Type.Optional(Type.String()) },
  { title: 'OAuthError', description: 'An error as in RFC 6749, section 5.2.' },
)

/** Of endpoints whose callers read the code only. */
export const PlainError = Type.Object(
  { error: Type.String() },
  { title: 'PlainError', description: 'An error code, without a description.' },
)

/** Counted before anything is read, so that a refused request costs only one counter (decision 6.19). */
export function limitByAddress(app: App, context: Context, endpoint: string, max: number): void {
  app.addHook('onRequest', async (request) => {
    if (!(await context.limits.take(`${endpoint} ${limitAddress(request.ip)}`, max))) throw new TooManyRequests()
  })
}

/**
 * The same for endpoints whose callers are named by the form: counted before it is read, and refused afterwards, so that
 * the refusal is in the log of the application's partner.
 */
function limitByAddressAndLog(app: App, context: Context, endpoint: string, max: number): void {
  app.decorateRequest('overLimit', false)
  app.addHook('onRequest', async (request) => {
    const within = await context.limits.take(`${endpoint} ${limitAddress(request.ip)}`, max)
    if (!within) request.setDecorator('overLimit', true)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    done(isOverLimit(request) ? new TooManyRequests() : undefined)
  })
}

function isOverLimit(request: FastifyRequest): boolean {
  return request.getDecorator<boolean>('overLimit')
}

/** The form of a request; an empty one when it has no body. */
export function formOf(body: unknown): Parameters {
  return body instanceof Parameters ? body : new Parameters('')
}

/** What the token and revocation endpoints share: forms only, nothing cached, errors as in RFC 6749 section 5.2. */
export function clientEndpoint(
  app: App,
  context: Context,
  endpoint: FailureEndpoint & ('token' | 'revoke'),
  requestsPerAddress: number,
): void {
  acceptFormsOnly(app)
  // The schemas of these routes are for the OpenAPI document only: a repeated parameter must be seen (decision 6.1).
  app.setValidatorCompiler(() => () => true)
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers({ 'cache-control': 'no-store', pragma: 'no-cache' })
  })
  limitByAddressAndLog(app, context, endpoint, requestsPerAddress)
  app.setErrorHandler((error: FastifyError | Refusal, request, reply) => {
    // Over the limit it does not matter what else is wrong.
    const refusal = isOverLimit(request) ? new TooManyRequests() : toFormRefusal(error, request.method)
    if (refusal.status === 401 && usesBasic(request.headers.authorization)) {
      reply.header('www-authenticate', 'Basic realm="oauth"')
    }
    writeOAuthRefusal(context, endpoint, refusal, error, request, reply)
  })
}

/** Whom the credentials name, right or wrong: for refusals before they are checked. */
function claimedClient({ headers, body }: FastifyRequest): string | undefined {
  try {
    const { client_id } = readCredentials(headers.authorization, formOf(body))
    return isId(client_id) ? client_id : undefined
  } catch {
    return undefined
  }
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
  // Contract 7.3 has one status for every failure of the service itself.
  const status = Math.min(refusal.status, 500)
  if (endpoint === 'token') context.tokenCounters.countRefused(status, refusal.reason)
  if (status === 500) request.log.error({ err: cause, reason: refusal.reason }, 'failed')
  else request.log.info({ code, reason: refusal.reason }, 'refused')
  // What Fastify refused by itself has none of the contract's codes.
  const hasOwnCode = refusal instanceof OAuthRefusal || refusal instanceof TooManyRequests
  const error = hasOwnCode ? code : status === 500 ? 'server_error' : 'invalid_request'
  recordRefusal(context, request, endpoint, refusal, error, claimedClient(request))
  if (refusal instanceof TooManyRequests) void reply.code(429).send({ error })
  else void reply.code(status).send({ error, error_description: message })
}
