import { transaction } from '../../platform/database/database.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import { findAccountById } from '../store/sign-in-sql.ts'
import { verifyAssertion } from './factors/assertion.ts'
import { knownBrowser } from './known-browser.ts'
import { tellOfNewBrowser } from './new-browser.ts'
import { openSession } from './open-session.ts'
import { endSession, type PresentedSession, readSession } from './sessions.ts'
import { type RequestSource, recordFailedSignIn, recordSignIn } from './sign-in-events.ts'
import type { SignInVerdict } from './sign-in-verdict.ts'

interface PasskeySignIn extends PresentedSession {
  /** What the browser returned. */
  credential: string
  address: string
  from: RequestSource
}

/** A passkey is unlocked by its owner, so it is two factors by itself. Everything wrong gets the same verdict. */
export async function signInWithPasskey(
  context: Context,
  { credential, host, cookies, address, from }: PasskeySignIn,
): Promise<SignInVerdict> {
  const limited = { user_id: null, verdict: 'too_many', from } as const
  if (!(await context.limits.take(`passkey sign-ins address ${address}`, ownLimits.signInsPerAddress))) {
    await recordFailedSignIn(context, limited)
    return { verdict: 'too_many' }
  }
  const signed = await verifyAssertion(context, host, { to: 'sign_in' }, credential)
  const account = signed && (await findAccountById(context.sql, signed.user_id))
  if (!account) {
    await recordFailedSignIn(context, { user_id: null, verdict: 'wrong', from, wrong: 'passkey' })
    return { verdict: 'wrong' }
  }
  if (!(await context.limits.take(`sign-ins account ${account.id}`, ownLimits.signInsPerAccount))) {
    await recordFailedSignIn(context, { ...limited, user_id: account.id })
    return { verdict: 'too_many' }
  }
  const before = await readSession(context, { host, cookies })
  const { methods } = signed
  const opened = await transaction(context.sql, async (sql) => {
    if (!(await signed.use(sql))) return null
    const opened = await openSession(context, sql, account, { host, from, methods })
    if (opened) await recordSignIn(context, sql, account.id, { ...from, with: 'passkey', methods })
    const isNew = knownBrowser(context, cookies, account) === null
    if (opened && isNew) await tellOfNewBrowser(context, sql, { user_id: account.id, host, from })
    return opened
  })
  if (opened === null) {
    await recordFailedSignIn(context, { user_id: account.id, verdict: 'wrong', from, wrong: 'passkey' })
    return { verdict: 'wrong' }
  }
  if (before) await endSession(context, before)
  return { verdict: 'signed_in', user_id: account.id, cookies: opened }
}
