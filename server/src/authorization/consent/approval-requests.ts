import { tellOfApproval } from '../../directory/accounts/approval-mails.ts'
import { holdSession, type Session } from '../../directory/accounts/sessions.ts'
import { applicationLogoPath } from '../../directory/partners/logo.ts'
import { recordAudit } from '../../events/audit.ts'
import { queueEvent } from '../../events/outbox.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../../platform/http/pagination.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { conflict, notFound } from '../../platform/refusal.ts'
import { isId, newId } from '../../platform/secrets/identifiers.ts'
import { isBoundTo, type RequestProblem } from '../authorize/pending-requests.ts'
import { judgeSession } from '../authorize/session-judgement.ts'
import type { Context } from '../context.ts'
import * as store from '../store/approval-requests-sql.ts'
import { lockDecision } from '../store/approvals.ts'
import { lockConsentRow } from '../store/consent-rows-sql.ts'
import { approve } from './approve.ts'
import { lockPending } from './consent.ts'
import { judgeConsentRow, readConsentRows } from './consent-rows.ts'
import type { SignInPolicy } from './sign-in-policy.ts'

export { closeRequestsOfApplication, type OwnRequest } from '../store/approval-requests-sql.ts'

export type AskVerdict =
  | RequestProblem
  | 'unknown'
  | 'session_ended'
  | 'asked'
  /** An approval is not what is missing, or not any more. */
  | 'not_needed'
  | 'declined_lately'
  | 'too_many'

/** A member asks the administrators of a customer to approve the application whose consent screen is open. */
export async function askForApproval(
  context: Context,
  requestDigest: Buffer,
  session: Session,
  { customerId, note }: { customerId: string; note: string | null },
): Promise<AskVerdict> {
  const { user_id } = session
  if (!isId(customerId)) return 'not_needed'
  if (!(await context.limits.take(`ask ${user_id}`, ownLimits.approvalRequestsPerUser))) return 'too_many'
  return await transaction(context.sql, async (sql): Promise<AskVerdict> => {
    const at = context.now()
    const request = await lockPending(sql, requestDigest, at)
    if ('verdict' in request) return request.verdict
    if (request.decided_at) return 'decided'
    const mayAsk = isBoundTo(request, session) && judgeSession(request, session, at) === 'proceed'
    if (!mayAsk || !(await holdSession(sql, session))) return 'session_ended'
    const { client_id, partner_id } = request
    await lockConsentRow(sql, { clientId: client_id, customerId, userId: user_id })
    // An approval on its way is seen below, or sees this request.
    await lockDecision(sql, client_id, customerId)
    const rows = await readConsentRows(sql, client_id, session, at)
    const row = rows.find(({ customer_id }) => customer_id === customerId)
    if (!row || judgeConsentRow(row) !== 'not_approved') return 'not_needed'
    if (row.asked_at && row.outcome === null) return 'asked'
    if ((await store.countOpenRequestsOf(sql, customerId, user_id)) >= ownLimits.openApprovalRequests) return 'too_many'
    const asked = { id: newId(), client_id, customer_id: customerId, user_id, note, requested_at: at }
    const declinedBefore = new Date(at.getTime() - ownLimits.askAgainAfterMilliseconds)
    if (!(await store.insertApprovalRequest(sql, asked, declinedBefore))) return 'declined_lately'
    const actor = { kind: 'user', id: user_id } as const
    const about = { application_id: client_id, customer_id: customerId }
    await recordAudit(sql, { type: 'approval.requested', at, actor, ...about, details: { request_id: asked.id } })
    await queueEvent(sql, { partner_id, type: 'approval.requested', at, data: { client_id } })
    await tellOfApproval(context, sql, 'requested', { client_id, customer_id: customerId, user_id })
    return 'asked'
  })
}

const maxOwnRequests = 50

export async function listRequestsOf(context: Context, userId: string): Promise<store.OwnRequest[]> {
  return await store.listRequestsOf(context.sql, userId, maxOwnRequests)
}

/** A request that no administrator has decided yet. */
export interface ApprovalRequest {
  id: string
  application: {
    client_id: string
    name: string
    partner_name: string
    partner_domain: string | null
    home_page: string | null
    logo: string | null
  }
  user: { id: string; name: string; email: string }
  note: string | null
  requested_at: Date
}

export async function listApprovalRequests(
  context: Context,
  customerId: string,
  request: PageRequest,
): Promise<Page<ApprovalRequest>> {
  const range = pageRange(request)
  const rows = await store.listOpenRequests(context.sql, customerId, range)
  return toPage(rows.map(toApprovalRequest), range, ({ id }) => id)
}

function toApprovalRequest(row: store.OpenRequest): ApprovalRequest {
  const { id, client_id, name, partner_name, partner_domain, home_page, logo_version, note, requested_at } = row
  const logo = applicationLogoPath(client_id, logo_version)
  return {
    id,
    application: { client_id, name, partner_name, partner_domain, home_page, logo },
    user: { id: row.user_id, name: row.user_name, email: row.user_email },
    note,
    requested_at,
  }
}

interface RequestTarget {
  customer_id: string
  id: string
  /** The administrator. */
  user_id: string
}

/** Approves the application for the customer, and decides the requests of everybody there. */
export async function approveRequest(
  context: Context,
  { customer_id, id, user_id }: RequestTarget,
  policy: SignInPolicy,
): Promise<{ client_id: string }> {
  const at = context.now()
  return await transaction(context.sql, async (sql) => {
    const application = await store.lockRequestedApplication(sql, customer_id, id)
    if (!application) throw await whyNot(sql, customer_id, id)
    const { client_id } = application
    const isNew = await approve(context, sql, { ...application, customer_id, user_id, policy, at })
    // Whoever decides first locks the request: for the other one nothing is left to decide.
    const decided = await store.approveRequests(sql, client_id, customer_id, at)
    if (!isNew || !decided.includes(id)) throw decidedMeanwhile()
    return { client_id }
  })
}

export async function declineRequest(context: Context, { customer_id, id, user_id }: RequestTarget): Promise<void> {
  const at = context.now()
  await transaction(context.sql, async (sql) => {
    const application = await store.declineRequest(sql, customer_id, id, at)
    if (!application) throw await whyNot(sql, customer_id, id)
    const actor = { kind: 'user', id: user_id } as const
    const about = { application_id: application.client_id, customer_id }
    await recordAudit(sql, { type: 'approval.declined', at, actor, ...about, details: { request_id: id } })
  })
}

async function whyNot(sql: Sql, customerId: string, id: string): Promise<Error> {
  return (await store.hasRequest(sql, customerId, id)) ? decidedMeanwhile() : notFound('request')
}

function decidedMeanwhile(): Error {
  return conflict('already_decided', 'This request was already decided, or its application was disabled.')
}
