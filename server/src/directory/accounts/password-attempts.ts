import { signInLimits } from '../../platform/own-limits.ts'
import { verifyAgainstNobody, verifyPassword } from '../../platform/secrets/passwords.ts'
import type { Context } from '../context.ts'
import * as store from '../store/sign-in-sql.ts'
import { type AttemptFrom, accountKeys, addressKey, isAllowed, successLimits } from './sign-in-limits.ts'

export interface PasswordAttempt extends AttemptFrom {
  password: string
  hash: string | null
}

/** A null hash takes as long as a wrong password. */
export async function tryPassword(context: Context, attempt: PasswordAttempt): Promise<'right' | 'wrong' | 'too_many'> {
  const successes = successLimits(attempt)
  // Checked now but counted only after a right password, so that nobody else can use up the account's limit.
  if (await isAnyUsedUp(context, successes)) return 'too_many'
  const count = (keys: string[]) => store.countAttempts(context.sql, keys, context.now(), windowStart(context))
  const address = addressKey(attempt)
  if (address !== null && (await count([address]))[0]! > signInLimits.address) return 'too_many'
  const keys = accountKeys(attempt)
  if (!isAllowed(await count(keys))) return 'too_many'
  const uncount = () => store.uncountAttempts(context.sql, address === null ? keys : [...keys, address])
  const verifying = attempt.hash
    ? verifyPassword(attempt.password, attempt.hash)
    : verifyAgainstNobody(attempt.password, context.passwordCost)
  const right = await verifying.catch(async (error) => {
    // Overloaded: the password was not verified.
    await uncount()
    throw error
  })
  if (!right) return 'wrong'
  await uncount()
  const allowed = await Promise.all(successes.map(([key, max]) => context.limits.take(key, max)))
  return allowed.every(Boolean) ? 'right' : 'too_many'
}

async function isAnyUsedUp({ limits }: Context, all: [key: string, max: number][]): Promise<boolean> {
  const usedUp = await Promise.all(all.map(([key, max]) => limits.isUsedUp(key, max)))
  return usedUp.includes(true)
}

function windowStart(context: Context): Date {
  return new Date(context.now().getTime() - signInLimits.windowMilliseconds)
}
