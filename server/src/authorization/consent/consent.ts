import type { Context } from '../../context.ts'
import { holdSession, type Session } from '../../directory/accounts/sessions.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import {
  faultOfRequest,
  isAskedIn,
  lockRequest,
  type PendingRequest,
  type RequestFault,
} from '../authorize/pending-requests.ts'
import { withParameters } from '../authorize/redirect.ts'
import { judgeSession } from '../authorize/session-judgement.ts'
import { bindRequest, markAnswered } from '../store/authorization-requests.ts'
import { listConsentRows, lockConsentRow } from '../store/consent-rows.ts'
import { connect } from '../token/codes.ts'
import { type ConsentRow, judgeConsentRow, judgeSilent } from './consent-rows.ts'

/** The rows of the consent screen. From here on only the session that saw them may answer. */
export async function showConsent(context: Context, request: PendingRequest, session: Session): Promise<ConsentRow[]> {
  await bindRequest(context.sql, request.digest, session.digest)
  return await listConsentRows(context.sql, request.client_id, session.user_id)
}

export type ConsentAnswer = { decision: 'decline' } | { decision: 'approve'; customer_id: string }

export type AnswerVerdict =
  | { verdict: 'redirect'; location: string; error?: string }
  | { verdict: RequestFault | 'unknown' | 'another_session' | 'session_ended' }
  /** Nothing is spent: the person can choose again. */
  | { verdict: 'nothing_selectable' | 'not_selectable' }

/** A second click, or a page that was loaded again: what was decided stays decided, and leads back once more. */
function isRepeat({ answered_customer_id, answered_error }: PendingRequest, answer: ConsentAnswer): boolean {
  return answer.decision === 'approve'
    ? answered_customer_id === answer.customer_id
    : answered_error === 'access_denied'
}

/**
 * Every condition is checked again, under locks: what was true when the screen was shown may not be so any more. The
 * session that answered may repeat its answer while the request lasts, and gets a code of its own each time: the first
 * may have been lost with a cancelled navigation, or be on its way, so neither replaces the other.
 */
export async function answerConsent(
  context: Context,
  requestDigest: Buffer,
  session: Session,
  answer: ConsentAnswer,
): Promise<AnswerVerdict> {
  return await transaction(context.sql, async (sql): Promise<AnswerVerdict> => {
    const at = context.now()
    const request = await lockRequest(sql, requestDigest)
    if (!request) return { verdict: 'unknown' }
    const fault = faultOfRequest(request, at)
    if (fault) return { verdict: fault }
    if (!isAskedIn(request, session)) return { verdict: request.answered_at ? 'answered' : 'another_session' }
    if (request.answered_at && !isRepeat(request, answer)) return { verdict: 'answered' }
    if (!(await holdSession(sql, session)) || judgeSession(request, session, at) !== 'go_on') {
      return { verdict: request.answered_at ? 'answered' : 'session_ended' }
    }
    const customerId = answer.decision === 'approve' && isId(answer.customer_id) ? answer.customer_id : null
    if (customerId) await lockConsentRow(sql, request.client_id, customerId, session.user_id)
    const seats = await listConsentRows(sql, request.client_id, session.user_id)
    if (!seats.some((seat) => judgeConsentRow(seat) === 'selectable')) return { verdict: 'nothing_selectable' }
    if (answer.decision === 'decline') return await refuse(context, sql, request, session, 'access_denied')
    const seat = seats.find(({ customer_id }) => customer_id === customerId)
    if (!seat || judgeConsentRow(seat) !== 'selectable') return { verdict: 'not_selectable' }
    // Withdrawn since: a page that is sent once more must not approve anew.
    if (request.answered_at && !seat.approved) return { verdict: 'answered' }
    return await approve(context, sql, request, session, seat)
  })
}

/** prompt=none: the answer is given without a screen. Loaded again in the same session, it leads back once more. */
export async function answerSilently(
  context: Context,
  requestDigest: Buffer,
  session: Session | null,
): Promise<AnswerVerdict> {
  return await transaction(context.sql, async (sql): Promise<AnswerVerdict> => {
    const at = context.now()
    const request = await lockRequest(sql, requestDigest)
    if (!request) return { verdict: 'unknown' }
    const fault = faultOfRequest(request, at)
    if (fault) return { verdict: fault }
    if (request.answered_at && !isAskedIn(request, session)) return { verdict: 'answered' }
    if (request.answered_error) return await refuse(context, sql, request, session, request.answered_error)
    if (!session || judgeSession(request, session, at) !== 'go_on' || !(await holdSession(sql, session))) {
      return await refuse(context, sql, request, session, 'login_required')
    }
    const silent = judgeSilent(await listConsentRows(sql, request.client_id, session.user_id))
    if (silent.verdict === 'error') return await refuse(context, sql, request, session, silent.error)
    await lockConsentRow(sql, request.client_id, silent.customer_id, session.user_id)
    const seats = await listConsentRows(sql, request.client_id, session.user_id)
    const seat = seats.find(({ customer_id }) => customer_id === silent.customer_id)
    if (!seat?.approved || judgeConsentRow(seat) !== 'selectable') {
      return await refuse(context, sql, request, session, 'interaction_required')
    }
    return await approve(context, sql, request, session, seat)
  })
}

async function approve(
  context: Context,
  sql: Sql,
  request: PendingRequest,
  session: Session,
  seat: ConsentRow,
): Promise<AnswerVerdict> {
  const at = context.now()
  const { client_id, redirect_uri, code_challenge, nonce, scope } = request
  const code = await connect(sql, {
    at,
    client_id,
    customer_id: seat.customer_id,
    user_id: session.user_id,
    approves: seat.role === 'administrator',
    redirect_uri,
    code_challenge,
    nonce,
    scope,
    auth_time: session.signed_in_at,
  })
  await markAnswered(sql, request.digest, {
    answered_at: at,
    session_digest: session.digest,
    answered_customer_id: seat.customer_id,
    answered_error: null,
  })
  const { publicUrl: iss } = context.addresses
  return { verdict: 'redirect', location: withParameters(redirect_uri, { code, state: request.state, iss }) }
}

async function refuse(
  context: Context,
  sql: Sql,
  request: PendingRequest,
  session: Session | null,
  error: string,
): Promise<AnswerVerdict> {
  await markAnswered(sql, request.digest, {
    answered_at: context.now(),
    session_digest: session?.digest ?? null,
    answered_customer_id: null,
    answered_error: error,
  })
  // 4.1: access_denied goes without a description.
  const error_description = silentDescriptions[error]
  const { publicUrl: iss } = context.addresses
  const parameters = { error, error_description, state: request.state, iss }
  return { verdict: 'redirect', error, location: withParameters(request.redirect_uri, parameters) }
}

const silentDescriptions: Record<string, string> = {
  login_required: 'The person is not signed in, not recently enough, or not the one of the hint',
  consent_required: 'An administrator has to approve the application first',
  interaction_required: 'The person has to choose an organization, or has none that can be chosen',
}
