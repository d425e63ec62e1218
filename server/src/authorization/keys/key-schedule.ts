import { idTokenSeconds, secondsAfter } from '../token/lifetimes.ts'

export type SigningAlg = 'RS256' | 'ES256'

export interface KeyFacts {
  kid: string
  alg: SigningAlg
  created_at: Date
  signs_from: Date
  /** When the next key of its algorithm takes over; may be in the future. */
  retired_at: Date | null
  /** When the operator removed it. */
  removed_at: Date | null
}

/** Clients cache the key set for 5 minutes (contract 4.5): a key they may not have yet must not sign. */
export const publishedAheadSeconds = 300

/** For verifiers whose clocks are slow. */
const leewaySeconds = 300

/** How long a key stays published after its last signature. */
export const publishedAfterSeconds = idTokenSeconds + leewaySeconds

/** A key that stopped signing before this time is no longer published. */
export function publishedSince(now: Date): Date {
  return secondsAfter(now, -publishedAfterSeconds)
}

export type KeyState = 'published' | 'signing' | 'retired'

/** When the last id_token of this key has expired, or null while it may still sign. */
export function publishedUntil({ retired_at, removed_at }: KeyFacts): Date | null {
  const ends = [retired_at, removed_at].filter((at) => at !== null)
  if (ends.length === 0) return null
  const end = new Date(Math.min(...ends.map((at) => at.getTime())))
  return secondsAfter(end, publishedAfterSeconds)
}

export function isPublished(key: KeyFacts, now: Date): boolean {
  const until = publishedUntil(key)
  return until === null || now < until
}

/** The newest published key that may sign. A retired key signs again when its successor is removed. */
export function signingKey<Key extends KeyFacts>(keys: readonly Key[], alg: SigningAlg, now: Date): Key | null {
  let best: Key | null = null
  for (const key of keys) {
    if (key.alg !== alg || key.removed_at || key.signs_from > now || !isPublished(key, now)) continue
    if (!best || key.signs_from > best.signs_from) best = key
  }
  return best
}

/** The state of a published key. */
export function stateOf(key: KeyFacts, keys: readonly KeyFacts[], now: Date): KeyState {
  if (signingKey(keys, key.alg, now)?.kid === key.kid) return 'signing'
  return !key.removed_at && key.signs_from > now ? 'published' : 'retired'
}

/** `promote` is the key that must sign instead, from now on. */
export type RemovalVerdict =
  | { action: 'unknown' }
  | { action: 'refuse'; successor: KeyFacts | null }
  | { action: 'delete' | 'retire'; promote: string | null }

/**
 * The last key of its algorithm that can sign now is never removed (decision 6.18), except a leaked one when another key
 * is already published: that one then signs at once. `opens` is false for a key that the master key cannot decrypt.
 */
export function judgeRemoval(
  keys: readonly KeyFacts[],
  { kid, leaked, now, opens }: { kid: string; leaked: boolean; now: Date; opens: (key: KeyFacts) => boolean },
): RemovalVerdict {
  const key = keys.find((candidate) => candidate.kid === kid)
  if (!key || !isPublished(key, now) || (key.removed_at && !leaked)) return { action: 'unknown' }
  const others = keys.filter((other) => other.kid !== kid && other.alg === key.alg)
  const signsNow = (among: readonly KeyFacts[]) => {
    const chosen = signingKey(among, key.alg, now)
    return chosen !== null && opens(chosen)
  }
  const action = leaked || key.signs_from > now ? 'delete' : 'retire'
  if (!signsNow(keys) || signsNow(others)) return { action, promote: null }
  const waiting = others.filter((other) => !other.removed_at && other.signs_from > now && opens(other))
  const successor = waiting.toSorted((a, b) => a.signs_from.getTime() - b.signs_from.getTime())[0] ?? null
  return leaked && successor ? { action, promote: successor.kid } : { action: 'refuse', successor }
}
