import { idTokenSeconds, secondsAfter } from '../token/lifetimes.ts'

export type SigningAlg = 'RS256' | 'ES256'

export interface KeyFacts {
  kid: string
  alg: SigningAlg
  created_at: Date
  signs_from: Date
  /** When a later key of its kind takes over; may lie ahead. */
  retired_at: Date | null
  /** When the operator took it away. */
  removed_at: Date | null
}

/** Clients keep the key set for 5 minutes (4.5): a key they may not know yet must not sign. */
export const publishedAheadSeconds = 300

/** For verifiers whose clocks run late. */
const leewaySeconds = 300

/** How long a key is published after it signed last. */
export const publishedAfterSeconds = idTokenSeconds + leewaySeconds

/** A key that ended before this instant is no longer published. */
export function publishedSince(now: Date): Date {
  return secondsAfter(now, -publishedAfterSeconds)
}

export type KeyState = 'published' | 'signing' | 'retired'

/** The instant the last id_token of this key has expired, or null while it may still sign. */
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

/** The newest published key whose time has come. One that was taken over from signs again when its successor is removed. */
export function signingKey<Key extends KeyFacts>(keys: readonly Key[], alg: SigningAlg, now: Date): Key | null {
  let best: Key | null = null
  for (const key of keys) {
    if (key.alg !== alg || key.removed_at || key.signs_from > now || !isPublished(key, now)) continue
    if (!best || key.signs_from > best.signs_from) best = key
  }
  return best
}

/** Of a key that is published. */
export function stateOf(key: KeyFacts, keys: readonly KeyFacts[], now: Date): KeyState {
  if (signingKey(keys, key.alg, now)?.kid === key.kid) return 'signing'
  return !key.removed_at && key.signs_from > now ? 'published' : 'retired'
}

/** What removing a key leads to; `promote` names the key that must sign at once in its place. */
export type RemovalVerdict =
  | { act: 'unknown' }
  | { act: 'refuse'; successor: KeyFacts | null }
  | { act: 'delete' | 'retire'; promote: string | null }

/**
 * The last key of its kind that can sign now is never removed: a key that is only published takes over at its time, and
 * for a leaked one at once. `opens` is false for a key that this master key cannot read: it signs nothing.
 */
export function judgeRemoval(
  keys: readonly KeyFacts[],
  { kid, leaked, now, opens }: { kid: string; leaked: boolean; now: Date; opens: (key: KeyFacts) => boolean },
): RemovalVerdict {
  const key = keys.find((candidate) => candidate.kid === kid)
  if (!key || !isPublished(key, now) || (key.removed_at && !leaked)) return { act: 'unknown' }
  const others = keys.filter((other) => other.kid !== kid && other.alg === key.alg)
  const signsNow = (among: readonly KeyFacts[]) => {
    const chosen = signingKey(among, key.alg, now)
    return chosen !== null && opens(chosen)
  }
  const act = leaked || key.signs_from > now ? 'delete' : 'retire'
  if (!signsNow(keys) || signsNow(others)) return { act, promote: null }
  const waiting = others.filter((other) => !other.removed_at && other.signs_from > now && opens(other))
  const successor = waiting.toSorted((a, b) => a.signs_from.getTime() - b.signs_from.getTime())[0] ?? null
  return leaked && successor ? { act, promote: successor.kid } : { act: 'refuse', successor }
}
