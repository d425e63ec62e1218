import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkBearer, tokenExpiry } from '../../authorization/token/bearer.ts'
import type { CustomerOwner } from '../../devices/registry/devices.ts'
import { administratorsOnly, type PeopleActor } from '../../directory/accounts/people-rights.ts'
import {
  checkOpenSession,
  type PresentedSession,
  presentedSession,
  readSession,
  type Session,
} from '../../directory/accounts/sessions.ts'
import { checkApiKey } from '../../directory/api-key-look-up.ts'
import { requireSecondFactor } from '../../directory/organization/factor-policy.ts'
import { findPortalMembership } from '../../directory/organization/members.ts'
import { markOfTree } from '../../directory/organization/spaces.ts'
import {
  judge,
  type Needed,
  ofCredential,
  type Permission,
  permits,
  type Reach,
  reachOfCredential,
  reachOfPerson,
  whereTo,
} from '../../directory/permissions.ts'
import type { App } from '../../platform/http/app.ts'
import { notAuthorized, Refusal } from '../../platform/refusal.ts'
import { isId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { authenticateRequests, type Callers } from '../shared/caller.ts'
import { limitWrongKeys } from '../shared/wrong-keys.ts'
import { permissionOf, respondsToEveryToken } from './declared-permissions.ts'
import type { StreamCredential } from './stream-credentials.ts'

/** An access token, an API key or a portal session: each acts for one customer. */
export interface Caller {
  credential: 'bearer' | 'api_key' | 'session'
  customer_id: string
  actor: PeopleActor
  /** The application and the grant of an access token; null for other credentials. */
  client_id: string | null
  grant_id: string | null
  reach: Reach
  /** The spaces, with everything below them, in which the operation is permitted; null: everywhere. */
  within: readonly string[] | null
  /** The person signed in to the portal; null for other credentials. The user behind a token does not count: the grant does. */
  user_id: string | null
  /** Of that person. */
  session: Session | null
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
  const { credential, customer_id, client_id, user_id, actor, within } = callerOf(request)
  // Where a space is moved, what is below it may leave the spaces of whoever sees some only.
  const subjectsOf = (subject: string) => (within === null ? [subject] : [subject, `tree:${customer_id}`])
  const needed = permissionOf(request)
  let tree: string | undefined
  const requireSame = async (reach: Reach) => {
    const changed = () => notAuthorized('what the credential may do has changed')
    if (JSON.stringify(whereTo(reach, needed)) !== JSON.stringify(within)) throw changed()
    if (within === null) return
    const now = await markOfTree(context, customer_id, within)
    tree ??= now
    if (now !== tree) throw changed()
  }
  if (credential === 'session') {
    return {
      subjects: [...subjectsOf(`user:${user_id}`), `customer:${customer_id}`],
      async check() {
        const session = await checkOpenSession(context, presented, customer_id)
        if (session === null) throw notAuthorized('the session has ended, or its user may not see the devices')
        await requireSame(session.reach)
        return session.end
      },
    }
  }
  if (credential === 'api_key') {
    return {
      subjects: subjectsOf(`key:${(actor as { id: string }).id}`),
      async check() {
        const key = await authenticateApiKey(context, authorization!)
        await requireSame(key.reach)
        return key.expires_at
      },
    }
  }
  const token = bearerToken(authorization!)!
  let expiry: Date | null = null
  return {
    subjects: subjectsOf(`client:${client_id}`),
    async check() {
      const bearer = await authenticateBearer(context, token)
      await requireSame(bearer.reach)
      expiry ??= await tokenExpiry(context, token)
      return expiry
    },
  }
}

type Authenticated = Omit<Caller, 'within'>

function authenticate(context: Context, credentials: Credentials): Promise<Authenticated> {
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

const nobody = { client_id: null, grant_id: null, user_id: null, session: null }

async function authenticateBearer(context: Context, token: string): Promise<Authenticated> {
  const bearer = await checkBearer(context, token)
  if (bearer === null) throw notAuthorized('access token not recognized')
  if (bearer.invalid_because !== null) throw notAuthorized(bearer.invalid_because, bearer.client_id)
  const { customer_id, client_id, grant_id, permissions, within } = bearer
  const actor = { kind: 'application', id: client_id } as const
  const reach = reachOfCredential(permissions, within)
  return { ...nobody, credential: 'bearer', customer_id, client_id, grant_id, actor, reach }
}

async function authenticateApiKey(context: Context, key: string): Promise<Authenticated & { expires_at: Date | null }> {
  const holder = await checkApiKey(context, key.trim())
  if (!holder?.customer_id) throw notAuthorized('API key unknown, revoked or not a customer’s')
  const { id, customer_id, permissions, within, expires_at } = holder
  const reach = reachOfCredential(permissions, within)
  return { ...nobody, credential: 'api_key', customer_id, actor: { kind: 'api_key', id }, reach, expires_at }
}

async function authenticateSession(context: Context, { presented, customer }: Credentials): Promise<Authenticated> {
  const session = await readSession(context, presented)
  if (!session) throw notAuthorized('no credential, or a session that has ended')
  if (customer !== undefined && !isId(customer)) throw administratorsOnly()
  const membership = await findPortalMembership(context, session.user_id, customer ?? null)
  if (membership === 'several') {
    const sentence = 'You belong to several customers. Name one in the Landbridge-Customer header.'
    throw new Refusal(422, 'customer_required', sentence)
  }
  if (membership === null) throw administratorsOnly()
  requireSecondFactor(context, membership, session)
  const { user_id } = session
  const actor = { kind: 'user', id: user_id } as const
  const { customer_id, role, held } = membership
  return { ...nobody, credential: 'session', customer_id, user_id, session, actor, reach: reachOfPerson(role, held) }
}

function requirePermission({ credential, reach }: Authenticated, needed: Needed): void {
  if (judge(reach, needed) || needed === 'none') return
  if (credential === 'session') throw administratorsOnly()
  const onlyPeople = !permits({ ...ofCredential, devices: 'command' }, needed)
  throw onlyPeople ? portalSessionRequired() : lacking(credential, needed)
}

/** What an administrator did not approve for the application, or did not give to the key. */
function lacking(credential: 'bearer' | 'api_key', missing: Permission): Refusal {
  const ask = 'An administrator of this organization can change it in the customer portal.'
  return credential === 'bearer'
    ? new Refusal(403, 'not_approved', `This application was not approved for \`${missing}\`. ${ask}`, { missing })
    : new Refusal(403, 'not_permitted', `This API key was not given \`${missing}\`. ${ask}`, { missing })
}

/** Authenticates every request of the scope and judges what it may do; `callerOf(request)` then returns its caller. */
export function authenticateOrganization(app: App, context: Context): void {
  authenticateRequests<Caller>(app, context, {
    authenticate: async (request, reply) => ({ ...(await authenticateRequest(context, request, reply)), within: [] }),
    tenantOf: ({ customer_id }) => ({ customer_id }),
  })
  // Once the caller is known and counted: its partner's log has the refusal, and asking in a loop has its limit.
  app.addHook('onRequest', async (request) => {
    const caller = callerOf(request)
    const needed = permissionOf(request)
    if (!(caller.credential === 'bearer' && respondsToEveryToken(request))) requirePermission(caller, needed)
    caller.within = whereTo(caller.reach, needed)
  })
}

/** What is written as it is read ends with its credential, or with the reach it began with: exports as well as streams. */
export function endWithCredential(app: App, context: Context): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const isStream = reply.getHeader('content-type') === 'text/event-stream'
    if (!(payload instanceof Readable) || isStream) return
    const stop = await context.streamCredentials.watch(streamCredential(context, request), () => payload.destroy())
    reply.raw.once('close', stop)
    // Before its first byte it is still refused, as any other request.
    if (payload.destroyed) throw notAuthorized('the credential has ended')
  })
}

async function authenticateRequest(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Authenticated> {
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

/** Whose devices an operation is about: the customer's, and of those what the caller may reach with it. */
export function ownerOf(request: FastifyRequest): CustomerOwner & { within: readonly string[] | null } {
  const { customer_id, within } = callerOf(request)
  return { customer_id, within }
}

/** For what is shared by all spaces: whoever reaches some of them only may not change it for the others. */
export function wholeCustomer(request: FastifyRequest): string {
  const { customer_id, within } = ownerOf(request)
  if (within === null) return customer_id
  throw notPermittedHere(permissionOf(request), 'everywhere, since all spaces share it')
}

/** Of a caller who has the permission in other places. */
export function notPermittedHere(missing: Needed, where = 'here'): Refusal {
  return new Refusal(403, 'not_permitted', `This needs \`${missing}\` ${where}.`, { missing })
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
  wholeOf: (request) => ({ customer_id: wholeCustomer(request) }),
  devicesOf: ownerOf,
  actorOf: (request) => callerOf(request).actor,
  requirePortalSession,
}
