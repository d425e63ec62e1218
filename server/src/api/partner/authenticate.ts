import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import type { PeopleActor } from '../../directory/accounts/people-rights.ts'
import { readSession, type Visitor, visitorOf } from '../../directory/accounts/sessions.ts'
import { checkApiKey } from '../../directory/organization/api-keys.ts'
import { findPartnerOf } from '../../directory/partners/members.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import type { App } from '../../platform/http/server.ts'
import { notAuthorized, Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Callers } from '../shared/caller.ts'

/** Whoever comes in acts for this partner: one of its people at the portal, or a key they made for their cloud. */
export interface Caller {
  partner_id: string
  actor: PeopleActor
  /** Who is signed in; null for a key. */
  user_id: string | null
}

async function authenticate(context: Context, request: FastifyRequest): Promise<Caller> {
  const { headers } = request
  if (headers.authorization !== undefined) return await authenticateApiKey(context, headers.authorization)
  return await authenticateSession(context, visitorOf(request), headers['landbridge-partner'])
}

async function authenticateApiKey(context: Context, key: string): Promise<Caller> {
  const holder = await checkApiKey(context, key.trim())
  if (!holder?.partner_id) throw notAuthorized('API key unknown, revoked or not a partner’s')
  return { partner_id: holder.partner_id, actor: { kind: 'api_key', id: holder.id }, user_id: null }
}

async function authenticateSession(
  context: Context,
  visitor: Visitor,
  named: string | string[] | undefined,
): Promise<Caller> {
  const session = await readSession(context, visitor)
  if (!session) throw notAuthorized('no credential, or a session that has ended')
  if (named !== undefined && !isId(String(named))) throw membersOnly()
  const partnerId = await findPartnerOf(context, session.user_id, named === undefined ? null : String(named))
  if (partnerId === 'several') {
    const sentence = 'You belong to several partners: name one in the Landbridge-Partner header.'
    throw new Refusal(422, 'partner_required', sentence)
  }
  if (partnerId === null) throw membersOnly()
  return { partner_id: partnerId, actor: { kind: 'user', id: session.user_id }, user_id: session.user_id }
}

/** The same for a partner that does not exist and one the person does not belong to. */
function membersOnly(): Refusal {
  return new Refusal(403, 'partner_members_only', 'Only a person of this partner may do this.')
}

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Puts the door before every route of the scope; `callerOf(request)` tells who came in. */
export function guardPartner(app: App, context: Context): void {
  app.decorateRequest('access', null)
  app.addHook('onRequest', async (request) => {
    const access = await authenticate(context, request)
    if (access.user_id !== null && !readOnly.has(request.method)) {
      requireOwnOrigin(context.addresses.publicUrl, request)
    }
    request.setDecorator('access', access)
  })
}

export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('access')
}

/** A key must not be able to extend its own reach: keys and people are managed by people at the portal. */
export function requirePortalSession(access: Caller): void {
  if (access.user_id !== null) return
  const sentence = 'This is done by a person signed in to the partner portal, not with an API key.'
  throw new Refusal(403, 'portal_session_required', sentence)
}

/** The same door, as the routes see it that the organization API has too. */
export const callers: Callers = {
  api: 'Partner',
  ownerOf: (request) => ({ partner_id: callerOf(request).partner_id }),
  actorOf: (request) => callerOf(request).actor,
  requirePortalSession: (request) => requirePortalSession(callerOf(request)),
}
