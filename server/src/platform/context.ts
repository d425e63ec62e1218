import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Addresses } from './addresses.ts'
import type { Clock } from './clock.ts'
import { createNotifications, type Notifications } from './database/notifications.ts'
import type { Pool } from './database/sql.ts'
import { createReadGates, type ReadParts } from './gated-reads.ts'
import { createOutgoingAddresses, type OutgoingAddresses } from './http/outgoing-address.ts'
import { type Limits, memoryLimits, postgresLimits } from './limits.ts'
import { createLimitRecorder, type LimitRecorder } from './limits-reached.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import type { DiskSpace } from './process/disk-space.ts'
import type { Siblings } from './process/siblings.ts'
import { createRates, type Rates } from './rates.ts'
import type { Reader } from './read-gate.ts'
import { type MasterKey, masterKey } from './secrets/master-key.ts'
import type { PasswordCost } from './secrets/passwords.ts'
import { createTextLookUp, type TextLookUp } from './text-records.ts'
import type { Tracing } from './tracing.ts'
import { WorkCounters } from './work-counters.ts'

export interface Lifecycle {
  /** Asked to stop: still serving, no longer ready. */
  draining: boolean
  /** Replaced by another process on the same ports: ready, but callers are to open their next connection, which is that one's. */
  retiring: boolean
}

/** What differs between a running service and a test; everything else in a context follows from it. */
export interface ContextOptions {
  config: Config
  addresses: Addresses
  sql: Pool
  /** For the look-ups that every request makes: who the caller is, and what it may do. */
  hot: Pool
  /** For reads that grow with their tenant or may take seconds: see `gated-reads.ts`. */
  reads: Pool
  clock: Clock
  lifecycle: Lifecycle
  disk: DiskSpace
  siblings: Siblings
  log: Logger
  /** Null while it is off. */
  tracing: Tracing | null
  keys: { master: Buffer; operator: string }
  passwordCost: PasswordCost
}

/**
 * The parts that know no area; each area adds its own in its `context.ts`. Passed by hand, so that a test can give a verb
 * another clock or database; a copy shares the work of its original, and opens no connections of its own.
 */
export interface BaseContext extends Omit<ContextOptions, 'keys'>, ReadParts {
  /** The only source of the current time. */
  now: () => Date
  /** New with every start. */
  processId: string
  limits: Limits
  rates: Rates
  recordLimit: LimitRecorder
  outgoing: OutgoingAddresses
  lookUpText: TextLookUp
  notifications: Notifications
  metrics: Metrics
  counters: WorkCounters
  masterKey: MasterKey
  operatorKey: string
  /** Of a read whose statements take turns (`gated`). */
  reader?: Reader
}

/** `channels`: what this process listens to, beside what is added later. */
export function createBaseContext(
  { keys, ...options }: ContextOptions,
  { processId, channels }: { processId: string; channels: string[] },
): BaseContext {
  const { config, sql, hot, reads } = options
  const { now } = options.clock
  const metrics = createMetrics()
  const counters = new WorkCounters(metrics.registry, now)
  for (const [name, pool] of Object.entries({ sql, hot, reads })) counters.watchPool(name, pool)
  // A process that is alone on its private Postgres need not share what it counts.
  const limits = config.databaseUrl || config.processes > 1 ? postgresLimits(hot, now) : memoryLimits(now)
  return {
    ...options,
    ...createReadGates(reads),
    now,
    processId,
    limits,
    rates: createRates({ limits, now, log: options.log }),
    recordLimit: createLimitRecorder({ sql, now, log: options.log }),
    outgoing: createOutgoingAddresses({ allow: config.webhookAllow }),
    lookUpText: createTextLookUp(),
    notifications: createNotifications(sql, options.log, channels),
    metrics,
    counters,
    masterKey: masterKey(keys.master),
    operatorKey: keys.operator,
  }
}
