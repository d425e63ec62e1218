import { webhookLimits } from '../../platform/own-limits.ts'

const { firstDelaySeconds, maxDelaySeconds, giveUpAfterSeconds, disabledAfterSeconds } = webhookLimits

/** When to retry after `attempts` failures, or null to give up. `spread` (0–1) adds jitter. */
export function nextAttempt(attempts: number, firstAt: Date, now: Date, spread: number): Date | null {
  const delay = Math.min(firstDelaySeconds * 3 ** (attempts - 1), maxDelaySeconds) * (0.9 + 0.2 * spread)
  const next = new Date(now.getTime() + delay * 1000)
  return next.getTime() - firstAt.getTime() > giveUpAfterSeconds * 1000 ? null : next
}

/** From this many consecutive failures on, an event type is delivered to its endpoint one event at a time. */
export const failingFrom = 3
const maxPause = 30

/** How long an event type waits after consecutive failures (1 s, 2 s, 4 s … 30 s), so that a dead address is not flooded. */
export function typePauseSeconds(failures: number): number {
  return failures < failingFrom ? 0 : Math.min(2 ** Math.min(failures - failingFrom, 10), maxPause)
}

export type WaitReason = 'under_way' | 'queued' | 'retry_delay' | 'event_type_failing'

export interface Waiting {
  state: 'pending' | 'delivered' | 'failed'
  attempting: boolean
  by_person: boolean
  next_attempt_at: Date | null
  /** Until when its event type waits at this endpoint. */
  paused_until: Date | null
}

/** When the next attempt is, and why not earlier; both null when there will be none. */
export function describeNextAttempt(
  delivery: Waiting,
  now: Date,
): { next_attempt_at: Date | null; next_attempt_reason: WaitReason | null } {
  const { next_attempt_at: due, paused_until: paused } = delivery
  if (delivery.state !== 'pending' || !due) return { next_attempt_at: null, next_attempt_reason: null }
  // During an attempt, `next_attempt_at` is the end of the process's lease.
  if (delivery.attempting && due > now) return { next_attempt_at: null, next_attempt_reason: 'under_way' }
  if (!delivery.by_person && paused && paused > now && paused > due) {
    return { next_attempt_at: paused, next_attempt_reason: 'event_type_failing' }
  }
  return { next_attempt_at: due, next_attempt_reason: due > now ? 'retry_delay' : 'queued' }
}

export interface Outcome {
  /** Null when there was no response. */
  status: number | null
  failure: string | null
  duration_ms: number
}

export type Verdict =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: Date }
  | { kind: 'give_up' }
  /** Standard Webhooks: 410 Gone asks to stop sending. */
  | { kind: 'gone' }
  | { kind: 'disable' }

export interface Attempted {
  attempts: number
  first_attempted_at: Date
  failing_since: Date | null
}

export function judgeAttempt(outcome: Outcome, delivery: Attempted, now: Date, spread: number): Verdict {
  if (outcome.failure === null) return { kind: 'delivered' }
  if (outcome.status === 410) return { kind: 'gone' }
  const at = nextAttempt(delivery.attempts, delivery.first_attempted_at, now, spread)
  if (at) return { kind: 'retry', at }
  // Only after this delivery's own day: `failing_since` may be old merely because nothing was sent since.
  const failingFor = now.getTime() - (delivery.failing_since ?? now).getTime()
  return { kind: failingFor >= disabledAfterSeconds * 1000 ? 'disable' : 'give_up' }
}
