import { recordAudit } from '../../events/audit.ts'
import { queueMail } from '../../events/mail/mail-queue.ts'
import { transaction } from '../../platform/database/database.ts'
import { hashPassword } from '../../platform/secrets/passwords.ts'
import type { Context } from '../context.ts'
import { spendPasswordResets } from '../store/links-sql.ts'
import * as store from '../store/sign-in-sql.ts'
import { setFirstSignIn } from '../store/verified-emails-sql.ts'
import { findFactors, hasSecondFactor } from './factors/factors.ts'
import { knownBrowser } from './known-browser.ts'
import { homeOf } from './mails/home.ts'
import { passwordChangedMail } from './mails/password-mails.ts'
import { tellOfNewBrowser } from './new-browser.ts'
import { openSession } from './open-session.ts'
import { tryPassword } from './password-attempts.ts'
import { pendingCookie } from './second-factor.ts'
import { endSession, endSessionsOf, type PresentedSession, readSession, type Session } from './sessions.ts'
import { type RequestSource, recordFailedSignIn, recordSignIn } from './sign-in-events.ts'
import type { SignInVerdict } from './sign-in-verdict.ts'
import { notePasswordStrength } from './weak-passwords.ts'

export type { SignInVerdict } from './sign-in-verdict.ts'

interface SignInAttempt {
  email: string
  password: string
  address: string
  host: string
  cookies: string | undefined
  from: RequestSource
}

/** A wrong email and a wrong password get the same verdict and take the same time. */
export async function signIn(context: Context, attempt: SignInAttempt): Promise<SignInVerdict> {
  const account = await store.findAccount(context.sql, attempt.email.trim())
  const browser = knownBrowser(context, attempt.cookies, account)
  const { address, password } = attempt
  const who = account?.id ?? attempt.email.trim().toLowerCase()
  const hash = account?.password_hash ?? null
  const verdict = await tryPassword(context, { account: who, address, browser, password, hash })
  if (verdict !== 'right') {
    await recordFailedSignIn(context, { user_id: account?.id ?? null, verdict, from: attempt.from })
    return { verdict }
  }
  await notePasswordStrength(context, account!, password)
  if (hasSecondFactor(await findFactors(context, account!.id))) {
    return { verdict: 'second_factor', cookies: [pendingCookie(context, account!, attempt.host, 'password')] }
  }
  const before = await readSession(context, attempt)
  const methods = ['pwd']
  const cookies = await transaction(context.sql, async (sql) => {
    const opened = await openSession(context, sql, account!, { ...attempt, methods })
    if (opened) await recordSignIn(context, sql, account!.id, { ...attempt.from, with: 'password', methods })
    if (opened && browser === null) await tellOfNewBrowser(context, sql, { user_id: account!.id, ...attempt })
    return opened
  })
  if (cookies === null) return { verdict: 'wrong' }
  if (before) await endSession(context, before)
  return { verdict: 'signed_in', user_id: account!.id, cookies }
}

interface NewPassword {
  next: string
  host: string
  from: RequestSource
}

interface PasswordChange extends NewPassword {
  current: string
  address: string
  cookies: string | undefined
}

export async function changePassword(
  context: Context,
  session: Session,
  change: PasswordChange,
): Promise<SignInVerdict> {
  const before = await store.findAccountById(context.sql, session.user_id)
  const hash = before?.password_hash ?? null
  const browser = knownBrowser(context, change.cookies, before)
  const attempt = { account: session.user_id, password: change.current, address: change.address, browser, hash }
  const verdict = await tryPassword(context, attempt)
  if (verdict !== 'right') {
    const failed = { user_id: session.user_id, verdict, from: change.from, during: 'password_change' } as const
    await recordFailedSignIn(context, failed)
    return { verdict }
  }
  return await setPassword(context, session, hash!, change)
}

/** For a person who confirmed their identity in the last ten minutes (`hasFreshProof`). */
export async function replacePassword(context: Context, session: Session, change: NewPassword): Promise<SignInVerdict> {
  const account = await store.findAccountById(context.sql, session.user_id)
  return account?.password_hash
    ? await setPassword(context, session, account.password_hash, change)
    : { verdict: 'wrong' }
}

/** Ends every session of the person and starts a new one for this browser. */
async function setPassword(
  context: Context,
  session: Session,
  hash: string,
  change: NewPassword,
): Promise<SignInVerdict> {
  const next = await hashPassword(change.next, context.passwordCost)
  const cookies = await transaction(context.sql, async (sql) => {
    if (!(await store.replacePasswordHash(sql, session.user_id, hash, next))) return null
    await endSessionsOf(sql, session.user_id)
    // The holder of a reset link could otherwise undo the change.
    await spendPasswordResets(sql, session.user_id, context.now())
    const actor = { kind: 'user', id: session.user_id } as const
    await recordAudit(sql, { type: 'user.password_changed', at: context.now(), actor, details: change.from })
    const home = await homeOf(context, sql, session.user_id, change.host)
    const person = { id: session.user_id, email: session.email }
    await queueMail(context, sql, [passwordChangedMail(person, home, 'changed')])
    const account = { id: session.user_id, password_hash: next }
    return await openSession(context, sql, account, { ...change, methods: session.methods, instead_of: session })
  })
  return cookies === null ? { verdict: 'wrong' } : { verdict: 'signed_in', user_id: session.user_id, cookies }
}

/** For a person who has just set their password with a one-time link. */
export async function signInWithLink(
  context: Context,
  userId: string,
  presented: PresentedSession,
  from: RequestSource,
): Promise<SignInVerdict> {
  const before = await readSession(context, presented)
  if (before) await endSession(context, before)
  const account = await store.findAccountById(context.sql, userId)
  if (!account) return { verdict: 'wrong' }
  if (hasSecondFactor(await findFactors(context, userId))) {
    return { verdict: 'second_factor', cookies: [pendingCookie(context, account, presented.host, 'one_time_link')] }
  }
  const methods = ['pwd']
  const cookies = await transaction(context.sql, async (sql) => {
    const opened = await openSession(context, sql, account, { ...presented, from, methods })
    if (opened) await recordSignIn(context, sql, userId, { ...from, with: 'one_time_link', methods })
    // Of this one the person is told otherwise: welcome, or that the password has changed.
    if (opened) await setFirstSignIn(sql, userId, context.now())
    return opened
  })
  return cookies === null ? { verdict: 'wrong' } : { verdict: 'signed_in', user_id: userId, cookies }
}
