import type { Identified } from '../store/claim-lists.ts'

/** What is to be done with a line of a list, before anything is done. */
export type Verdict = 'claim' | 'already_yours' | 'fail' | 'unknown_space' | 'repeat'

interface FoundLine {
  /** The same text for the same device. */
  identity: string
  /** The device with that identity. */
  found: Identified | undefined
  inOwnSpace: boolean
}

/**
 * The space comes first: customers know their own spaces, so that a wrong one reveals nothing about the device and costs
 * no attempt. A line with the identity of an earlier one is judged with that one.
 */
export function judgeLines(lines: readonly FoundLine[], customerId: string): Verdict[] {
  const seen = new Set<string>()
  return lines.map(({ identity, found, inOwnSpace }) => {
    if (!inOwnSpace) return 'unknown_space'
    if (seen.has(identity)) return 'repeat'
    seen.add(identity)
    if (found?.customer_id === customerId) return found.outside ? 'fail' : 'already_yours'
    return found?.customer_id === null ? 'claim' : 'fail'
  })
}

/**
 * How many lines are tried with so many attempts. The last attempt ends with its failure: no line after it is tried, even
 * if it could be claimed, or a success would tell it apart from a failure that nobody counts.
 */
export function linesTried(lines: readonly { verdict: Verdict }[], attempts: number): number {
  let failures = 0
  for (const [index, { verdict }] of lines.entries()) {
    if (failures === attempts) return index
    if (verdict === 'fail') failures += 1
  }
  return lines.length
}
