import type { Actor } from '../../events/audit.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import type { CustomerOwner } from '../store/devices-sql.ts'

/** Who tries to claim devices. */
export interface Claimer extends CustomerOwner {
  actor: Actor
  /** As the limits know it: an IPv6 network is one address. */
  address: string
}

export interface Attempts {
  granted: number
  /** When more may be granted; only of interest when fewer were than wanted. */
  retryAt: Date
  /** The counters of the attempts, for `giveBackAttempt`. */
  counted: string[]
}

/**
 * Counts attempts as failed before their outcome is known, so that concurrent attempts cannot exceed the limit; one that
 * succeeds is given back. Nothing is counted per device, or a guesser could lock its owner out. Customers and addresses
 * are shared, so each person has a reserve that others cannot use up; the API keys and tokens of a customer share one, or
 * each new key would add to it.
 */
export async function takeAttempts(
  { limits }: Context,
  { actor, customer_id, address }: Claimer,
  wanted: number,
): Promise<Attempts> {
  const isPerson = actor.kind === 'user'
  const caller = isPerson ? `${customer_id} user ${actor.id}` : `${customer_id} keys`
  const max = isPerson ? ownLimits.failedClaimsPerUser : ownLimits.failedClaimsByKeysOfCustomer
  const counted = [`claim ${caller}`]
  const own = await limits.takeMany(counted[0]!, wanted, max)
  if (own.granted === 0) return { granted: 0, retryAt: own.closesAt, counted }

  const shared: [key: string, max: number][] = [
    [`claim customer ${customer_id}`, ownLimits.failedClaimsPerCustomer],
    [`claim address ${address}`, ownLimits.failedClaimsPerAddress],
  ]
  counted.push(...shared.map(([key]) => key))
  const taken = await Promise.all(shared.map(([key, most]) => limits.takeMany(key, own.granted, most)))
  const ofShared = Math.min(...taken.map(({ granted }) => granted))
  const short = [{ ...own, wanted }, ...taken.map((each) => ({ ...each, wanted: own.granted }))]
    .filter((each) => each.granted < each.wanted)
    .map(({ closesAt }) => closesAt.getTime())
  const retryAt = new Date(Math.max(...short, 0))
  if (ofShared === own.granted) return { granted: ofShared, retryAt, counted }

  counted.push(`claim reserve ${caller}`)
  const reserve = await limits.takeMany(counted.at(-1)!, own.granted - ofShared, ownLimits.failedClaimsInReserve)
  return { granted: ofShared + reserve.granted, retryAt, counted }
}

/** One attempt that did not fail. */
export async function giveBackAttempt({ limits }: Context, { counted }: Attempts): Promise<void> {
  await Promise.all(counted.map((key) => limits.giveBack(key)))
}
