import type { FastifyReply } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { limitAddress } from '../../platform/http/client-address.ts'
import { type Parameters, readQuery } from '../../platform/http/form.ts'
import { schemeOf } from '../../platform/http/origin.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { seeOther } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusal-pages.ts'
import { Refusal } from '../../platform/refusal.ts'
import {
  judgeAuthorizationRequest,
  type PageVerdict,
  type RedirectVerdict,
} from '../authorize/authorization-request.ts'
import { readIdTokenHint } from '../authorize/id-token-hint.ts'
import {
  brandOfApplication,
  findRequestingApplication,
  type RequestingApplication,
  storeRequest,
} from '../authorize/pending-requests.ts'
import { withParameters } from '../authorize/redirect-uri.ts'
import type { Context } from '../context.ts'
import { authorizeByGet, authorizeByPost } from './authorize-schema.ts'
import { formOf } from './oauth-endpoint.ts'

/** Contract 4.1, by GET or by a form POST (OpenID Connect Core 3.1.2.1). */
export function authorizeRoutes(app: App, context: Context): void {
  const validatorCompiler = () => () => true
  app.get('/oauth/authorize', { schema: authorizeByGet, validatorCompiler }, async (request, reply) =>
    authorize(context, readQuery(request.url), reply),
  )
  app.post('/oauth/authorize', { schema: authorizeByPost, validatorCompiler }, async (request, reply) =>
    authorize(context, formOf(request.body), reply),
  )
}

async function authorize(context: Context, parameters: Parameters, reply: FastifyReply) {
  const found = await findRequestingApplication(context, parameters.get('client_id'))
  const judgement = judgeAuthorizationRequest(parameters, found)
  if (judgement.verdict !== 'proceed') return refuse(context, judgement, found, reply)
  const { application } = judgement
  const { client_id, redirect_uri, state, id_token_hint } = judgement.request
  const hinted = id_token_hint === null ? null : await readIdTokenHint(context, client_id, id_token_hint)
  if (id_token_hint !== null && hinted === null) {
    const error = { error: 'invalid_request', description: foreignHint, reason: 'parameter_invalid' } as const
    return refuse(context, { verdict: 'redirect', redirect_uri, state, ...error }, application, reply)
  }
  if (!application.portal_domain) return refuseWithoutPortal(context, application, reply)
  if (
    !(await context.limits.take(
      `authorize ${limitAddress(reply.request.ip)}`,
      ownLimits.authorizationRequestsPerAddress,
    ))
  ) {
    throw new Refusal(429, 'too_many_requests', 'Too many requests from your address. Wait a minute and try again.')
  }
  const secret = await storeRequest(context, judgement.request, hinted)
  const { publicUrl } = context.addresses
  return seeOther(reply, `${schemeOf(publicUrl)}//${application.portal_domain}/consent?request=${secret}`)
}

function refuse(
  context: Context,
  judgement: PageVerdict | RedirectVerdict,
  application: RequestingApplication | undefined,
  reply: FastifyReply,
) {
  const { request } = reply
  const description = judgement.verdict === 'page' ? judgement.sentence : judgement.description
  const { error, reason } = judgement
  request.log.info({ error, reason }, 'refused')
  const status = judgement.verdict === 'page' ? 400 : 303
  if (application && reason) {
    const about = { request_id: request.id, endpoint: 'authorize', application_id: application.client_id } as const
    const detail = judgement.verdict === 'page' ? judgement.detail : undefined
    context.integrationLog.record({ ...about, status, error, description, reason, detail })
  }
  if (judgement.verdict === 'page') {
    const brand = application && brandOfApplication(application)
    return sendRefusalPage(reply, { status, error, sentence: description, title, next: nextStep, brand })
  }
  const { publicUrl: iss } = context.addresses
  const query = { error, error_description: description, state: judgement.state, iss }
  return seeOther(reply, withParameters(judgement.redirect_uri, query))
}

const foreignHint = 'id_token_hint must be an id_token that this service issued to this application'
const title = 'This application cannot be connected'
const nextStep = 'Go back to the application and try again. If it happens again, contact its developer.'

function refuseWithoutPortal(context: Context, application: RequestingApplication, reply: FastifyReply) {
  const sentence = `${application.partner_name} has no customer portal yet, so you cannot be asked for your consent.`
  const error = 'server_error'
  const about = { request_id: reply.request.id, endpoint: 'authorize', application_id: application.client_id } as const
  context.integrationLog.record({ ...about, status: 500, error, description: sentence, reason: 'no_portal_domain' })
  return sendRefusalPage(reply, {
    status: 500,
    error,
    sentence,
    title,
    next: `Please contact ${application.partner_name}.`,
  })
}
