import type { Registry } from 'prom-client'
import { Counter } from '../../platform/measurements.ts'

const outcomes = ['sent', 'retry', 'give_up'] as const
export type MailAttempt = (typeof outcomes)[number]

/** Attempts of this process since it started. */
export function createMailCounter(registry: Registry): (attempt: MailAttempt) => void {
  const help = 'Attempts to send a mail, by what follows from them.'
  const attempts = new Counter<MailAttempt>(registry, 'landbridge_mail_attempts_total', help, ['outcome'])
  for (const outcome of outcomes) attempts.start(outcome)
  return (outcome) => attempts.increment(outcome)
}
