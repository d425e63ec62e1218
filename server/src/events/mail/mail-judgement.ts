import { nextAttempt } from '../webhooks/schedule.ts'
import type { MailOutcome } from './smtp-attempt.ts'

export type MailVerdict = { kind: 'sent' } | { kind: 'retry'; at: Date } | { kind: 'give_up' }

export interface AttemptedMail {
  attempts: number
  created_at: Date
  useful_until: Date
}

/** As webhooks are retried, for a day, or until its link or code expires. */
export function judgeMail(outcome: MailOutcome, mail: AttemptedMail, now: Date, spread: number): MailVerdict {
  if (outcome.kind === 'sent') return { kind: 'sent' }
  if (outcome.kind === 'refused') return { kind: 'give_up' }
  const at = nextAttempt(mail.attempts, mail.created_at, now, spread)
  return at && at < mail.useful_until ? { kind: 'retry', at } : { kind: 'give_up' }
}
