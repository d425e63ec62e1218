import type { Registry } from 'prom-client'
import { Counter } from '../../platform/measurements.ts'

const outcomes = ['delivered', 'retry', 'give_up', 'gone', 'disable'] as const
export type AttemptOutcome = (typeof outcomes)[number]

/** Attempts of this process since it started. */
export function createAttemptCounter(registry: Registry): (outcome: AttemptOutcome) => void {
  const help = 'Attempts to deliver an event to a webhook, by what follows from the response.'
  const attempts = new Counter<AttemptOutcome>(registry, 'landbridge_webhook_attempts_total', help, ['outcome'])
  for (const outcome of outcomes) attempts.start(outcome)
  return (outcome) => attempts.increment(outcome)
}
