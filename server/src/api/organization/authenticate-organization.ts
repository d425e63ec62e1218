import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkBearer, tokenExpiry } from '../../authorization/token/bearer.ts'
import { administratorsOnly, type PeopleActor } from '../../directory/accounts/people-rights.ts'
import {
  checkOpenSession,
  type PresentedSession,
  presentedSession,
  readSession,
} from '../../directory/accounts/sessions.ts'
import { checkApiKey } from '../../directory/api-keys.ts'
import { findPortalMembership } from '../../directory/organization/members.ts'
import {
  everything,
  lookingOnly,
  type Needed,
  ofCredential,
  type Permissions,
  permits,
} from '../../directory/permissions.ts'
import type { App } from '../../platform/http/app.ts'
import { notAuthorized, Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { authenticateRequests, type Callers } from '../shared/caller.ts'
import { limitWrongKeys } from '../shared/wrong-keys.ts'
import { permissionOf } from './declared-permissions.ts'
import type { StreamCredential } from './stream-credentials.ts'

/** An access token, an API key or a portal session: each acts for one customer. */
export interface Caller {
  credential: 'bearer' | 'api_key' | 'session'
  customer_id: string
  actor: PeopleActor
  /** The application and the grant of an access token; null for other credentials. */
  client_id: string | null
  grant_id: string | null
  permissions: Permissions
  /** The person signed in to the portal; null for other credentials. The user behind a token does not count: the grant does. */
  user_id: string | null
}

interface Credentials {
  authorization: string | undefined
  presented: PresentedSession
  /** The customer a session acts for: the `Landbridge-Customer` header, or `?customer_id=` where a header cannot be sent. */
  customer: string | undefined
}

function credentialsOf(request: FastifyRequest): Credentials {
  const { headers, query } = request
  const named = headers['landbridge-customer'] ?? (query as Record<string, unknown>).customer_id
  return {
    authorization: headers.authorization,
    presented: presentedSession(request),
    // A repeated header or parameter becomes text that is no id.
    customer: named === undefined ? undefined : String(named),
  }
}

/** The credential of an open stream. Checking it does not count as use of a session, which would otherwise never expire. */
export function streamCredential(context: Context, request: FastifyRequest): StreamCredential {
  const { authorization, presented } = credentialsOf(request)
  const { credential, customer_id, client_id, user_id, actor } = callerOf(request)
  if (credential === 'session') {
    return {
      subject: `user:${user_id}`,
      async check() {
        const end = await checkOpenSession(context, presented, customer_id)
        if (end === null) throw notAuthorized('the session has ended, or its user may not see the devices')
        return end
      },
    }
  }
  if (credential === 'api_key') {
    return {
      subject: `key:${(actor as { id: string }).id}`,
      async check() {
        await authenticateApiKey(context, authorization!)
        return null
      },
    }
  }
  const token = bearerToken(authorization!)!
  let expiry: Date | null = null
  return {
    subject: `client:${client_id}`,
    async check() {
      await authenticateBearer(context, token)
      expiry ??= await tokenExpiry(context, token)
      return expiry
    },
  }
}

function authenticate(context: Context, credentials: Credentials): Promise<Caller> {
  const { authorization } = credentials
  if (authorization === undefined) return authenticateSession(context, credentials)
  const token = bearerToken(authorization)
  return token === null ? authenticateApiKey(context, authorization) : authenticateBearer(context, token)
}

/** Null when the Authorization header has no bearer scheme: then it is an API key, which has none. */
function bearerToken(authorization: string): string | null {
  const match = /^bearer(?:\s+(.*))?$/i.exec(authorization.trim())
  return match ? (match[1] ?? '') : null
}

const nobody = { client_id: null, grant_id: null, user_id: null, permissions: ofCredential }

async function authenticateBearer(context: Context, token: string): Promise<Caller> {
  const bearer = await checkBearer(context, token)
  if (bearer === null) throw notAuthorized('access token not recognized')
  if (bearer.invalid_because !== null) throw notAuthorized(bearer.invalid_because, bearer.client_id)
  const { customer_id, client_id, grant_id } = bearer
  const actor = { kind: 'application', id: client_id } as const
  return { ...nobody, credential: 'bearer', customer_id, client_id, grant_id, actor }
}

async function authenticateApiKey(context: Context, key: string): Promise<Caller> {
  const holder = await checkApiKey(context, key.trim())
  if (!holder?.customer_id) throw notAuthorized('API key unknown, revoked or not a customer’s')
  const { id, customer_id } = holder
  return { ...nobody, credential: 'api_key', customer_id, actor: { kind: 'api_key', id } }
}

async function authenticateSession(context: Context, { presented, customer }: Credentials): Promise<Caller> {
  const session = await readSession(context, presented)
  if (!session) throw notAuthorized('no credential, or a session that has ended')
  if (customer !== undefined && !isId(customer)) throw administratorsOnly()
  const membership = await findPortalMembership(context, session.user_id, customer ?? null)
  if (membership === 'several') {
    const sentence = 'You belong to several customers. Name one in the Landbridge-Customer header.'
    throw new Refusal(422, 'customer_required', sentence)
  }
  if (membership === null) throw administratorsOnly()
  const { user_id } = session
  const actor = { kind: 'user', id: user_id } as const
  const { customer_id, role } = membership
  const permissions = role === 'member' ? lookingOnly : everything
  return { ...nobody, credential: 'session', customer_id, user_id, actor, permissions }
}

function requirePermission({ permissions, user_id }: Caller, needed: Needed): void {
  if (permits(permissions, needed)) return
  // What a token or an API key lacks is what only people may do.
  throw user_id === null ? portalSessionRequired() : administratorsOnly()
}

/** Authenticates every request of the scope and judges what it may do; `callerOf(request)` then returns its caller. */
export function authenticateOrganization(app: App, context: Context): void {
  authenticateRequests<Caller>(app, context, {
    authenticate: (request, reply) => authenticateRequest(context, request, reply),
    tenantOf: ({ customer_id }) => ({ customer_id }),
  })
  // Once the caller is known and counted: its partner's log has the refusal, and asking in a loop has its limit.
  app.addHook('onRequest', async (request) => requirePermission(callerOf(request), permissionOf(request)))
}

async function authenticateRequest(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
  const credentials = credentialsOf(request)
  try {
    return await authenticate(context, credentials)
  } catch (error) {
    // 7.7: the challenge is for callers that could use a token; the 401 of an API key has none.
    const { authorization } = credentials
    const isApiKey = authorization !== undefined && bearerToken(authorization) === null
    if (error instanceof Refusal && error.status === 401 && !isApiKey) {
      reply.header('www-authenticate', 'Bearer error="invalid_token"')
    }
    if (error instanceof Refusal && error.status === 401 && isApiKey) {
      throw await limitWrongKeys(context, request, error)
    }
    throw error
  }
}

export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}

/** A token or an API key must not extend its own reach: API keys and connected apps are managed by people in the portal. */
export function requirePortalSession(request: FastifyRequest): void {
  if (callerOf(request).user_id === null) throw portalSessionRequired()
}

function portalSessionRequired(): Refusal {
  const sentence = 'Only an administrator signed in to the customer portal can do this, not a token or an API key.'
  return new Refusal(403, 'portal_session_required', sentence)
}

/** For the routes that the partner API has too. */
export const callers: Callers = {
  api: 'Organization',
  ownerOf: (request) => ({ customer_id: callerOf(request).customer_id }),
  actorOf: (request) => callerOf(request).actor,
  requirePortalSession,
}
