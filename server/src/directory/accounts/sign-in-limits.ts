import { ownLimits } from '../../platform/own-limits.ts'
import { digest } from '../../platform/secrets/secrets.ts'

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
  /**
   * The account's id, or what was typed where nobody has it: the answer must not tell. Not the email of a known one,
   * which can be written in more ways than one.
   */
  account: string
  address: string
  /** The known browser's id, when it has signed in to this very account before. */
  browser: string | null
}

/** Counted first and alone: past it nothing more is written, so that no address fills the table with made-up accounts. */
export function addressKey({ address, browser }: AttemptFrom): string | null {
  return browser === null ? key('address', address) : null
}

/** In the order `isAllowed` takes the counts. */
export function accountKeys({ account, address, browser }: AttemptFrom): string[] {
  if (browser !== null) return [key('browser', account, browser)]
  return [key('account and address', account, address), key('account', account)]
}

export function isAllowed([pair = 0, account = 0]: number[]): boolean {
  const underAttack = account > signInLimits.account
  const { accountAndAddress, accountAndAddressUnderAttack } = signInLimits
  return pair <= (underAttack ? accountAndAddressUnderAttack : accountAndAddress)
}

/** The budgets of right passwords. A known browser counts for its account only: its address is not its own. */
export function successLimits({ account, address, browser }: AttemptFrom): [key: string, max: number][] {
  const ofAccount: [string, number] = [`sign-ins account ${account}`, ownLimits.signInsPerAccount]
  return browser === null ? [ofAccount, [`sign-ins address ${address}`, ownLimits.signInsPerAddress]] : [ofAccount]
}

function key(...parts: string[]): string {
  return digest(JSON.stringify(parts)).toString('base64url')
}
