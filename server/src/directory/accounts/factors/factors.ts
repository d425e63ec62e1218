import type { Sql } from '../../../platform/database/sql.ts'
import { secondFactorLimits } from '../../../platform/own-limits.ts'
import { digest } from '../../../platform/secrets/secrets.ts'
import type { Context } from '../../context.ts'
import * as store from '../../store/factors-sql.ts'
import { deletePasskeysOf } from '../../store/passkeys-sql.ts'
import { countAttempts, findAccountById, uncountAttempts } from '../../store/sign-in-sql.ts'
import { knownBrowser } from '../known-browser.ts'
import { verifyAssertion } from './assertion.ts'
import { presentRecoveryCode } from './recovery-codes.ts'
import { matchingStep } from './totp.ts'

export type { Factors } from '../../store/factors-sql.ts'

export async function findFactors(context: Context, userId: string): Promise<store.Factors> {
  return await store.findFactors(context.sql, userId)
}

/** Recovery codes alone are none: they stand in for a factor that was lost. */
export function hasSecondFactor({ passkey_domains, totp }: store.Factors): boolean {
  return totp || passkey_domains.length > 0
}

/** After the password, or in a session. */
export interface PresentedFactor {
  kind: 'totp' | 'recovery_code' | 'passkey'
  /** The code, or what the passkey signed. */
  value: string
}

export interface Presenting {
  user_id: string
  host: string
  cookies: string | undefined
  for: 'second_factor' | 'prove'
  factor: PresentedFactor
}

/** How the factor is used up: within the transaction of what it is for, so that neither happens without the other. */
export interface CheckedFactor {
  verdict: 'right'
  methods: string[]
  /** False when somebody else has used it meanwhile. */
  use(sql: Sql): Promise<boolean>
  /** After the commit: a right code is not counted as an attempt. */
  settle(): Promise<void>
}

export async function checkFactor(
  context: Context,
  presenting: Presenting,
): Promise<CheckedFactor | { verdict: 'wrong' | 'too_many' }> {
  const { user_id, factor } = presenting
  if (factor.kind === 'passkey') return await checkPasskey(context, presenting)
  const key = await attemptKey(context, presenting)
  const at = context.now()
  const windowStart = new Date(at.getTime() - secondFactorLimits.windowMilliseconds)
  // Counted before the code is looked at, so that however many arrive at once, no more than the allowance are tried.
  const [tries = 0] = await countAttempts(context.sql, [key], at, windowStart)
  if (tries > secondFactorLimits.tries) return { verdict: 'too_many' }
  const settle = () => uncountAttempts(context.sql, [key])
  if (factor.kind === 'recovery_code') {
    // Whether it is right shows when it is used, in one statement.
    const use = (sql: Sql) => presentRecoveryCode(context, sql, user_id, factor.value)
    return { verdict: 'right', methods: ['mfa'], use, settle }
  }
  const totp = await store.findTotp(context.sql, user_id)
  if (!totp?.enabled_at) return { verdict: 'wrong' }
  const step = matchingStep(openTotpSecret(context, user_id, totp.secret), factor.value, at, totp.last_step)
  if (step === null) return { verdict: 'wrong' }
  const use = (sql: Sql) => store.spendTotpStep(sql, user_id, totp.secret, step)
  return { verdict: 'right', methods: ['otp', 'mfa'], use, settle }
}

async function checkPasskey(context: Context, { user_id, host, for: to, factor }: Presenting) {
  const signed = await verifyAssertion(context, host, { to, user_id }, factor.value)
  if (!signed) return { verdict: 'wrong' } as const
  return { verdict: 'right', methods: signed.methods, use: signed.use, settle: async () => {} } as const
}

/**
 * Per account: only who has the password comes this far. A browser that has signed in to the account before has tries of
 * its own, so that a thief of the password cannot use up those of the owner.
 */
async function attemptKey(context: Context, { user_id, cookies }: Presenting): Promise<string> {
  const account = await findAccountById(context.sql, user_id)
  const browser = knownBrowser(context, cookies, account)
  const parts = ['second factor', user_id, ...(browser === null ? [] : [browser])]
  return digest(JSON.stringify(parts)).toString('base64url')
}

export function sealTotpSecret(context: Context, userId: string, secret: string): Buffer {
  return context.masterKey.seal(`totp ${userId}`, secret)
}

export function openTotpSecret(context: Context, userId: string, box: Buffer): string {
  return context.masterKey.open(`totp ${userId}`, box)
}

/** Of an account whose owner has changed, or that an administrator resets; the caller ends the sessions. */
export async function removeAllFactors(sql: Sql, userId: string): Promise<void> {
  await deletePasskeysOf(sql, userId)
  await store.deleteTotp(sql, userId)
  await store.deleteRecoveryCodes(sql, userId)
}
