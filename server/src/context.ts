import type { Logger } from 'pino'
import type { Addresses } from './addresses.ts'
import type { Config } from './config.ts'
import { findModelsOf } from './devices/registry/models.ts'
import { findPartnersOfApplications } from './directory/partners/applications.ts'
import { createIntegrationLog, type IntegrationLog } from './events/integration-log.ts'
import type { Clock } from './platform/clock.ts'
import { createNotifications, type Notifications } from './platform/database/notifications.ts'
import type { Pool } from './platform/database/sql.ts'
import { createOutgoingAddresses, type OutgoingAddresses } from './platform/http/outgoing-address.ts'
import { type Limits, memoryLimits, postgresLimits } from './platform/limits.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import type { DiskSpace } from './platform/process/disk-space.ts'
import { type MasterKey, masterKey } from './platform/secrets/master-key.ts'
import type { PasswordCost } from './platform/secrets/passwords.ts'

export interface Lifecycle {
  /** Asked to stop: still serving, no longer ready. */
  draining: boolean
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
  lifecycle: Lifecycle
  disk: DiskSpace
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
  lifecycle: Lifecycle
  disk: DiskSpace
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
    integrationLog: createIntegrationLog(sql, now, options.log, {
      applications: findPartnersOfApplications,
      models: findModelsOf,
    }),
    notifications: createNotifications(options.sql, options.log),
    metrics: createMetrics(sql),
    masterKey: masterKey(keys.master),
    operatorKey: keys.operator,
  }
}
