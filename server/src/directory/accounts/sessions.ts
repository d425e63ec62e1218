import type { Context } from '../../context.ts'
import type { Sql } from '../../platform/database/sql.ts'
import { cookieJar } from '../../platform/http/cookies.ts'
import { cookieHostOf } from '../../platform/http/origin.ts'
import { Refusal } from '../../platform/refusal.ts'
import { digest, isWellFormed, mintSecret } from '../../platform/secrets/secrets.ts'
import * as store from '../store/sessions.ts'

export type { Session } from '../store/sessions.ts'

const cookie = 'landbridge'

const hour = 3_600_000
export const idleMilliseconds = 12 * hour
const inAll = 7 * 24 * hour
/** How stale last_seen_at may be: a write a minute and not one a request, at the price of a minute of the idle time. */
const seenEvery = 60_000

/** What a request shows of its session: the Cookie header, and the host the browser sent it to. */
export interface Visitor {
  host: string
  cookies: string | undefined
}

export function visitorOf({ host, headers }: { host: string; headers: { cookie?: string | undefined } }): Visitor {
  return { host, cookies: headers.cookie }
}

/**
 * Always a new secret: what the browser brought along before signing in is worth nothing afterwards (no fixation).
 * With the hash that was verified, null when the password has been changed since: a change must end every session.
 */
export async function startSession(
  context: Context,
  sql: Sql,
  { user_id, host, password_hash = null }: { user_id: string; host: string; password_hash?: string | null },
): Promise<string | null> {
  const boundTo = cookieHostOf(context.addresses.publicUrl, host)
  if (boundTo === null) throw new Refusal(400, 'invalid_host', 'The Host header does not name a host.')
  const secret = mintSecret('session')
  const at = context.now()
  const session = { digest: digest(secret), user_id, host: boundTo, password_hash, signed_in_at: at, last_seen_at: at }
  return (await store.insertSession(sql, session)) ? secret : null
}

/**
 * The session of a request, or null: none, unknown, ended, lapsed and started on another host are all the same to the
 * caller. Bound to its host, because whoever controls a partner's portal domain can obtain the cookies of that domain.
 */
export async function readSession(context: Context, visitor: Visitor): Promise<store.Session | null> {
  const session = await peekSession(context, visitor)
  const at = context.now()
  if (session && at.getTime() - session.last_seen_at.getTime() >= seenEvery) {
    await store.touchSession(context.sql, session.digest, at)
  }
  return session
}

/** The same, for what a person did not ask for: it does not count as use, or the session would never lapse. */
export async function peekSession(context: Context, { host, cookies }: Visitor): Promise<store.Session | null> {
  const secret = sessionSecret(context, cookies)
  const boundTo = cookieHostOf(context.addresses.publicUrl, host)
  if (secret === null || boundTo === null) return null
  const session = await store.findSession(context.sql, digest(secret), boundTo)
  return session && isLive(session, context.now()) ? session : null
}

export function isLive(session: { signed_in_at: Date; last_seen_at: Date }, now: Date): boolean {
  const at = now.getTime()
  return at - session.last_seen_at.getTime() < idleMilliseconds && at - session.signed_in_at.getTime() < inAll
}

/** For an act that must not outlive its session: false when it was ended since it was read. */
export async function holdSession(sql: Sql, session: store.Session): Promise<boolean> {
  return await store.holdSession(sql, session.digest)
}

export async function endSession(context: Context, session: store.Session): Promise<void> {
  await store.deleteSession(context.sql, session.digest)
}

/** Sign out everywhere; also part of every change of password. */
export async function endSessionsOf(sql: Sql, userId: string): Promise<number> {
  return await store.deleteSessionsOf(sql, userId)
}

export function sessionCookie(context: Context, secret: string): string {
  return cookieJar(context.addresses.publicUrl).write(cookie, secret, inAll / 1000)
}

export function endedSessionCookie(context: Context): string {
  return cookieJar(context.addresses.publicUrl).write(cookie, '', 0)
}

function sessionSecret(context: Context, cookies: string | undefined): string | null {
  const secret = cookieJar(context.addresses.publicUrl).read(cookies, cookie)
  return secret !== null && isWellFormed('session', secret) ? secret : null
}
