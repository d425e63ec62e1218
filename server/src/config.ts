import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { targetSessionAttrs, targetSessionValues } from './platform/database/host-list.ts'
import { defaultConnections } from './platform/database/pool-sizes.ts'
import { Environment, type Fault } from './platform/environment.ts'
import { isLoopback } from './platform/loopback.ts'
import { type MailSettings, readMail } from './platform/mail-settings.ts'
import {
  defaultQuotas,
  defaultRates,
  lifetimes,
  ownLimits,
  type QuotaName,
  type RateName,
} from './platform/own-limits.ts'
import { memoryOf } from './platform/private-postgres/settings.ts'

/** Every setting from the environment, read once. Addresses left null follow from where the listeners are bound. */
export interface Config {
  host: string
  port: number
  mqttsPort: number
  staticCertPort: number
  publicUrl: string | null
  entryUrl: string | null
  hubUrl: string | null
  mqttUrl: string | null
  staticCertUrl: string | null
  tlsCertFile: string | null
  tlsKeyFile: string | null
  dataDir: string
  /** The built portal; null for the one beside the service. */
  portalDir: string | null
  databaseUrl: string | null
  /** Whether it is a Citus, over whose servers telemetry is spread. */
  distributed: boolean
  /** Processes that serve, on the same ports. */
  processes: number
  /** The hub cell that this process belongs to; null where one cell without a name serves every device. */
  cell: string | null
  /** To Postgres, of each process at most. */
  connections: number
  masterKey: Buffer | null
  operatorKey: string | null
  /** Opens /metrics and nothing else. */
  metricsKey: string | null
  trustProxy: string[]
  /** Loopback or private ranges that webhooks may reach although they are not public. */
  webhookAllow: string[]
  /** Days that telemetry history is kept. */
  historyDays: number
  /** Days that audit events are kept; null for ever. */
  auditDays: number | null
  /** Days that a removed device is still known, or as long as its history where that is longer. */
  removedDeviceDays: number
  /** Days after which a device that nobody claimed and that never authenticated is removed; null: never. */
  unusedDeviceDays: number | null
  /** After which a session ends: without a request, and in all. */
  sessionIdleMilliseconds: number
  sessionMilliseconds: number
  /** Devices that may register with one hardware key per minute. */
  registrationsPerKey: number
  /** Telemetry is refused while the disk of the private Postgres has fewer free bytes than this. */
  minFreeBytes: number
  /** Calls per minute. */
  rates: Record<RateName, number>
  quotas: Record<QuotaName, number>
  lab: boolean
  /** Null where no mail is sent. */
  mail: MailSettings | null
  /** Whom to tell about a vulnerability: a mailto: or https: address. */
  securityContact: string | null
  /** Seconds that a stopping process goes on serving, so that a balancer sees that it is not ready and asks another. */
  drainSeconds: number
  logLevel: string
  /** npm runs us in a shell that may not pass signals on: see platform/process/closing.ts. */
  startedByNpm: boolean
}

export interface ReadConfig {
  config: Config
  faults: Fault[]
  /** Variables with our prefix that do not exist, such as a misspelled one. */
  unknown: string[]
}

/** Never throws: every fault is found in one pass. */
export function readConfig(values: NodeJS.ProcessEnv): ReadConfig {
  const environment = new Environment(values)
  const database = readDatabase(environment)
  const addresses = readAddresses(environment)
  const lab = readLab(environment, { ...database, ...addresses })
  const config: Config = {
    ...database,
    ...addresses,
    ...readKeys(environment, database),
    ...readTlsFiles(environment),
    ...readListeners(environment, addresses),
    ...readRetention(environment),
    ...readSessions(environment),
    ...readLimits(environment),
    ...readProcess(environment, database),
    lab,
    mail: readMail(environment),
    trustProxy: environment.ranges('LANDBRIDGE_TRUST_PROXY'),
    webhookAllow: readWebhookAllow(environment, { ...addresses, lab }),
    securityContact: environment.matching(
      'LANDBRIDGE_SECURITY_CONTACT',
      /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
      'must be mailto:security@example.com or an https address',
    ),
    startedByNpm: environment.text('npm_lifecycle_event') === 'start',
  }
  return { config, faults: environment.faults, unknown: environment.unknown('LANDBRIDGE_') }
}

type Part<Name extends keyof Config> = Pick<Config, Name>

function readDatabase(environment: Environment): Part<'databaseUrl' | 'distributed' | 'connections'> {
  const databaseUrl = environment.matching(
    'DATABASE_URL',
    /^postgres(ql)?:\/\//,
    'must be a Postgres address, such as postgres://user:password@host:5432/landbridge',
  )
  const sessionAttrs = databaseUrl && targetSessionAttrs(databaseUrl)
  if (sessionAttrs && !targetSessionValues.includes(sessionAttrs)) {
    const message = `must have one of these as target_session_attrs: ${targetSessionValues.join(', ')}`
    environment.fault('DATABASE_URL', message)
  }
  const engine = environment.matching('LANDBRIDGE_DISTRIBUTED', /^citus$/, 'must be citus, or left out')
  if (engine === 'citus' && !databaseUrl) {
    const message = 'must be left out without DATABASE_URL, which names the coordinator'
    environment.fault('LANDBRIDGE_DISTRIBUTED', message)
  }
  const connections = { fallback: defaultConnections, min: defaultConnections, max: maxConnections }
  return {
    databaseUrl,
    distributed: engine === 'citus',
    connections: environment.count('LANDBRIDGE_CONNECTIONS', connections),
  }
}

function readAddresses(
  environment: Environment,
): Part<'publicUrl' | 'entryUrl' | 'hubUrl' | 'mqttUrl' | 'staticCertUrl'> {
  const publicUrl = environment.url('LANDBRIDGE_PUBLIC_URL', ['http:', 'https:'], { path: false })
  const forDevices = (variable: string, protocols: string[], path: boolean) => {
    const url = environment.url(variable, protocols, { path })
    if (url !== null && publicUrl !== null && isLoopback(url) && !isLoopback(publicUrl)) {
      const advice = 'use the public host, or leave it out'
      environment.fault(variable, `is ${url}, which no device outside this machine can reach: ${advice}`)
    }
    return url
  }
  return {
    publicUrl,
    entryUrl: forDevices('LANDBRIDGE_ENTRY_URL', ['http:', 'https:'], true),
    hubUrl: forDevices('LANDBRIDGE_HUB_URL', ['http:', 'https:'], true),
    mqttUrl: forDevices('LANDBRIDGE_MQTT_URL', ['mqtts:'], false),
    staticCertUrl: forDevices('LANDBRIDGE_STATIC_CERT_URL', ['https:'], true),
  }
}

function readLab(environment: Environment, { databaseUrl, publicUrl }: Part<'databaseUrl' | 'publicUrl'>): boolean {
  // A lab's credentials are in a file and were printed on a console, which is too weak for a public address.
  const isPublic = publicUrl?.startsWith('https:') === true && !isLoopback(publicUrl)
  const lab = environment.flag('LANDBRIDGE_LAB', databaseUrl === null && !isPublic)
  if (lab && isPublic) {
    const message = 'must be false where LANDBRIDGE_PUBLIC_URL is an https address: a lab is for trying things out'
    environment.fault('LANDBRIDGE_LAB', message)
  }
  return lab
}

function readKeys(
  environment: Environment,
  { databaseUrl }: Part<'databaseUrl'>,
): Part<'masterKey' | 'operatorKey' | 'metricsKey'> {
  const masterKeyText = environment.text('LANDBRIDGE_MASTER_KEY')
  const masterKey = masterKeyText === null ? null : Buffer.from(masterKeyText, 'base64')
  const like = '32 bytes in base64, as `openssl rand -base64 32` prints'
  if (masterKey && masterKey.length !== 32) environment.fault('LANDBRIDGE_MASTER_KEY', `must be ${like}`)
  const long = [/.{32}/s, 'must have 32 characters or more'] as const
  const operatorKey = environment.matching('LANDBRIDGE_OPERATOR_KEY', ...long)
  const metricsKey = environment.matching('LANDBRIDGE_METRICS_KEY', ...long)
  if (metricsKey && metricsKey === operatorKey) {
    const message = 'must differ from LANDBRIDGE_OPERATOR_KEY: it opens /metrics and nothing else'
    environment.fault('LANDBRIDGE_METRICS_KEY', message)
  }
  const why = 'is required with DATABASE_URL, and the same on every process'
  if (databaseUrl && !masterKey) environment.fault('LANDBRIDGE_MASTER_KEY', `${why}: ${like}`)
  if (databaseUrl && !operatorKey) {
    environment.fault('LANDBRIDGE_OPERATOR_KEY', `${why}: any string of 32 characters or more`)
  }
  return { masterKey, operatorKey, metricsKey }
}

function readTlsFiles(environment: Environment): Part<'tlsCertFile' | 'tlsKeyFile'> {
  const tlsCertFile = environment.text('LANDBRIDGE_TLS_CERT')
  const tlsKeyFile = environment.text('LANDBRIDGE_TLS_KEY')
  const requiredWith = (other: string) => `is required with ${other}: a PEM file`
  if (tlsCertFile && !tlsKeyFile) environment.fault('LANDBRIDGE_TLS_KEY', requiredWith('LANDBRIDGE_TLS_CERT'))
  if (tlsKeyFile && !tlsCertFile) environment.fault('LANDBRIDGE_TLS_CERT', requiredWith('LANDBRIDGE_TLS_KEY'))
  return { tlsCertFile, tlsKeyFile }
}

function readListeners(
  environment: Environment,
  { publicUrl }: Part<'publicUrl'>,
): Part<'host' | 'port' | 'mqttsPort' | 'staticCertPort'> {
  return {
    // Without a public address, the service listens on this machine only: it has plain HTTP and perhaps a lab.
    host: environment.text('LANDBRIDGE_HOST') ?? (publicUrl === null ? '127.0.0.1' : '0.0.0.0'),
    port: environment.port('PORT', 8080),
    mqttsPort: environment.port('LANDBRIDGE_MQTTS_PORT', 8883),
    staticCertPort: environment.port('LANDBRIDGE_STATIC_CERT_PORT', 8443),
  }
}

/** Who tries things out has the receiver on the same machine, which nobody else can reach through us. */
function readWebhookAllow(environment: Environment, { publicUrl, lab }: Part<'publicUrl' | 'lab'>): string[] {
  const given = environment.ranges('LANDBRIDGE_WEBHOOK_ALLOW')
  const host = environment.text('LANDBRIDGE_HOST') ?? 'localhost'
  const onlyThisMachine = publicUrl === null && /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host)
  return given.length === 0 && lab && onlyThisMachine ? ['127.0.0.0/8', '::1'] : given
}

function readRetention(
  environment: Environment,
): Part<'historyDays' | 'auditDays' | 'removedDeviceDays' | 'unusedDeviceDays'> {
  const days = { min: 1, max: 3_650, of: 'days' }
  const auditDays = { ...days, min: 30, fallback: 400, orZero: 'to keep everything' }
  const unusedDays = { ...days, fallback: 365, orZero: 'to keep them for ever' }
  return {
    historyDays: environment.count('LANDBRIDGE_HISTORY_DAYS', { ...days, fallback: 30 }),
    auditDays: environment.count('LANDBRIDGE_AUDIT_DAYS', auditDays) || null,
    removedDeviceDays: environment.count('LANDBRIDGE_REMOVED_DEVICE_DAYS', { ...days, fallback: 90 }),
    unusedDeviceDays: environment.count('LANDBRIDGE_UNUSED_DEVICE_DAYS', unusedDays) || null,
  }
}

function readSessions(environment: Environment): Part<'sessionIdleMilliseconds' | 'sessionMilliseconds'> {
  const hour = 3_600_000
  const idle = { fallback: lifetimes.idleSessionMilliseconds / hour, min: 1, max: 720, of: 'hours' }
  const whole = { fallback: lifetimes.sessionMilliseconds / (24 * hour), min: 1, max: 365, of: 'days' }
  return {
    sessionIdleMilliseconds: environment.count('LANDBRIDGE_SESSION_IDLE_HOURS', idle) * hour,
    sessionMilliseconds: environment.count('LANDBRIDGE_SESSION_DAYS', whole) * 24 * hour,
  }
}

function readLimits(environment: Environment): Part<'registrationsPerKey' | 'minFreeBytes' | 'rates' | 'quotas'> {
  const registrations = { fallback: ownLimits.registrationsPerKey, min: 1, max: 9_999_999 }
  const quotas = environment.numbers('LANDBRIDGE_QUOTAS', defaultQuotas)
  if (quotas.levels > maxLevels) {
    environment.fault('LANDBRIDGE_QUOTAS', `must have levels of at most ${maxLevels}`)
  }
  const megabytes = { fallback: 512, max: 999_999, of: 'megabytes' }
  return {
    registrationsPerKey: environment.count('LANDBRIDGE_REGISTRATIONS_PER_KEY', {
      ...registrations,
      of: 'registrations per minute',
    }),
    minFreeBytes: environment.count('LANDBRIDGE_MIN_FREE_MB', megabytes) * 1_048_576,
    rates: environment.numbers('LANDBRIDGE_RATES', defaultRates),
    quotas,
  }
}

function readProcess(
  environment: Environment,
  { databaseUrl }: Part<'databaseUrl'>,
): Part<'dataDir' | 'portalDir' | 'processes' | 'cell' | 'drainSeconds' | 'logLevel'> {
  const processesText = environment.text('LANDBRIDGE_PROCESSES') ?? '1'
  const processes = processesText === 'auto' ? automaticProcesses() : Number(processesText)
  if (processesText !== 'auto' && !(/^\d{1,2}$/.test(processesText) && processes >= 1 && processes <= maxProcesses)) {
    const message = `must be a number from 1 to ${maxProcesses}, or auto (one per core but one)`
    environment.fault('LANDBRIDGE_PROCESSES', message)
  }
  const drain = { fallback: databaseUrl ? 5 : 0, max: 300, of: 'seconds' }
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
  return {
    dataDir: resolve(environment.text('LANDBRIDGE_DATA_DIR') ?? 'data'),
    portalDir: environment.text('LANDBRIDGE_PORTAL_DIR'),
    processes,
    cell: environment.matching(
      'LANDBRIDGE_CELL',
      /^[a-z0-9][a-z0-9-]{0,31}$/,
      'must be a name of up to 32 lower-case letters, digits and hyphens, such as eu-1',
    ),
    drainSeconds: environment.count('LANDBRIDGE_DRAIN_SECONDS', drain),
    logLevel: environment.oneOf('LANDBRIDGE_LOG_LEVEL', levels, 'info'),
  }
}

const maxProcesses = 64
const maxConnections = 200
/** A search for spaces goes no deeper. */
const maxLevels = 64
const gigabyte = 1_073_741_824

/** One core is left to Postgres. A process may take half a gigabyte under load, and as much again is left to Postgres. */
export function automaticProcesses({ cores = availableParallelism(), memory = memoryOf() } = {}): number {
  return Math.max(1, Math.min(cores - 1, Math.floor(memory / gigabyte), maxProcesses))
}
