import type { Context } from '../context.ts'
import type { Sql } from '../platform/database/sql.ts'
import { cookieJar } from '../platform/http/cookies.ts'
import { digest, isWellFormed, mintSecret } from '../platform/secrets/secrets.ts'
import * as store from './store/sessions.ts'

export type { Session } from './store/sessions.ts'

const cookie = 'landbridge'

const hour = 3_600_000
export const idleMilliseconds = 12 * hour
const inAll = 7 * 24 * hour
/** How stale last_seen_at may be: a write a minute and not one a request, at the price of a minute of the idle time. */
const seenEvery = 60_000

/**
 * Always a new secret: what the browser brought along before signing in is worth nothing afterwards (no fixation).
 * With the hash that was verified, null when the password has been changed since: a change must end every session.
 */
export async function startSession(
  context: Context,
  sql: Sql,
  { user_id, password_hash = null }: { user_id: string; password_hash?: string | null },
): Promise<string | null> {
  const secret = mintSecret('session')
  const at = context.now()
  const session = { digest: digest(secret), user_id, password_hash, signed_in_at: at, last_seen_at: at }
  return (await store.insertSession(sql, session)) ? secret : null
}

/** The session a Cookie header speaks for, or null: none, unknown, ended or lapsed are all the same to the caller. */
export async function readSession(context: Context, cookies: string | undefined): Promise<store.Session | null> {
  const session = await peekSession(context, cookies)
  const at = context.now()
  if (session && at.getTime() - session.last_seen_at.getTime() >= seenEvery) {
    await store.touchSession(context.sql, session.digest, at)
  }
  return session
}

/** The same, for what a person did not ask for: it does not count as use, or the session would never lapse. */
export async function peekSession(context: Context, cookies: string | undefined): Promise<store.Session | null> {
  const secret = sessionSecret(context, cookies)
  if (secret === null) return null
  const session = await store.findSession(context.sql, digest(secret))
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
