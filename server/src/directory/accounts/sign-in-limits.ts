import { ownLimits, signInLimits } from '../../platform/own-limits.ts'
import { digest } from '../../platform/secrets/secrets.ts'

/**
 * Failed sign-ins are limited per account and address, per address, and per account, yet nobody can lock an owner out by
 * failing on purpose:
 * - a browser that has signed in to the account before has its own allowance, which nobody else can use up, even
 *   from the same address;
 * - while an account is under attack from many addresses, the allowance of unknown browsers shrinks, but never to zero:
 *   the owner can still sign in with a new browser.
 * Attempts are counted before the password is verified, and uncounted when it was right: however many arrive at once,
 * only as many as the allowance are verified.
 */
export interface AttemptFrom {
  /**
   * The account's id; for an unknown email the email itself, so that both are limited alike. Not the email of an account,
   * since upper and lower case would count apart.
   */
  account: string
  address: string
  /** The id of a browser that has signed in to this account before. */
  browser: string | null
}

/** Counted first: over this limit nothing else is written, so that no address can fill the table with invented emails. */
export function addressKey({ address, browser }: AttemptFrom): string | null {
  return browser === null ? key('address', address) : null
}

/** In the order in which `isAllowed` takes the counts. */
export function accountKeys({ account, address, browser }: AttemptFrom): string[] {
  if (browser !== null) return [key('browser', account, browser)]
  return [key('account and address', account, address), key('account', account)]
}

export function isAllowed([pair = 0, account = 0]: number[]): boolean {
  const underAttack = account > signInLimits.account
  const { accountAndAddress, accountAndAddressUnderAttack } = signInLimits
  return pair <= (underAttack ? accountAndAddressUnderAttack : accountAndAddress)
}

/** Limits of successful sign-ins. A known browser counts for its account only, since many people share an address. */
export function successLimits({ account, address, browser }: AttemptFrom): [key: string, max: number][] {
  const ofAccount: [string, number] = [`sign-ins account ${account}`, ownLimits.signInsPerAccount]
  return browser === null ? [ofAccount, [`sign-ins address ${address}`, ownLimits.signInsPerAddress]] : [ofAccount]
}

function key(...parts: string[]): string {
  return digest(JSON.stringify(parts)).toString('base64url')
}
