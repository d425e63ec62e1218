import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { hostOf, requireOwnOrigin, schemeOf } from '../../platform/http/origin.ts'
import type { App } from '../../platform/http/server.ts'
import { type Page, seeOther, sendPage } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusals.ts'
import { faultOfRequest, findRequest, isAskedIn, type PendingRequest } from '../authorize/pending-requests.ts'
import { judgeSession } from '../authorize/session-judgement.ts'
import { brandOfApplication, brandOfHostname, findVisitorSession, type Session } from '../authorize/visitor.ts'
import {
  type AnswerVerdict,
  answerConsent,
  answerSilently,
  type ConsentAnswer,
  showConsent,
} from '../consent/consent.ts'
import {
  accountChoicePage,
  answeredPage,
  consentPage,
  returningPage,
  wrongPersonPage,
} from '../consent/consent-page.ts'
import { isFault, writeFault } from './consent-faults.ts'

/** The consent screen of spec 4.1, on the owning partner's portal domain. */
export function consentRoutes(app: App, context: Context): void {
  app.get('/consent', async (request, reply) => {
    const query = readQuery(request.url)
    const secret = query.get('request') ?? ''
    const pending = await openRequest(context, secret, request, reply)
    if (!pending) return reply
    const session = await findVisitorSession(context, request)
    if (pending.prompt.includes('none')) {
      return writeVerdict(context, await answerSilently(context, pending.digest, session), pending, request, reply)
    }
    const brand = brandOfApplication(pending)
    if (pending.answered_at) {
      if (!isAskedIn(pending, session)) return writeFault('answered', reply, brand)
      return showPage(request, reply, 200, answeredPage({ brand, request: pending, secret }))
    }
    const verdict = judgeSession(pending, session, context.now())
    if (!session || verdict === 'sign_in') return seeOther(reply, signInFirst(secret, pending, session !== null))
    if (verdict === 'wrong_person') {
      return sendPage(reply, 403, wrongPersonPage({ brand, request: pending, secret, session }))
    }
    if (pending.prompt.includes('select_account') && session.signed_in_at < pending.created_at) {
      if (query.get('account') !== 'chosen') {
        return sendPage(reply, 200, accountChoicePage({ brand, request: pending, secret, session }))
      }
    }
    return showScreen(context, { status: 200, secret, pending, session }, request, reply)
  })

  app.post('/consent', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const secret = form.get('request') ?? ''
    const pending = await openRequest(context, secret, request, reply)
    if (!pending) return reply
    const session = await findVisitorSession(context, request)
    const mayAnswer = judgeSession(pending, session, context.now()) === 'go_on'
    if (pending.answered_at && !(mayAnswer && isAskedIn(pending, session))) {
      return writeFault('answered', reply, brandOfApplication(pending))
    }
    // The session ended while the screen was open: sign in, and see the screen anew.
    if (!session || !mayAnswer) return seeOther(reply, signInFirst(secret, pending, session !== null))
    const again = (status: number, fault?: string) =>
      showScreen(context, { status, secret, pending, session, fault }, request, reply)
    const decision = form.get('decision')
    const customerId = form.get('customer_id')
    if (form.repeated('decision', 'customer_id')) return again(400, 'Choose one organization and one answer.')
    if (decision !== 'approve' && decision !== 'decline') return again(400, 'Choose to connect or to decline.')
    if (decision === 'approve' && !customerId) return again(422, 'Choose an organization first.')
    const answer: ConsentAnswer = decision === 'approve' ? { decision, customer_id: customerId! } : { decision }
    const verdict = await answerConsent(context, pending.digest, session, answer)
    if (verdict.verdict === 'session_ended') return seeOther(reply, signInFirst(secret, pending, true))
    if (verdict.verdict === 'nothing_selectable') return again(403)
    if (verdict.verdict === 'not_selectable') return again(403, 'This organization cannot be chosen.')
    if (verdict.verdict === 'another_session') return again(409, 'Please look at this once more: your sign-in changed.')
    return writeVerdict(context, verdict, pending, request, reply)
  })
}

/** The request behind a secret while it can be answered here; otherwise the page that says why not has been sent. */
async function openRequest(
  context: Context,
  secret: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<PendingRequest | null> {
  const pending = await findRequest(context, secret)
  if (!pending) {
    await writeFault('unknown', reply, await brandOfHostname(context, request.host))
    return null
  }
  const { publicUrl } = context.addresses
  const brand = brandOfApplication(pending)
  const home = hostOf(publicUrl, pending.portal_domain ?? '')
  if (!pending.portal_domain || home !== hostOf(publicUrl, request.host)) {
    const sentence = home
      ? `This question is asked at ${schemeOf(publicUrl)}//${home} only.`
      : `${pending.partner_name} has no customer portal any more.`
    await sendRefusalPage(reply, { status: home ? 421 : 500, error: 'server_error', sentence, brand, title: elsewhere })
    return null
  }
  const fault = faultOfRequest(pending, context.now())
  if (fault) await writeFault(fault, reply, brand)
  return fault ? null : pending
}

const elsewhere = 'This page belongs elsewhere'

function signInFirst(secret: string, { login_hint, prompt }: PendingRequest, again: boolean): string {
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
  fault?: string | undefined
}

async function showScreen(
  context: Context,
  { status, secret, pending, session, fault }: Screen,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const seats = await showConsent(context, pending, session)
  const brand = brandOfApplication(pending)
  const page = consentPage({ brand, request: pending, secret, session, seats, fault })
  return showPage(request, reply, status, page)
}

/**
 * Chromium applies a page's `form-action` to every redirect that follows its form, and no list of origins can know where
 * a partner's callback leads on to. So the form goes to 'self' only, and a browser gets a page that refreshes to the
 * callback, which is no form submission any more; any other client gets the plain 303. Where a browser sends no
 * Sec-Fetch-Mode (plain http on a real host, or before 2023), the page goes without `form-action` (decision 10.3).
 */
function isBrowser({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-mode'] === 'navigate'
}

/** A page whose form leads back to the application. */
function showPage(request: FastifyRequest, reply: FastifyReply, status: number, page: Page) {
  return sendPage(reply, status, page, isBrowser(request) ? {} : { 'form-action': null })
}

function leadBack(request: FastifyRequest, reply: FastifyReply, pending: PendingRequest, location: string) {
  // Nothing that came by GET is a form's answer, so no policy stands in its way.
  if (request.method !== 'POST' || !isBrowser(request)) return seeOther(reply, location)
  const page = returningPage(brandOfApplication(pending), pending.application_name, location)
  return sendPage(reply.header('refresh', `0; url=${location}`), 200, page)
}

function writeVerdict(
  context: Context,
  verdict: AnswerVerdict,
  pending: PendingRequest,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (verdict.verdict !== 'redirect') {
    return writeFault(isFault(verdict.verdict) ? verdict.verdict : 'unknown', reply, brandOfApplication(pending))
  }
  if (verdict.error) {
    const reason = verdict.error === 'access_denied' ? 'user_declined' : 'interaction_needed'
    const about = { request_id: request.id, endpoint: 'authorize', application_id: pending.client_id } as const
    context.integrationLog.record({ ...about, status: 303, error: verdict.error, reason })
  }
  return leadBack(request, reply, pending, verdict.location)
}
