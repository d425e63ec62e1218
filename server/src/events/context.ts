import type { BaseContext } from '../platform/context.ts'
import { createIntegrationLog, type IntegrationLog } from './integration-log.ts'
import { type AttemptOutcome, createAttemptCounter } from './webhooks/attempt-counter.ts'

export interface Context extends BaseContext {
  integrationLog: IntegrationLog
  countAttempt: (outcome: AttemptOutcome) => void
}

/** `owners`: whose application or model a failure is about, which other areas know. */
export function createContext(base: BaseContext, owners: Parameters<typeof createIntegrationLog>[3]): Context {
  return {
    ...base,
    integrationLog: createIntegrationLog(base.sql, base.now, base.log, owners),
    countAttempt: createAttemptCounter(base.metrics.registry),
  }
}
