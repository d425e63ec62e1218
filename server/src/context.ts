import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { createIntegrationLog, type IntegrationLog } from './events/integration-log.ts'
import type { Clock } from './platform/clock.ts'
import { createNotifications, type Notifications } from './platform/database/notifications.ts'
import type { Pool } from './platform/database/sql.ts'
import { createOutgoingAddresses, type OutgoingAddresses } from './platform/http/outgoing-address.ts'
import { type Limits, memoryLimits, postgresLimits } from './platform/limits.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { type MasterKey, masterKey } from './platform/secrets/master-key.ts'
import type { PasswordCost } from './platform/secrets/passwords.ts'

/** Where this service is reached from outside. Known once the listeners are bound, since a port may be "any free one". */
export interface Addresses {
  publicUrl: string
  entryUrl: string
  hubUrl: string
  mqttUrl: string
  staticCertUrl: string
}

/** What every verb may lean on. Passed by hand, so that a test gives a verb another clock or database and nothing else. */
export interface Context {
  config: Config
  addresses: Addresses
  sql: Pool
  /** For what every request asks: who is it, and may it. */
  hot: Pool
  /** For reads that may take seconds, such as a device's history: see `devices/slow-reads.ts`. */
  reads: Pool
  /** What time it is: nothing else may say so. */
  now: () => Date
  clock: Clock
  log: Logger
  limits: Limits
  integrationLog: IntegrationLog
  outgoing: OutgoingAddresses
  notifications: Notifications
  metrics: Metrics
  masterKey: MasterKey
  operatorKey: string
  passwordCost: PasswordCost
}

/** What differs between a running service and a test; everything else in a Context follows from it. */
export interface ContextOptions {
  config: Config
  addresses: Addresses
  sql: Pool
  hot: Pool
  reads: Pool
  clock: Clock
  log: Logger
  keys: { master: Buffer; operator: string }
  passwordCost: PasswordCost
}

export function createContext({ keys, ...options }: ContextOptions): Context {
  const { config, sql, hot, clock } = options
  const { now } = clock
  return {
    ...options,
    now,
    // The private Postgres serves this process alone: what it counts need not be shared.
    limits: config.databaseUrl ? postgresLimits(hot, now) : memoryLimits(now),
    outgoing: createOutgoingAddresses({ allow: config.webhookAllow }),
    integrationLog: createIntegrationLog(sql, now, options.log),
    notifications: createNotifications(options.sql, options.log),
    metrics: createMetrics(sql),
    masterKey: masterKey(keys.master),
    operatorKey: keys.operator,
  }
}
