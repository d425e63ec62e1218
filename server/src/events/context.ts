import type { BaseContext } from '../platform/context.ts'
import { createIntegrationLog, type IntegrationLog } from './integration-log.ts'
import { createMailCounter, type MailAttempt } from './mail/mail-counter.ts'
import { type AttemptOutcome, createAttemptCounter } from './webhooks/attempt-counter.ts'

export interface Context extends BaseContext {
  integrationLog: IntegrationLog
  countAttempt: (outcome: AttemptOutcome) => void
  mail: MailAbility
  countMail: (attempt: MailAttempt) => void
}

/** What this service can do with a mail. */
export interface MailAbility {
  /** Whether `queueMail` does anything: pages then say that a mail is on its way. */
  enabled: boolean
  /** Whether there is a mail server; without one, a lab keeps mails to be read. */
  delivers: boolean
}

/** `owners`: whose application or model a failure is about, which other areas know. */
export function createContext(base: BaseContext, owners: Parameters<typeof createIntegrationLog>[3]): Context {
  return {
    ...base,
    integrationLog: createIntegrationLog(base.sql, base.now, base.log, owners),
    countAttempt: createAttemptCounter(base.metrics.registry),
    countMail: createMailCounter(base.metrics.registry),
    mail: { enabled: base.config.mail !== null || base.config.lab, delivers: base.config.mail !== null },
  }
}
