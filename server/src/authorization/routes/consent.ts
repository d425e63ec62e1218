import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { Parameters, readQuery } from '../../platform/http/form.ts'
import { hostOf, requireOwnOrigin, schemeOf } from '../../platform/http/origin.ts'
import type { App } from '../../platform/http/server.ts'
import { formActionTo } from '../../platform/pages/headers.ts'
import { type Brand, seeOther, sendPage } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusals.ts'
import {
  type AnswerVerdict,
  answerConsent,
  answerSilently,
  type ConsentAnswer,
  isFresh,
  showConsent,
} from '../consent.ts'
import { accountChoicePage, consentPage } from '../consent-page.ts'
import { faultOfRequest, findRequest, type PendingRequest, type RequestFault } from '../requests.ts'
import { houseAt, houseOf, type Session, whoVisits } from '../visitor.ts'

/** The consent screen of spec 4.1, on the owning partner's portal domain. */
export function consentRoutes(app: App, context: Context): void {
  app.get('/consent', async (request, reply) => {
    const query = readQuery(request.url)
    const secret = query.get('request') ?? ''
    const pending = await openRequest(context, secret, request, reply)
    if (!pending) return reply
    const session = await whoVisits(context, request)
    if (pending.prompt.includes('none')) {
      return writeVerdict(context, await answerSilently(context, pending.digest, session), pending, request, reply)
    }
    if (!session || !isFresh(pending, session, context.now())) {
      return seeOther(reply, signInFirst(secret, pending, session !== null))
    }
    const brand = houseOf(pending)
    if (pending.prompt.includes('select_account') && session.signed_in_at < pending.created_at) {
      if (query.get('account') !== 'chosen') {
        return sendPage(reply, 200, accountChoicePage({ brand, request: pending, secret, session }))
      }
    }
    return showScreen(context, { status: 200, secret, pending, session }, reply)
  })

  app.post('/consent', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = request.body instanceof Parameters ? request.body : new Parameters('')
    const secret = form.get('request') ?? ''
    const pending = await openRequest(context, secret, request, reply)
    if (!pending) return reply
    const session = await whoVisits(context, request)
    // The session ended while the screen was open: sign in, and see the screen anew.
    if (!session || !isFresh(pending, session, context.now())) {
      return seeOther(reply, signInFirst(secret, pending, session !== null))
    }
    const again = (status: number, fault?: string) =>
      showScreen(context, { status, secret, pending, session, fault }, reply)
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
    await writeFault('unknown', reply, await houseAt(context, request.host))
    return null
  }
  const { publicUrl } = context.addresses
  const brand = houseOf(pending)
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

async function showScreen(context: Context, { status, secret, pending, session, fault }: Screen, reply: FastifyReply) {
  const seats = await showConsent(context, pending, session)
  const brand = houseOf(pending)
  const page = consentPage({ brand, request: pending, secret, session, seats, fault })
  return sendPage(reply, status, page, { 'form-action': formActionTo(pending.redirect_uri) })
}

function writeVerdict(
  context: Context,
  verdict: AnswerVerdict,
  pending: PendingRequest,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (verdict.verdict !== 'redirect') {
    const fault = verdict.verdict in faults ? (verdict.verdict as Fault) : 'unknown'
    return writeFault(fault, reply, houseOf(pending))
  }
  if (verdict.error) {
    const reason = verdict.error === 'access_denied' ? 'user_declined' : 'interaction_needed'
    const about = { request_id: request.id, endpoint: 'authorize', application_id: pending.client_id } as const
    context.failures.note({ ...about, status: 303, error: verdict.error, reason })
  }
  return seeOther(reply, verdict.location)
}

type Fault = RequestFault | 'unknown'

const startAgain = 'Go back to the application and start again from there.'

const faults: Record<Fault, { status: number; error: string; title: string; sentence: string; next: string }> = {
  unknown: {
    status: 404,
    error: 'invalid_request',
    title: 'This question is no longer open',
    sentence: 'The address is not complete, or it is too old.',
    next: startAgain,
  },
  expired: {
    status: 410,
    error: 'invalid_request',
    title: 'This took too long',
    sentence: 'For your safety a question like this stays open for a quarter of an hour only. Nothing was connected.',
    next: startAgain,
  },
  answered: {
    status: 410,
    error: 'invalid_request',
    title: 'You have already answered',
    sentence: 'This question was answered before, here or in another tab, and cannot be answered twice.',
    next: 'Go back to the application: if it is not connected, start again from there.',
  },
  disabled: {
    status: 400,
    error: 'invalid_client',
    title: 'This application cannot be connected',
    sentence: 'The application has been disabled in the meantime. Nothing was connected.',
    next: 'If you did not expect this, tell the people who make it.',
  },
  redirect_uri_gone: {
    status: 400,
    error: 'invalid_request',
    title: 'This application cannot be connected',
    sentence: 'The address to return to is no longer registered for this application. Nothing was connected.',
    next: startAgain,
  },
}

function writeFault(fault: Fault, reply: FastifyReply, brand?: Brand) {
  return sendRefusalPage(reply, { ...faults[fault], brand })
}
