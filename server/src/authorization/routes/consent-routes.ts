import type { FastifyReply } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { type Parameters, readQuery } from '../../platform/http/form.ts'
import { hostOf, requireOwnOrigin, schemeOf } from '../../platform/http/origin.ts'
import { requestLimits } from '../../platform/own-limits.ts'
import { type Page, seeOther, sendPage } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusal-pages.ts'
import { Refusal } from '../../platform/refusal.ts'
import {
  brandOfApplication,
  brandOfHost,
  findRequest,
  isBoundTo,
  type PendingRequest,
  presentedSession,
  problemOfRequest,
  proofPage,
  readSession,
  type Session,
} from '../authorize/pending-requests.ts'
import { judgeSession } from '../authorize/session-judgement.ts'
import { mustStepUp } from '../authorize/step-up.ts'
import {
  type ConsentDecision,
  type ConsentVerdict,
  decideConsent,
  decideSilently,
  describeRows,
  openConsent,
} from '../consent/consent.ts'
import { consentPage, policyField } from '../consent/consent-page.ts'
import { arrangeRows } from '../consent/consent-rows.ts'
import { accountChoicePage, decidedPage, returningPage, wrongPersonPage } from '../consent/consent-side-pages.ts'
import { approvedField, askedField, readReach } from '../consent/reach-form.ts'
import { readPolicy } from '../consent/sign-in-policy.ts'
import type { Context } from '../context.ts'
import { isConsentProblem, isScreenProblem, screenProblems, sendProblemPage } from './consent-problems.ts'
import { formOf } from './oauth-endpoint.ts'

/** The consent screen of contract 4.1, on the portal domain of the application's partner. */
export function consentRoutes(app: App, context: Context): void {
  app.get('/consent', async (request, reply) => {
    const query = readQuery(request.url)
    const secret = query.get('request') ?? ''
    const pending = await openRequest(context, secret, reply)
    if (!pending) return reply
    const session = await readSession(context, presentedSession(request))
    if (pending.prompt.includes('none')) {
      return sendVerdict(context, await decideSilently(context, pending.digest, session), pending, reply)
    }
    const brand = brandOfApplication(pending)
    if (pending.decided_at) {
      if (!isBoundTo(pending, session)) return sendProblemPage('decided', reply, brand)
      return showPage(reply, 200, decidedPage({ brand, request: pending, secret }))
    }
    const verdict = judgeSession(pending, session, context.now())
    if (!session || verdict === 'sign_in') return seeOther(reply, signInFirst(secret, pending, session !== null))
    if (verdict === 'wrong_person') {
      return sendPage(reply, 403, wrongPersonPage({ brand, request: pending, secret, session }))
    }
    const mustChoose = pending.prompt.includes('select_account') && session.signed_in_at < pending.created_at
    if (mustChoose && query.get('account') !== 'chosen') {
      return sendPage(reply, 200, accountChoicePage({ brand, request: pending, secret, session }))
    }
    if (await mustStepUp(context, pending, session)) return seeOther(reply, proofPage(request.url))
    const search = query.get('search')?.slice(0, 200) ?? ''
    return showScreen(context, { status: 200, secret, pending, session, search }, reply)
  })

  app.post('/consent', { bodyLimit: requestLimits.consentFormBytes }, async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = formOf(request.body)
    const secret = form.get('request') ?? ''
    const pending = await openRequest(context, secret, reply)
    if (!pending) return reply
    const session = await readSession(context, presentedSession(request))
    const mayDecide = judgeSession(pending, session, context.now()) === 'proceed'
    if (pending.decided_at && !(mayDecide && isBoundTo(pending, session))) {
      return sendProblemPage('decided', reply, brandOfApplication(pending))
    }
    // The session ended while the screen was open: sign in and see the screen again.
    if (!session || !mayDecide) return seeOther(reply, signInFirst(secret, pending, session !== null))
    const again = (status: number, problem?: string) =>
      showScreen(context, { status, secret, pending, session, problem, sent: form }, reply)
    const decision = form.get('decision')
    const customerId = form.get('customer_id')
    if (form.repeated('decision', 'customer_id'))
      return again(400, 'Choose one organization, and either connect or decline.')
    if (decision !== 'approve' && decision !== 'decline') return again(400, 'Choose to connect or to decline.')
    if (decision === 'approve' && !customerId) return again(422, 'Choose an organization first.')
    // Which users a new approval admits; a client that sends no such field approves for everyone.
    const policy = readPolicy(form.get(policyField(customerId ?? '')) ?? 'everyone')
    if (!policy) return again(422, 'Choose who else may connect it.')
    const reach = decision === 'approve' ? readReach(form, customerId ?? '') : undefined
    if (typeof reach === 'string') return again(422, reach)
    const asked = form.get(askedField)
    const shownApproved = form.get(approvedField(customerId ?? '')) !== undefined
    const chosen: ConsentDecision =
      customerId && decision === 'approve'
        ? { decision, customer_id: customerId, policy, reach, asked, shownApproved }
        : { decision: 'decline' }
    const verdict = await decideConsent(context, pending.digest, session, chosen).catch(unlessGone)
    if (isScreenProblem(verdict.verdict)) return again(...screenProblems[verdict.verdict])
    if (verdict.verdict === 'session_ended') return seeOther(reply, signInFirst(secret, pending, true))
    if (verdict.verdict === 'nothing_selectable') return again(403)
    if (verdict.verdict === 'not_selectable') return again(403, 'This organization cannot be chosen.')
    if (verdict.verdict === 'another_session') return again(409, 'Your sign-in changed: please check and decide again.')
    return sendVerdict(context, verdict, pending, reply)
  })
}

/** What the person chose was deleted meanwhile, or is somebody else's. */
function unlessGone(error: unknown): ConsentVerdict {
  if (error instanceof Refusal && error.code === 'not_found') return { verdict: 'group_gone' }
  if (error instanceof Refusal && error.code === 'invalid') return { verdict: 'space_gone' }
  throw error
}

/** The request of this secret while it can be decided here; otherwise sends the page that says why not. */
export async function openRequest(
  context: Context,
  secret: string,
  reply: FastifyReply,
): Promise<PendingRequest | null> {
  const { host } = reply.request
  const pending = await findRequest(context, secret)
  if (!pending) {
    await sendProblemPage('unknown', reply, await brandOfHost(context, host))
    return null
  }
  const { publicUrl } = context.addresses
  const brand = brandOfApplication(pending)
  const home = hostOf(publicUrl, pending.portal_domain ?? '')
  if (!pending.portal_domain || home !== hostOf(publicUrl, host)) {
    const sentence = home
      ? `This request can only be decided at ${schemeOf(publicUrl)}//${home}.`
      : `${pending.partner_name} no longer has a customer portal.`
    await sendRefusalPage(reply, {
      status: home ? 421 : 500,
      error: 'server_error',
      sentence,
      brand,
      title: 'Wrong address',
    })
    return null
  }
  const problem = problemOfRequest(pending, context.now())
  if (problem) await sendProblemPage(problem, reply, brand)
  return problem ? null : pending
}

export function signInFirst(secret: string, { login_hint, prompt }: PendingRequest, again: boolean): string {
  const account = prompt.includes('select_account') ? '&account=chosen' : ''
  const query = new URLSearchParams({ return_to: `/consent?request=${secret}${account}` })
  if (again) query.set('again', '1')
  if (login_hint) query.set('login_hint', login_hint)
  return `/sign-in?${query}`
}

interface Screen {
  status: number
  secret: string
  pending: PendingRequest
  session: Session
  search?: string
  sent?: Parameters
  problem?: string | undefined
}

async function showScreen(context: Context, { status, pending, search = '', ...screen }: Screen, reply: FastifyReply) {
  const rows = await openConsent(context, pending, screen.session)
  const shown = arrangeRows(rows, search)
  const more = await describeRows(context, [...shown.selectable, ...shown.others])
  const page = consentPage({
    brand: brandOfApplication(pending),
    request: pending,
    rows,
    shown,
    search,
    ...more,
    ...screen,
  })
  return showPage(reply, status, page)
}

/**
 * Chromium applies a page's `form-action` to every redirect after its form, and a partner's callback may redirect
 * anywhere. So the form may only go to 'self', and a browser gets a page that refreshes to the callback; any other client
 * gets a 303. A browser that sends no Sec-Fetch-Mode gets pages without `form-action` (decision 10.3).
 */
function isBrowser({ request }: FastifyReply): boolean {
  return request.headers['sec-fetch-mode'] === 'navigate'
}

/** Sends a page whose form ends in a redirect to the application. */
function showPage(reply: FastifyReply, status: number, page: Page) {
  return sendPage(reply, status, page, isBrowser(reply) ? {} : { 'form-action': null })
}

function redirectBack(reply: FastifyReply, pending: PendingRequest, location: string) {
  // `form-action` does not apply to a GET.
  if (reply.request.method !== 'POST' || !isBrowser(reply)) return seeOther(reply, location)
  const page = returningPage(brandOfApplication(pending), pending.application_name, location)
  return sendPage(reply.header('refresh', `0; url=${location}`), 200, page)
}

function sendVerdict(context: Context, verdict: ConsentVerdict, pending: PendingRequest, reply: FastifyReply) {
  if (verdict.verdict !== 'redirect') {
    const problem = isConsentProblem(verdict.verdict) ? verdict.verdict : 'unknown'
    return sendProblemPage(problem, reply, brandOfApplication(pending))
  }
  if (verdict.error) {
    const reason = verdict.error === 'access_denied' ? 'user_declined' : 'interaction_needed'
    const about = { request_id: reply.request.id, endpoint: 'authorize', application_id: pending.client_id } as const
    context.integrationLog.record({ ...about, status: 303, error: verdict.error, reason })
  }
  return redirectBack(reply, pending, verdict.location)
}
