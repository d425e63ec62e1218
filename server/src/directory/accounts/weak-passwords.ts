import { judgePassword } from '../../platform/secrets/password-strength.ts'
import type { Context } from '../context.ts'
import { findPasswordState, setPasswordWeak } from '../store/password-strength-sql.ts'
import type { Account } from '../store/sign-in-sql.ts'
import { knownAbout } from './new-passwords.ts'

/**
 * After a right password: the only moment at which one that was set before, or by the operator, can be judged. Once per
 * password. A sign-in never fails because of it.
 */
export async function notePasswordStrength(context: Context, account: Account, password: string): Promise<void> {
  try {
    const state = await findPasswordState(context.sql, account.id)
    if (!state || state.weak !== null || account.password_hash === null) return
    const weakness = await judgePassword({ password, about: knownAbout(state) })
    await setPasswordWeak(context.sql, account.id, account.password_hash, weakness !== null)
  } catch (error) {
    context.log.warn({ err: error }, 'a password could not be judged')
  }
}

export async function hasWeakPassword(context: Context, userId: string): Promise<boolean> {
  return (await findPasswordState(context.sql, userId))?.weak === true
}

export const strongerPasswordPath = '/account/stronger-password'

/** Where a person continues who has just signed in: at `returnTo`, or first at the page that asks for a better password. */
export async function continueAfterSignIn(context: Context, userId: string, returnTo: string): Promise<string> {
  return (await hasWeakPassword(context, userId)) ? strongerPasswordAddress(returnTo) : returnTo
}

export function strongerPasswordAddress(returnTo: string): string {
  return `${strongerPasswordPath}?return_to=${encodeURIComponent(returnTo)}`
}
