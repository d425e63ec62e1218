import type { FastifyRequest } from 'fastify'
import { type PeopleActor, partnerMembersOnly } from '../../directory/accounts/people-rights.ts'
import { type PresentedSession, presentedSession, readSession } from '../../directory/accounts/sessions.ts'
import { checkApiKey } from '../../directory/api-key-look-up.ts'
import { findPartnerOf } from '../../directory/partners/partner-members.ts'
import type { App } from '../../platform/http/app.ts'
import { notAuthorized, Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { authenticateRequests, type Callers } from '../shared/caller.ts'
import { limitWrongKeys } from '../shared/wrong-keys.ts'

/** One of the partner's people, signed in to the portal, or an API key they created for their cloud. */
export interface Caller {
  partner_id: string
  actor: PeopleActor
  /** The person signed in to the portal; null for an API key. */
  user_id: string | null
}

/** Also for a request that has waited: its credential may have ended. */
export async function authenticate(context: Context, request: FastifyRequest): Promise<Caller> {
  const { headers } = request
  if (headers.authorization !== undefined) {
    try {
      return await authenticateApiKey(context, headers.authorization)
    } catch (error) {
      throw error instanceof Refusal ? await limitWrongKeys(context, request, error) : error
    }
  }
  return await authenticateSession(context, presentedSession(request), headers['landbridge-partner'])
}

async function authenticateApiKey(context: Context, key: string): Promise<Caller> {
  const holder = await checkApiKey(context, key.trim())
  if (!holder?.partner_id) throw notAuthorized('API key unknown, revoked or not a partner’s')
  return { partner_id: holder.partner_id, actor: { kind: 'api_key', id: holder.id }, user_id: null }
}

async function authenticateSession(
  context: Context,
  presented: PresentedSession,
  named: string | string[] | undefined,
): Promise<Caller> {
  const session = await readSession(context, presented)
  if (!session) throw notAuthorized('no credential, or a session that has ended')
  if (named !== undefined && !isId(String(named))) throw partnerMembersOnly()
  const partnerId = await findPartnerOf(context, session.user_id, named === undefined ? null : String(named))
  if (partnerId === 'several') {
    const sentence = 'You belong to several partners. Name one in the Landbridge-Partner header.'
    throw new Refusal(422, 'partner_required', sentence)
  }
  if (partnerId === null) throw partnerMembersOnly()
  return { partner_id: partnerId, actor: { kind: 'user', id: session.user_id }, user_id: session.user_id }
}

/** Authenticates every request of the scope; `callerOf(request)` then returns its caller. */
export function authenticatePartner(app: App, context: Context): void {
  authenticateRequests<Caller>(app, context, {
    authenticate: (request) => authenticate(context, request),
    tenantOf: ({ partner_id }) => ({ partner_id }),
  })
}

export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}

/** An API key must not extend its own reach: API keys and members are managed by people in the portal. */
export function requirePortalSession(request: FastifyRequest): void {
  if (callerOf(request).user_id !== null) return
  const sentence = 'Only a person signed in to the partner portal can do this, not an API key.'
  throw new Refusal(403, 'portal_session_required', sentence)
}

/** For the routes that the organization API has too. */
export const callers: Callers = {
  api: 'Partner',
  ownerOf: (request) => ({ partner_id: callerOf(request).partner_id }),
  wholeOf: (request) => ({ partner_id: callerOf(request).partner_id }),
  devicesOf: (request) => ({ partner_id: callerOf(request).partner_id }),
  actorOf: (request) => callerOf(request).actor,
  requirePortalSession,
}
