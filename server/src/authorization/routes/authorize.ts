import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { schemeOf } from '../../platform/http/origin.ts'
import type { App } from '../../platform/http/server.ts'
import { seeOther } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusals.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type Judgement, judgeAuthorizationRequest } from '../authorize/authorization-request.ts'
import { readIdTokenHint } from '../authorize/id-token-hint.ts'
import {
  authorizationRequestsPerAddress,
  findRequestingApplication,
  keepRequest,
  type RequestingApplication,
} from '../authorize/pending-requests.ts'
import { withParameters } from '../authorize/redirect.ts'
import { brandOfApplication } from '../authorize/visitor.ts'
import { authorizeByGet, authorizeByPost } from './authorize-schema.ts'

/** Spec 4.1, by GET or by a form POST (OpenID Connect Core 3.1.2.1). */
export function authorizeRoutes(app: App, context: Context): void {
  const validatorCompiler = () => () => true
  app.get('/oauth/authorize', { schema: authorizeByGet, validatorCompiler }, async (request, reply) =>
    authorize(context, readQuery(request.url), request, reply),
  )
  app.post('/oauth/authorize', { schema: authorizeByPost, validatorCompiler }, async (request, reply) => {
    const form =
      (request.body as unknown) instanceof Parameters ? (request.body as unknown as Parameters) : new Parameters('')
    return authorize(context, form, request, reply)
  })
}

async function authorize(context: Context, parameters: Parameters, request: FastifyRequest, reply: FastifyReply) {
  const asking = await findRequestingApplication(context, parameters.get('client_id'))
  const judgement = judgeAuthorizationRequest(parameters, asking)
  if (judgement.verdict !== 'proceed') return refuse(context, judgement, asking, request, reply)
  const { client_id, redirect_uri, state, id_token_hint } = judgement.request
  const hinted = id_token_hint === null ? null : await readIdTokenHint(context, client_id, id_token_hint)
  if (id_token_hint !== null && hinted === null) {
    const fault = { error: 'invalid_request', description: foreignHint, reason: 'parameter_invalid' } as const
    return refuse(context, { verdict: 'redirect', redirect_uri, state, ...fault }, asking, request, reply)
  }
  const { portal_domain } = asking!
  if (!portal_domain) return refuseWithoutPortal(context, asking!, request, reply)
  if (!(await context.limits.take(`authorize ${limitAddress(request.ip)}`, authorizationRequestsPerAddress))) {
    throw new Refusal(429, 'too_many_requests', 'Too many requests came from your address. Wait a minute.')
  }
  const secret = await keepRequest(context, judgement.request, hinted)
  const { publicUrl } = context.addresses
  return seeOther(reply, `${schemeOf(publicUrl)}//${portal_domain}/consent?request=${secret}`)
}

type Refused = Exclude<Judgement, { verdict: 'proceed' }>

function refuse(
  context: Context,
  judgement: Refused,
  asking: RequestingApplication | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const description = judgement.verdict === 'page' ? judgement.sentence : judgement.description
  const { error, reason } = judgement
  request.log.info({ error, reason }, 'refused')
  const status = judgement.verdict === 'page' ? 400 : 303
  if (asking && reason) {
    const about = { request_id: request.id, endpoint: 'authorize', application_id: asking.client_id } as const
    context.integrationLog.record({ ...about, status, error, description, reason })
  }
  if (judgement.verdict === 'page') {
    const { sentence } = judgement
    return sendRefusalPage(reply, {
      status,
      error,
      sentence,
      title,
      next: nextStep,
      brand: asking && brandOfApplication(asking),
    })
  }
  const { publicUrl: iss } = context.addresses
  const answer = { error, error_description: description, state: judgement.state, iss }
  return seeOther(reply, withParameters(judgement.redirect_uri, answer))
}

const foreignHint = 'id_token_hint must be an id_token that this service issued to this application'
const title = 'This application cannot be connected'
const nextStep = 'Go back to the application and try again. If it happens again, tell the people who make it.'

function refuseWithoutPortal(
  context: Context,
  asking: RequestingApplication,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const sentence = `${asking.partner_name} has no customer portal yet, so there is no place to ask for your consent.`
  const error = 'server_error'
  const about = { request_id: request.id, endpoint: 'authorize', application_id: asking.client_id } as const
  context.integrationLog.record({ ...about, status: 500, error, description: sentence, reason: 'no_portal_domain' })
  return sendRefusalPage(reply, { status: 500, error, sentence, title, next: `Please tell ${asking.partner_name}.` })
}
