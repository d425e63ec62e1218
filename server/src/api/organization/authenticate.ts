import type { FastifyRequest } from 'fastify'
import { checkBearer } from '../../authorization/token/bearer.ts'
import type { Context } from '../../context.ts'
import type { PeopleActor } from '../../directory/accounts/people-rights.ts'
import { peekSession, readSession, type Visitor, visitorOf } from '../../directory/accounts/sessions.ts'
import { checkApiKey } from '../../directory/organization/api-keys.ts'
import { findAdministered } from '../../directory/organization/members.ts'
import { requireOwnOrigin } from '../../platform/http/origin.ts'
import type { App } from '../../platform/http/server.ts'
import { notAuthorized, Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Callers } from '../shared/caller.ts'

/** One door, three keys to it: whoever comes in acts for this customer, with its full administrative reach (spec 2.3). */
export interface Caller {
  credential: 'bearer' | 'api_key' | 'session'
  customer_id: string
  actor: PeopleActor
  /** The application whose token it is; null for the other doors. */
  client_id: string | null
  /** The grant that token belongs to; null for the other callers. */
  grant_id: string | null
  /** Who is signed in to the portal; null for the other doors. A token's user has no say here: the grant does. */
  user_id: string | null
}

/** What a request shows at the door. Kept apart from the request, so that a live stream can show it again. */
export interface Credentials {
  authorization: string | undefined
  visitor: Visitor
  /** The customer a session means: the `Landbridge-Customer` header, or `?customer_id=` where a header cannot be sent. */
  customer: string | undefined
}

export function credentialsOf(request: FastifyRequest): Credentials {
  const { headers, query } = request
  const named = headers['landbridge-customer'] ?? (query as Record<string, unknown>).customer_id
  return {
    authorization: headers.authorization,
    visitor: visitorOf(request),
    // Anything but one name names nobody.
    customer: named === undefined ? undefined : String(named),
  }
}

/** An open stream shows its credentials again and again; a session is not in use for that. */
export function authenticateAgain(context: Context, credentials: Credentials): Promise<Caller> {
  return authenticate(context, credentials, peekSession)
}

function authenticate(context: Context, credentials: Credentials, findSession = readSession): Promise<Caller> {
  const { authorization } = credentials
  if (authorization === undefined) return authenticateSession(context, credentials, findSession)
  const token = bearerToken(authorization)
  return token === null ? authenticateApiKey(context, authorization) : authenticateBearer(context, token)
}

/** Null when the Authorization header speaks of no bearer token: then it is an API key, which has no scheme. */
export function bearerToken(authorization: string): string | null {
  const match = /^bearer(?:\s+(.*))?$/i.exec(authorization.trim())
  return match ? (match[1] ?? '') : null
}

async function authenticateBearer(context: Context, token: string): Promise<Caller> {
  const bearer = await checkBearer(context, token)
  if (bearer === null) throw notAuthorized('access token not recognized')
  if (bearer.invalid_because !== null) throw notAuthorized(bearer.invalid_because, bearer.client_id)
  const { customer_id, client_id, grant_id } = bearer
  const actor = { kind: 'application', id: client_id } as const
  return { credential: 'bearer', customer_id, client_id, grant_id, user_id: null, actor }
}

async function authenticateApiKey(context: Context, key: string): Promise<Caller> {
  const holder = await checkApiKey(context, key.trim())
  if (!holder?.customer_id) throw notAuthorized('API key unknown, revoked or not a customer’s')
  const { id, customer_id } = holder
  return {
    credential: 'api_key',
    customer_id,
    client_id: null,
    grant_id: null,
    user_id: null,
    actor: { kind: 'api_key', id },
  }
}

async function authenticateSession(
  context: Context,
  { visitor, customer }: Credentials,
  findSession: typeof readSession,
): Promise<Caller> {
  const session = await findSession(context, visitor)
  if (!session) throw notAuthorized('no credential, or a session that has ended')
  if (customer !== undefined && !isId(customer)) throw administratorsOnly()
  const customerId = await findAdministered(context, session.user_id, customer ?? null)
  if (customerId === 'several') {
    const sentence = 'You administer several customers: name one in the Landbridge-Customer header.'
    throw new Refusal(422, 'customer_required', sentence)
  }
  if (customerId === null) throw administratorsOnly()
  const { user_id } = session
  const actor = { kind: 'user', id: user_id } as const
  return { credential: 'session', customer_id: customerId, client_id: null, grant_id: null, user_id, actor }
}

/** The same for a customer that does not exist, one the person does not belong to, and one where they are a member. */
function administratorsOnly(): Refusal {
  return new Refusal(403, 'administrators_only', 'Only an active administrator of this customer may do this.')
}

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Puts the door before every route of the scope; `callerOf(request)` tells who came in. */
export function guardOrganization(app: App, context: Context): void {
  app.decorateRequest('access', null)
  app.addHook('onRequest', async (request, reply) => {
    const credentials = credentialsOf(request)
    try {
      const access = await authenticate(context, credentials)
      if (access.credential === 'session' && !readOnly.has(request.method)) {
        requireOwnOrigin(context.addresses.publicUrl, request)
      }
      request.setDecorator('access', access)
    } catch (error) {
      // 7.7: the challenge is for those who could mend it with a token; an API key's 401 has none.
      const { authorization } = credentials
      const keyShown = authorization !== undefined && bearerToken(authorization) === null
      if (error instanceof Refusal && error.status === 401 && !keyShown) {
        reply.header('www-authenticate', 'Bearer error="invalid_token"')
      }
      throw error
    }
  })
}

export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('access')
}

/** A token or an API key must not be able to extend its own reach: keys and connections are for people at the portal. */
export function requirePortalSession(access: Caller): Caller & { user_id: string } {
  if (access.user_id !== null) return { ...access, user_id: access.user_id }
  const sentence = 'This is done by an administrator signed in to the customer portal, not with a token or an API key.'
  throw new Refusal(403, 'portal_session_required', sentence)
}

/** The same door, as the routes see it that the partner API has too. */
export const callers: Callers = {
  api: 'Organization',
  ownerOf: (request) => ({ customer_id: callerOf(request).customer_id }),
  actorOf: (request) => callerOf(request).actor,
  requirePortalSession: (request) => void requirePortalSession(callerOf(request)),
}
