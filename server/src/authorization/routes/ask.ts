import type { FastifyReply } from 'fastify'
import type { App } from '../../platform/http/app.ts'
import { readQuery } from '../../platform/http/form.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import { seeOther, sendPage } from '../../platform/pages/page.ts'
import { printable } from '../../platform/texts.ts'
import {
  brandOfApplication,
  brandOfHost,
  type PendingRequest,
  presentedSession,
  readSession,
  type Session,
} from '../authorize/pending-requests.ts'
import { judgeSession } from '../authorize/session-judgement.ts'
import { type AskVerdict, askForApproval, listRequestsOf } from '../consent/approval-requests.ts'
import { askPage, askPath, maxNote, ownRequestsPage } from '../consent/ask-page.ts'
import { describeRows, openConsent } from '../consent/consent.ts'
import { judgeConsentRow } from '../consent/consent-rows.ts'
import type { Context } from '../context.ts'
import { isConsentProblem, sendProblemPage } from './consent-problems.ts'
import { openRequest, signInFirst } from './consent-routes.ts'
import { formOf } from './oauth-endpoint.ts'

/** A member asks an administrator to approve an application, and learns what came of it. */
export function askRoutes(app: App, context: Context): void {
  app.get('/consent/ask', async (request, reply) => {
    const query = readQuery(request.url)
    const asking = await openAsking(context, query.get('request') ?? '', reply)
    return asking ? showAskPage(context, { ...asking, customerId: query.get('customer_id') ?? '' }, reply) : reply
  })

  app.post('/consent/ask', async (request, reply) => {
    requireOwnOrigin(context.addresses.publicUrl, request)
    const form = formOf(request.body)
    const secret = form.get('request') ?? ''
    const customerId = form.get('customer_id') ?? ''
    const asking = await openAsking(context, secret, reply)
    if (!asking) return reply
    const { pending, session } = asking
    const asked = { customerId, note: readNote(form.get('note')) }
    const verdict = await askForApproval(context, pending.digest, session, asked)
    if (isConsentProblem(verdict)) return sendProblemPage(verdict, reply, brandOfApplication(pending))
    if (verdict === 'session_ended') return seeOther(reply, signInFirst(secret, pending, true))
    const problem = problems[verdict]
    if (problem) return showAskPage(context, { ...asking, customerId, ...problem }, reply)
    return seeOther(reply, verdict === 'not_needed' ? `/consent?request=${secret}` : askPath(secret, customerId))
  })

  app.get('/approval-requests', async (request, reply) => {
    const session = await readSession(context, presentedSession(request))
    if (!session) return seeOther(reply, '/sign-in?return_to=/approval-requests')
    const requests = await listRequestsOf(context, session.user_id)
    return sendPage(reply, 200, ownRequestsPage({ brand: await brandOfHost(context, request.host), requests }))
  })
}

const problems: Partial<Record<AskVerdict, { status: number; problem: string }>> = {
  declined_lately: {
    status: 409,
    problem: 'An administrator declined this a short time ago. You can ask again seven days later.',
  },
  too_many: {
    status: 429,
    problem: 'You have asked too often. Wait until an administrator has decided your other requests.',
  },
}

/** One paragraph. What the rule for texts refuses is shown as a question mark: the request matters more than its note. */
function readNote(text: string | undefined): string | null {
  const note = printable((text ?? '').replaceAll(/\s+/g, ' ')).trim()
  return [...note].slice(0, maxNote).join('') || null
}

interface Asking {
  secret: string
  pending: PendingRequest
  session: Session
}

async function openAsking(context: Context, secret: string, reply: FastifyReply): Promise<Asking | null> {
  const pending = await openRequest(context, secret, reply)
  if (!pending) return null
  const session = await readSession(context, presentedSession(reply.request))
  if (session && !pending.decided_at && judgeSession(pending, session, context.now()) === 'proceed') {
    return { secret, pending, session }
  }
  if (pending.decided_at) await sendProblemPage('decided', reply, brandOfApplication(pending))
  else await seeOther(reply, signInFirst(secret, pending, session !== null))
  return null
}

interface AskScreen extends Asking {
  customerId: string
  status?: number
  problem?: string
}

async function showAskPage(context: Context, screen: AskScreen, reply: FastifyReply) {
  const { secret, pending, session, customerId, status = 200, problem } = screen
  const rows = await openConsent(context, pending, session)
  const row = rows.find(({ customer_id }) => customer_id === customerId)
  // Approved meanwhile, or no such organization of theirs: the consent screen says what is possible.
  if (!row || judgeConsentRow(row) !== 'not_approved') return seeOther(reply, `/consent?request=${secret}`)
  const { administrators } = await describeRows(context, [row])
  const brand = brandOfApplication(pending)
  return sendPage(reply, status, askPage({ brand, request: pending, secret, session, row, administrators, problem }))
}
