import { digest } from '../platform/secrets.ts'

/**
 * Failed sign-ins are limited by account and address together, by address alone, and by account alone; and yet nobody
 * can lock an owner out by failing on purpose:
 * - a browser that has signed in to the account before has an allowance of its own, which nobody else can use up, even
 *   from the same address;
 * - when an account is under attack from many addresses, a stranger's allowance shrinks, but never to nothing: an owner
 *   at a new browser still has a first try.
 * Attempts are counted before the password is looked at, and given back when it was right: however many arrive at
 * once, no more than the allowance are ever tried.
 */
export const signInLimits = {
  windowMilliseconds: 10 * 60_000,
  accountAndAddress: 10,
  accountAndAddressUnderAttack: 3,
  account: 100,
  address: 100,
} as const

export interface AttemptFrom {
  /** As typed, whether or not anybody has it: the answer must not tell. */
  email: string
  address: string
  /** The known browser's id, when it has signed in to this very account before. */
  browser: string | null
}

/** One key a count, in the order `isAllowed` takes the counts. */
export function attemptKeys({ email, address, browser }: AttemptFrom): string[] {
  const account = email.trim().toLowerCase()
  const key = (...parts: string[]) => digest(JSON.stringify(parts)).toString('base64url')
  if (browser !== null) return [key('browser', account, browser)]
  return [key('account and address', account, address), key('account', account), key('address', address)]
}

export function isAllowed(counts: number[], browser: string | null): boolean {
  const [pair = 0, account = 0, address = 0] = counts
  if (browser !== null) return pair <= signInLimits.accountAndAddress
  const { accountAndAddress, accountAndAddressUnderAttack } = signInLimits
  const underAttack = account > signInLimits.account
  return pair <= (underAttack ? accountAndAddressUnderAttack : accountAndAddress) && address <= signInLimits.address
}
