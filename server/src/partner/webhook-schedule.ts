/** Seconds. Tripled at every failure: 5 s, 15 s, 45 s … 8 h, and given up a day after the first attempt. */
const firstDelay = 5
const longestDelay = 8 * 3600
const givenUpAfter = 24 * 3600

/** An endpoint that took nothing for this long is disabled, so that a dead address is not called for ever. */
export const disabledAfterSeconds = 24 * 3600

/** When to try again after `attempts` failures, or null when it is time to give up. `spread` (0–1) keeps many apart. */
export function nextAttempt(attempts: number, firstAt: Date, now: Date, spread: number): Date | null {
  const delay = Math.min(firstDelay * 3 ** (attempts - 1), longestDelay) * (0.9 + 0.2 * spread)
  const next = new Date(now.getTime() + delay * 1000)
  return next.getTime() - firstAt.getTime() > givenUpAfter * 1000 ? null : next
}

export interface Outcome {
  /** null when nobody answered. */
  status: number | null
  failure: string | null
  duration_ms: number
}

export type Verdict =
  | { kind: 'delivered' }
  | { kind: 'retry'; at: Date }
  | { kind: 'give_up' }
  /** Standard Webhooks: 410 Gone asks for no more. */
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
  // Only with its own day over: an endpoint is also failing since long where nothing was sent to it since.
  const failingFor = now.getTime() - (delivery.failing_since ?? now).getTime()
  return { kind: failingFor >= disabledAfterSeconds * 1000 ? 'disable' : 'give_up' }
}
