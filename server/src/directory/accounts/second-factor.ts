import { transaction } from '../../platform/database/database.ts'
import { cookieJar } from '../../platform/http/cookies.ts'
import { cookieHostOf } from '../../platform/http/origin.ts'
import { lifetimes } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { type Account, findAccountById } from '../store/sign-in-sql.ts'
import { checkFactor, type PresentedFactor } from './factors/factors.ts'
import { recordUsedCode } from './factors/used-codes.ts'
import { epochOf, knownBrowser } from './known-browser.ts'
import { tellOfNewBrowser } from './new-browser.ts'
import { openSession } from './open-session.ts'
import { endSession, type PresentedSession, readSession } from './sessions.ts'
import { type RequestSource, recordFailedSignIn, recordSignIn, type SignedInWith } from './sign-in-events.ts'
import type { SignInVerdict } from './sign-in-verdict.ts'

const cookie = 'landbridge-second-factor'
const purpose = 'second factor pending'

/** A person whose password was right, or who came by a one-time link, and who has not presented the second factor yet. */
export interface PendingSignIn {
  account: Account
  with: SignedInWith
}

/** Sealed, and bound to the account, its password and the host; it opens nothing without the second factor. */
export function pendingCookie(context: Context, account: Account, host: string, cameWith: SignedInWith): string {
  const { publicUrl } = context.addresses
  const expires = context.now().getTime() + lifetimes.secondFactorMilliseconds
  const content = [account.id, epochOf(account), cookieHostOf(publicUrl, host), cameWith, expires]
  const box = context.masterKey.seal(purpose, JSON.stringify(content)).toString('base64url')
  return cookieJar(publicUrl).write(cookie, box, lifetimes.secondFactorMilliseconds / 1000)
}

export function endedPendingCookie(context: Context): string {
  return cookieJar(context.addresses.publicUrl).write(cookie, '', 0)
}

/** Null when the sign-in has to start again. */
export async function readPending(context: Context, presented: PresentedSession): Promise<PendingSignIn | null> {
  const pending = openPendingCookie(context, presented)
  const account = pending && (await findAccountById(context.sql, pending.id))
  return account && epochOf(account) === pending.epoch ? { account, with: pending.with } : null
}

function openPendingCookie(
  context: Context,
  { host, cookies }: PresentedSession,
): { id: string; epoch: string; with: SignedInWith } | null {
  const { publicUrl } = context.addresses
  const box = cookieJar(publicUrl).read(cookies, cookie)
  if (box === null || box.length > 1_024) return null
  try {
    const content = JSON.parse(context.masterKey.open(purpose, Buffer.from(box, 'base64url')))
    const [id, epoch, boundTo, cameWith, expires] = content
    const isValid = boundTo === cookieHostOf(publicUrl, host) && context.now().getTime() < expires
    return isValid ? { id, epoch, with: cameWith } : null
  } catch {
    return null
  }
}

interface FactorAttempt extends PresentedSession {
  factor: PresentedFactor
  from: RequestSource
}

/** Opens the session, or says what was wrong; the factor is used up with the session or not at all. */
export async function presentSecondFactor(
  context: Context,
  { account, with: cameWith }: PendingSignIn,
  { factor, host, cookies, from }: FactorAttempt,
): Promise<SignInVerdict> {
  const user_id = account.id
  const checked = await checkFactor(context, { user_id, host, cookies, for: 'second_factor', factor })
  if (checked.verdict !== 'right') return await refuse(context, user_id, checked.verdict, factor, from)
  const before = await readSession(context, { host, cookies })
  const methods = ['pwd', ...checked.methods]
  const opened = await transaction(context.sql, async (sql) => {
    if (!(await checked.use(sql))) return null
    const opened = await openSession(context, sql, account, { host, from, methods })
    if (!opened) return null
    await recordSignIn(context, sql, user_id, { ...from, with: cameWith, methods, second_factor: factor.kind })
    if (factor.kind === 'recovery_code') await recordUsedCode(context, sql, user_id, from)
    const isNew = cameWith === 'password' && knownBrowser(context, cookies, account) === null
    if (isNew) await tellOfNewBrowser(context, sql, { user_id, host, from })
    return opened
  })
  if (opened === null) return await refuse(context, user_id, 'wrong', factor, from)
  await checked.settle()
  if (before) await endSession(context, before)
  return { verdict: 'signed_in', user_id, cookies: [...opened, endedPendingCookie(context)] }
}

async function refuse(
  context: Context,
  user_id: string,
  verdict: 'wrong' | 'too_many',
  factor: PresentedFactor,
  from: RequestSource,
): Promise<SignInVerdict> {
  await recordFailedSignIn(context, { user_id, verdict, from, during: 'second_factor', wrong: factor.kind })
  return { verdict }
}
