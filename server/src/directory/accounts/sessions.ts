import type { BaseContext } from '../../platform/context.ts'
import { coalesceSame } from '../../platform/database/coalesce-same.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { cookieJar } from '../../platform/http/cookies.ts'
import { cookieHostOf } from '../../platform/http/origin.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { Refusal } from '../../platform/refusal.ts'
import { digest, isWellFormed, mintSecret } from '../../platform/secrets/secrets.ts'
import { isRefused, judgeFactor } from '../organization/factor-judgement.ts'
import { type Reach, reachOfPerson } from '../permissions.ts'
import * as store from '../store/sessions-sql.ts'
import { isByCode } from './factors/by-code.ts'

export type { Session } from '../store/sessions-sql.ts'

const cookie = 'landbridge'

/** How stale last_seen_at may be: one write per minute instead of one per request, at the cost of a minute of idle time. */
const touchEveryMilliseconds = 60_000

/** What a request presents of its session: the Cookie header, and the host it was sent to. */
export interface PresentedSession {
  host: string
  cookies: string | undefined
}

type Presenting = { host: string; headers: { cookie?: string | undefined } }

export function presentedSession({ host, headers }: Presenting): PresentedSession {
  return { host, cookies: headers.cookie }
}

interface OpenedSession {
  user_id: string
  host: string
  password_hash?: string | null
  /** What was presented: amr of the id_token. */
  methods?: string[]
  user_agent?: string | null
  /** The session that it replaces: nothing was presented anew, so what was presented, and when, stays. */
  instead_of?: store.Session | undefined
}

/**
 * Always a new secret, against session fixation. Null when the password has changed since its hash was verified, because a
 * change must end every session, and when a second factor of the account was not presented.
 */
export async function startSession(
  context: BaseContext,
  sql: Sql,
  { user_id, host, password_hash = null, methods = ['pwd'], user_agent = null, instead_of }: OpenedSession,
): Promise<string | null> {
  const boundTo = cookieHostOf(context.addresses.publicUrl, host)
  if (boundTo === null) throw new Refusal(400, 'invalid_host', 'The Host header does not name a host.')
  const secret = mintSecret('session')
  const at = context.now()
  const opened = { user_id, host: boundTo, password_hash, user_agent, digest: digest(secret), last_seen_at: at }
  const { signed_in_at, proved_at } = instead_of ?? { signed_in_at: at, proved_at: at }
  const presented = instead_of?.methods ?? methods
  const session = { ...opened, methods: presented, by_code: isByCode(presented), signed_in_at, proved_at }
  await store.holdUser(sql, user_id)
  await store.deleteSessionsBeyond(sql, user_id, ownLimits.sessionsPerAccount - 1)
  return (await store.insertSession(sql, session)) ? secret : null
}

/**
 * Null for no session and for one that is unknown, ended, expired or of another host. A session is bound to its host,
 * because anyone who controls a partner's portal domain can obtain the cookies of that domain.
 */
export async function readSession(context: BaseContext, presented: PresentedSession): Promise<store.Session | null> {
  const session = await peekSession(context, presented)
  const at = context.now()
  if (session && at.getTime() - session.last_seen_at.getTime() >= touchEveryMilliseconds) {
    await store.touchSession(context.sql, session.digest, at)
  }
  return session
}

/** As `readSession`, for requests that no person sent: they do not count as use, or the session would never expire. */
export async function peekSession(
  context: BaseContext,
  { host, cookies }: PresentedSession,
): Promise<store.Session | null> {
  const secret = sessionSecret(context, cookies)
  const boundTo = cookieHostOf(context.addresses.publicUrl, host)
  if (secret === null || boundTo === null) return null
  const session = await store.findSession(context.sql, digest(secret), boundTo)
  return session && isLive(context, session) ? session : null
}

/** auth_time of the id_token: when the person last presented a factor, at the sign-in or since. */
export function authenticatedAt({ signed_in_at, proved_at }: Pick<store.Session, 'signed_in_at' | 'proved_at'>): Date {
  return proved_at !== null && proved_at > signed_in_at ? proved_at : signed_in_at
}

function isLive(context: BaseContext, session: SessionTimes): boolean {
  return context.now() < endOf(context, session)
}

type SessionTimes = Pick<store.Session, 'signed_in_at' | 'last_seen_at'>

function endOf({ config }: BaseContext, { signed_in_at, last_seen_at }: SessionTimes): Date {
  return new Date(
    Math.min(
      last_seen_at.getTime() + config.sessionIdleMilliseconds,
      signed_in_at.getTime() + config.sessionMilliseconds,
    ),
  )
}

/**
 * For open streams, which no person uses: until when the session lasts if it is not used and what its user may do, or null
 * when it has ended or its user may no longer open the customer's portal. One statement for all that are checked at the same moment.
 */
export async function checkOpenSession(
  context: BaseContext & OpenSessionLookUp,
  { host, cookies }: PresentedSession,
  customerId: string,
): Promise<{ end: Date; reach: Reach } | null> {
  const secret = sessionSecret(context, cookies)
  const boundTo = cookieHostOf(context.addresses.publicUrl, host)
  if (secret === null || boundTo === null) return null
  const session = await context.findOpenSession({ digest: digest(secret), host: boundTo, customer_id: customerId })
  const now = context.now()
  if (!session || !isLive(context, session)) return null
  const demand = judgeFactor(session, session.methods)
  if (isRefused(demand, now)) return null
  const end = endOf(context, session)
  const isDue = demand !== null && demand.step !== 'met' && demand.due_at < end
  return { end: isDue ? demand.due_at : end, reach: reachOfPerson(session.role, session.held) }
}

export interface OpenSessionLookUp {
  findOpenSession: ReturnType<typeof createOpenSessionLookUp>
}

export function createOpenSessionLookUp({ sql }: BaseContext) {
  return coalesceSame<store.OpenSession, store.FoundSession | null>(
    ({ digest, customer_id }) => `${digest.toString('base64')} ${customer_id}`,
    async (wanted) => {
      const found = await store.findOpenSessions(sql, wanted)
      const byPosition = new Map(found.map((session) => [session.position, session]))
      return wanted.map((_, index) => byPosition.get(index + 1) ?? null)
    },
  )
}

/** A session is valid if it was used and started after these. */
export function validSince({ config, now }: BaseContext): store.ValidSince {
  const at = now().getTime()
  return {
    seenAfter: new Date(at - config.sessionIdleMilliseconds),
    signedInAfter: new Date(at - config.sessionMilliseconds),
  }
}

/** False when the session has ended since it was read; else it lasts until the transaction ends. */
export async function holdSession(sql: Sql, session: store.Session): Promise<boolean> {
  return await store.holdSession(sql, session.digest)
}

export async function endSession(context: BaseContext, session: store.Session): Promise<void> {
  await store.deleteSession(context.sql, session.digest)
}

export async function endSessionsOf(sql: Sql, userId: string): Promise<number> {
  return await store.deleteSessionsOf(sql, userId)
}

export function sessionCookie(context: BaseContext, secret: string): string {
  return cookieJar(context.addresses.publicUrl).write(cookie, secret, context.config.sessionMilliseconds / 1000)
}

export function expiredSessionCookie(context: BaseContext): string {
  return cookieJar(context.addresses.publicUrl).write(cookie, '', 0)
}

function sessionSecret(context: BaseContext, cookies: string | undefined): string | null {
  const secret = cookieJar(context.addresses.publicUrl).read(cookies, cookie)
  return secret !== null && isWellFormed('session', secret) ? secret : null
}
