import type { Logger } from 'pino'
import type { Addresses } from './addresses.ts'
import type { DeviceStreams } from './api/organization/device-stream.ts'
import { createStreamCredentials, type StreamCredentials } from './api/organization/stream-credentials.ts'
import type { SignerCache } from './authorization/keys/signer.ts'
import { createSigningKeyReader } from './authorization/keys/signing-keys.ts'
import { SigningThreads, threadsPerProcess } from './authorization/keys/signing-threads.ts'
import { createBearerLookUp } from './authorization/token/bearer.ts'
import { createClientLookUp } from './authorization/token/client-authentication.ts'
import { createGrantUseRecorder } from './authorization/token/grants.ts'
import { createRotation } from './authorization/token/refresh.ts'
import { createRefreshLookUp } from './authorization/token/refresh-reading.ts'
import { createSubjectLookUp } from './authorization/token/userinfo.ts'
import type { Config } from './config.ts'
import { Counters } from './counters.ts'
import { type CellMap, createCellMap } from './devices/cells/cell-map.ts'
import { createConnectionRegistry, createLostConnectionMarker } from './devices/live/connections.ts'
import { createDeviceFeed, type DeviceFeed } from './devices/live/device-feed.ts'
import { createLiveInterest, type LiveInterest } from './devices/live/interest.ts'
import { createLivePublishing, type LivePublishing } from './devices/live/publish.ts'
import { createStatusCarrier, type StatusCarrier } from './devices/live/status-carrier.ts'
import { cellChannel, processChannel } from './devices/live/topics.ts'
import { createFirmwareReporter } from './devices/registry/firmware.ts'
import { createHardwareKeyUseCounter } from './devices/registry/hardware-keys.ts'
import { findModelsOf } from './devices/registry/models.ts'
import { createLargeCalls } from './devices/telemetry/large-calls.ts'
import { createTelemetryPipeline, type TelemetryPipeline } from './devices/telemetry/telemetry-pipeline.ts'
import { createOpenSessionLookUp } from './directory/accounts/sessions.ts'
import { createApiKeyLookUp } from './directory/organization/api-keys.ts'
import { createMembersPageReader } from './directory/organization/members.ts'
import { findPartnersOfApplications } from './directory/partners/applications.ts'
import { createIntegrationLog, type IntegrationLog } from './events/integration-log.ts'
import type { Clock } from './platform/clock.ts'
import { createNotifications, type Notifications } from './platform/database/notifications.ts'
import type { Pool } from './platform/database/sql.ts'
import { createReadGates } from './platform/gated-reads.ts'
import { createOutgoingAddresses, type OutgoingAddresses } from './platform/http/outgoing-address.ts'
import { type Limits, memoryLimits, postgresLimits } from './platform/limits.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import type { DiskSpace } from './platform/process/disk-space.ts'
import type { Siblings } from './platform/process/siblings.ts'
import type { Reader, ReadGate } from './platform/read-gate.ts'
import { newId } from './platform/secrets/identifiers.ts'
import { type MasterKey, masterKey } from './platform/secrets/master-key.ts'
import type { PasswordCost } from './platform/secrets/passwords.ts'
import type { Tracing } from './platform/tracing.ts'

export interface Lifecycle {
  /** Asked to stop: still serving, no longer ready. */
  draining: boolean
  /** Replaced by another process on the same ports: ready, but callers are to open their next connection, which is that one's. */
  retiring: boolean
}

/** The parts that know no area. */
export interface BaseContext {
  config: Config
  addresses: Addresses
  sql: Pool
  /** For the look-ups that every request makes: who the caller is, and what it may do. */
  hot: Pool
  /** For reads that grow with their tenant or may take seconds: see `platform/gated-reads.ts`. */
  reads: Pool
  /** The only source of the current time. */
  now: () => Date
  clock: Clock
  lifecycle: Lifecycle
  /** New with every start. */
  processId: string
  disk: DiskSpace
  siblings: Siblings
  log: Logger
  limits: Limits
  integrationLog: IntegrationLog
  outgoing: OutgoingAddresses
  notifications: Notifications
  metrics: Metrics
  counters: Counters
  /** Null while it is off. */
  tracing: Tracing | null
  masterKey: MasterKey
  operatorKey: string
  passwordCost: PasswordCost
}

/**
 * What every verb is given. Passed by hand, so that a test can give a verb another clock or database; a copy shares the
 * work below with its original, and opens no connections of its own.
 */
export interface Context extends BaseContext {
  // Work that concurrent requests of this process share: decision 9.1.
  findBearer: ReturnType<typeof createBearerLookUp>
  findClient: ReturnType<typeof createClientLookUp>
  findSubject: ReturnType<typeof createSubjectLookUp>
  readSigningKeys: ReturnType<typeof createSigningKeyReader>
  findRefresh: ReturnType<typeof createRefreshLookUp>
  rotateRefreshToken: ReturnType<typeof createRotation>
  recordGrantUse: ReturnType<typeof createGrantUseRecorder>
  findApiKey: ReturnType<typeof createApiKeyLookUp>
  findOpenSession: ReturnType<typeof createOpenSessionLookUp>
  readMembersPage: ReturnType<typeof createMembersPageReader>
  telemetry: TelemetryPipeline
  statuses: StatusCarrier
  reportFirmware: ReturnType<typeof createFirmwareReporter>
  countHardwareKeyUse: ReturnType<typeof createHardwareKeyUseCounter>
  registerConnection: ReturnType<typeof createConnectionRegistry>
  markConnectionLost: ReturnType<typeof createLostConnectionMarker>

  // State of this process.
  cells: CellMap
  signerCache: SignerCache
  signingThreads: SigningThreads
  gate: ReadGate
  exportGate: ReadGate
  catchUpGate: ReadGate
  /** Of a read whose statements take turns (`gated`). */
  reader?: Reader
  largeCalls: ReturnType<typeof createLargeCalls>
  liveInterest: LiveInterest
  livePublishing: LivePublishing
  deviceFeed: DeviceFeed
  deviceStreams: DeviceStreams
  streamCredentials: StreamCredentials
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
  siblings: Siblings
  log: Logger
  tracing: Tracing | null
  keys: { master: Buffer; operator: string }
  passwordCost: PasswordCost
}

export function createContext({ keys, ...options }: ContextOptions): Context {
  const { config, sql, hot, clock } = options
  const { now } = clock
  const processId = newId()
  const metrics = createMetrics()
  const counters = new Counters(metrics.registry, now)
  for (const pool of ['sql', 'hot', 'reads'] as const) counters.watchPool(pool, options[pool])
  const base: BaseContext = {
    ...options,
    now,
    // A process that is alone on its private Postgres need not share what it counts.
    limits: config.databaseUrl || config.processes > 1 ? postgresLimits(hot, now) : memoryLimits(now),
    outgoing: createOutgoingAddresses({ allow: config.webhookAllow }),
    integrationLog: createIntegrationLog(sql, now, options.log, {
      applications: findPartnersOfApplications,
      models: findModelsOf,
    }),
    processId,
    notifications: createNotifications(options.sql, options.log, [cellChannel(config.cell), processChannel(processId)]),
    metrics,
    counters,
    masterKey: masterKey(keys.master),
    operatorKey: keys.operator,
  }
  const recordGrantUse = createGrantUseRecorder(base)
  const statuses = createStatusCarrier(base)
  const telemetry = createTelemetryPipeline(base, statuses)
  const liveInterest = createLiveInterest(base)
  return {
    ...base,
    findBearer: createBearerLookUp(base, recordGrantUse),
    findClient: createClientLookUp(base),
    findSubject: createSubjectLookUp(base),
    readSigningKeys: createSigningKeyReader(base),
    findRefresh: createRefreshLookUp(base),
    rotateRefreshToken: createRotation(base),
    recordGrantUse,
    findApiKey: createApiKeyLookUp(base),
    findOpenSession: createOpenSessionLookUp(base),
    readMembersPage: createMembersPageReader(base),
    telemetry,
    statuses,
    reportFirmware: createFirmwareReporter(base),
    countHardwareKeyUse: createHardwareKeyUseCounter(base),
    registerConnection: createConnectionRegistry(base),
    markConnectionLost: createLostConnectionMarker(base, statuses),
    cells: createCellMap(base),
    signerCache: new Map(),
    signingThreads: new SigningThreads(threadsPerProcess(config.processes)),
    ...createReadGates(options.reads),
    largeCalls: createLargeCalls(base),
    liveInterest,
    livePublishing: createLivePublishing(base, { interest: liveInterest, telemetry }),
    deviceFeed: createDeviceFeed(base),
    deviceStreams: new Map(),
    streamCredentials: createStreamCredentials(base),
  }
}
