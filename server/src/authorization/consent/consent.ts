import { holdSession, type Session } from '../../directory/accounts/sessions.ts'
import { listUpperSpaces, nameSpaces, type SpaceChoice } from '../../directory/organization/upper-spaces.ts'
import { transaction } from '../../platform/database/database.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import {
  isBoundTo,
  lockRequest,
  type PendingRequest,
  problemOfRequest,
  type RequestProblem,
} from '../authorize/pending-requests.ts'
import { withParameters } from '../authorize/redirect-uri.ts'
import { judgeSession } from '../authorize/session-judgement.ts'
import type { Context } from '../context.ts'
import { lockDecision } from '../store/approvals.ts'
import { bindRequest, recordDecision } from '../store/authorization-requests.ts'
import { type GroupChoice, listAdministratorsOf, listGroupsOf, lockConsentRow } from '../store/consent-rows-sql.ts'
import { type ApprovedReach, decideReach, isApprovedAs, newAreas, type ReachChoice } from './approved-reach.ts'
import { connect } from './connect.ts'
import {
  approvesIt,
  type ConsentRow,
  type ConsentRowVerdict,
  judgeConsentRow,
  judgeSilent,
  readConsentRows,
  spacesPerRow,
} from './consent-rows.ts'
import { askedText } from './reach-form.ts'
import type { SignInPolicy } from './sign-in-policy.ts'

/** The rows of the consent screen. From now on only this session may decide. */
export async function openConsent(context: Context, request: PendingRequest, session: Session): Promise<ConsentRow[]> {
  await bindRequest(context.sql, request.digest, session.digest)
  return await readConsentRows(context.sql, request.client_id, session, context.now())
}

/** An active member whom an administrator can help, and not only they themselves; one who was deactivated no longer learns who they are. */
function needsHelp(verdict: ConsentRowVerdict): boolean {
  return verdict !== 'selectable' && verdict !== 'inactive' && verdict !== 'second_factor'
}

/** What the screen needs besides its rows, for those that it shows. */
export async function describeRows(
  { sql }: Context,
  rows: ConsentRow[],
): Promise<{
  groups: GroupChoice[]
  administrators: string[]
  spaces: SpaceChoice[]
  spaceNames: Map<string, string>
}> {
  const idsOf = (chosen: ConsentRow[]) => chosen.map(({ customer_id }) => customer_id)
  const approving = rows.filter(approvesIt)
  // All of them, since those that were deleted are told apart by having no name.
  const namedSpaces = rows.flatMap(({ within }) => within ?? [])
  const [groups, spaces, spaceNames, administrators] = await Promise.all([
    listGroupsOf(sql, idsOf(approving), maxGroups),
    listUpperSpaces(sql, idsOf(approving), spacesPerRow(approving.length) + 1),
    nameSpaces(sql, namedSpaces),
    listAdministratorsOf(sql, idsOf(rows.filter((row) => needsHelp(judgeConsentRow(row)))), maxAdministrators),
  ])
  return { groups, administrators, spaces, spaceNames }
}

/** Enough for most organizations; the others narrow the approval in the portal. */
const maxGroups = 50
const maxAdministrators = 5

export type ConsentDecision =
  | { decision: 'decline' }
  | {
      decision: 'approve'
      customer_id: string
      /** Who else may connect it, if this approves it for the customer: `everyone` unless told otherwise. */
      policy?: SignInPolicy | undefined
      /** What it may do, if this decides about it: what it asks for unless told otherwise. */
      reach?: ReachChoice | undefined
      /** What the screen showed as asked for; undefined for a client that sends no such field. */
      asked?: string | undefined
      /** Whether the screen showed it as approved. */
      shownApproved?: boolean
    }

/** The screen is outdated, or what was chosen on it cannot be had: the person decides again. */
export type ScreenProblem =
  | 'asked_changed'
  | 'withdrawn_meanwhile'
  | 'approved_meanwhile'
  | 'beyond_asked'
  | 'group_gone'
  | 'space_gone'

export type ConsentVerdict =
  | { verdict: 'redirect'; location: string; error?: string }
  | { verdict: RequestProblem | 'unknown' | 'another_session' | 'session_ended' }
  /** Nothing is recorded: the person can choose again. */
  | { verdict: 'nothing_selectable' | 'not_selectable' | ScreenProblem }

/** The same decision again, by a second click or a reloaded page. */
function isRepeat({ approved_customer_id, returned_error }: PendingRequest, decision: ConsentDecision): boolean {
  return decision.decision === 'approve'
    ? approved_customer_id === decision.customer_id
    : returned_error === 'access_denied'
}

/** Locks the request for a decision; a verdict when there is nothing to decide any more. */
export async function lockPending(
  sql: Sql,
  digest: Buffer,
  at: Date,
): Promise<PendingRequest | { verdict: RequestProblem | 'unknown' }> {
  const request = await lockRequest(sql, digest)
  if (!request) return { verdict: 'unknown' }
  const problem = problemOfRequest(request, at)
  return problem ? { verdict: problem } : request
}

/**
 * Every condition is checked again, under locks: it may have changed since the screen was shown. The session that
 * decided may repeat its decision while the request lasts, and gets another code each time: the first may have been lost
 * with a cancelled navigation, or be in use, so neither replaces the other (decision 6.15).
 */
export async function decideConsent(
  context: Context,
  requestDigest: Buffer,
  session: Session,
  decision: ConsentDecision,
): Promise<ConsentVerdict> {
  return await transaction(context.sql, async (sql): Promise<ConsentVerdict> => {
    const at = context.now()
    const request = await lockPending(sql, requestDigest, at)
    if ('verdict' in request) return request
    if (!isBoundTo(request, session)) return { verdict: request.decided_at ? 'decided' : 'another_session' }
    if (request.decided_at && !isRepeat(request, decision)) return { verdict: 'decided' }
    if (!(await holdSession(sql, session)) || judgeSession(request, session, at) !== 'proceed') {
      return { verdict: request.decided_at ? 'decided' : 'session_ended' }
    }
    const customerId = decision.decision === 'approve' && isId(decision.customer_id) ? decision.customer_id : null
    const choice = decision.decision === 'approve' ? decision.reach : undefined
    const { client_id: clientId } = request
    const who = { clientId, userId: session.user_id }
    if (customerId) await lockConsentRow(sql, { ...who, customerId }, choice !== undefined)
    // Another administrator's approval on its way is seen below.
    if (customerId && choice) await lockDecision(sql, clientId, customerId)
    const rows = await readConsentRows(sql, request.client_id, session, at)
    if (!rows.some((row) => judgeConsentRow(row) === 'selectable')) return { verdict: 'nothing_selectable' }
    if (decision.decision === 'decline') return await refuse(context, sql, request, session, 'access_denied')
    const row = rows.find(({ customer_id }) => customer_id === customerId)
    if (!row || judgeConsentRow(row) !== 'selectable') return { verdict: 'not_selectable' }
    // The approval was withdrawn in between: a repeated decision must not approve again.
    if (request.decided_at && !row.approved) return { verdict: 'decided' }
    const reach = decidedReach(request, row, decision)
    if (typeof reach === 'string') return { verdict: reach }
    return await approve(context, sql, request, session, row, { policy: decision.policy, reach })
  })
}

/** Null when the decision leaves an approval as it is. */
function decidedReach(
  request: PendingRequest,
  row: ConsentRow,
  { asked, shownApproved, reach: choice }: Extract<ConsentDecision, { decision: 'approve' }>,
): ApprovedReach | null | ScreenProblem {
  if (row.role !== 'administrator') return null
  const isFirst = request.decided_at === null
  if (isFirst && asked !== undefined && asked !== askedText(request.requested_permissions)) return 'asked_changed'
  // A screen that showed an approval offered no choice: its click must not give one anew.
  if (shownApproved && !row.approved) return 'withdrawn_meanwhile'
  if (!choice) return null
  if (!row.approved || newAreas(row).length > 0) return decideReach(row, choice) ?? 'beyond_asked'
  return isFirst && !isApprovedAs(row, choice) ? 'approved_meanwhile' : null
}

/** prompt=none: decided without a screen. Loaded again in the same session, it redirects again. */
export async function decideSilently(
  context: Context,
  requestDigest: Buffer,
  session: Session | null,
): Promise<ConsentVerdict> {
  return await transaction(context.sql, async (sql): Promise<ConsentVerdict> => {
    const at = context.now()
    const request = await lockPending(sql, requestDigest, at)
    if ('verdict' in request) return request
    if (request.decided_at && !isBoundTo(request, session)) return { verdict: 'decided' }
    if (request.returned_error) return await refuse(context, sql, request, session, request.returned_error)
    if (!session || judgeSession(request, session, at) !== 'proceed' || !(await holdSession(sql, session))) {
      return await refuse(context, sql, request, session, 'login_required')
    }
    const silent = judgeSilent(await readConsentRows(sql, request.client_id, session, at))
    if (silent.verdict === 'error') return await refuse(context, sql, request, session, silent.error)
    const { client_id: clientId } = request
    await lockConsentRow(sql, { clientId, customerId: silent.customer_id, userId: session.user_id })
    const rows = await readConsentRows(sql, request.client_id, session, at)
    const row = rows.find(({ customer_id }) => customer_id === silent.customer_id)
    if (!row?.approved || judgeConsentRow(row) !== 'selectable') {
      return await refuse(context, sql, request, session, 'interaction_required')
    }
    return await approve(context, sql, request, session, row, { reach: null })
  })
}

async function approve(
  context: Context,
  sql: Sql,
  request: PendingRequest,
  session: Session,
  row: ConsentRow,
  { policy = { kind: 'everyone' }, reach }: { policy?: SignInPolicy | undefined; reach: ApprovedReach | null },
): Promise<ConsentVerdict> {
  const at = context.now()
  const code = await connect(context, sql, { request, session, row, policy, reach, at })
  const decision = { decided_at: at, approved_customer_id: row.customer_id, returned_error: null }
  await recordDecision(sql, request.digest, { ...decision, session_digest: session.digest })
  return { verdict: 'redirect', location: callback(context, request, { code }) }
}

async function refuse(
  context: Context,
  sql: Sql,
  request: PendingRequest,
  session: Session | null,
  error: string,
): Promise<ConsentVerdict> {
  const decision = { decided_at: context.now(), approved_customer_id: null, returned_error: error }
  await recordDecision(sql, request.digest, { ...decision, session_digest: session?.digest ?? null })
  // Contract 4.1: access_denied has no description.
  const error_description = silentDescriptions[error]
  return { verdict: 'redirect', error, location: callback(context, request, { error, error_description }) }
}

function callback(context: Context, request: PendingRequest, outcome: Record<string, string | undefined>): string {
  return withParameters(request.redirect_uri, { ...outcome, state: request.state, iss: context.addresses.publicUrl })
}

const silentDescriptions: Record<string, string> = {
  login_required: 'The person is not signed in, signed in too long ago, or is not the one of the hint',
  consent_required: 'An administrator has to approve the application first',
  interaction_required: 'The person has to choose an organization, or has none to choose from',
}
