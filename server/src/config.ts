import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { targetSessionAttrs, targetSessionValues } from './platform/database/host-list.ts'
import { defaultConnections } from './platform/database/pool-sizes.ts'
import { defaultQuotas, defaultRates, ownLimits, type QuotaName, type RateName } from './platform/own-limits.ts'
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
  /** Devices that may register with one hardware key per minute. */
  registrationsPerKey: number
  /** Telemetry is refused while the disk of the private Postgres has fewer free bytes than this. */
  minFreeBytes: number
  /** Calls per minute. */
  rates: Record<RateName, number>
  quotas: Record<QuotaName, number>
  lab: boolean
  /** Whom to tell about a vulnerability: a mailto: or https: address. */
  securityContact: string | null
  /** Seconds that a stopping process goes on serving, so that a balancer sees that it is not ready and asks another. */
  drainSeconds: number
  logLevel: string
  /** npm runs us in a shell that may not pass signals on: see platform/process/closing.ts. */
  startedByNpm: boolean
}

export interface Fault {
  variable: string
  message: string
}

export interface ReadConfig {
  config: Config
  faults: Fault[]
  /** Variables with our prefix that do not exist, such as a misspelled one. */
  unknown: string[]
}

/** Never throws: every fault is found in one pass, so that an operator can fix them all at once. */
export function readConfig(environment: NodeJS.ProcessEnv): ReadConfig {
  const faults: Fault[] = []
  const known = new Set<string>()
  const fault = (variable: string, message: string) => {
    faults.push({ variable, message })
  }
  // An empty variable counts as unset: compose files and unit files cannot distinguish them.
  const text = (variable: string): string | null => {
    known.add(variable)
    return environment[variable]?.trim() || null
  }

  const port = (variable: string, fallback: number): number => {
    const value = text(variable)
    if (value === null) return fallback
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value)
    fault(variable, 'must be a port from 0 to 65535 (0 means any free one)')
    return fallback
  }

  const url = (variable: string, protocols: string[], { path }: { path: boolean }): string | null => {
    const value = text(variable)
    if (value === null) return null
    const parsed = URL.parse(value)
    const example = `${protocols.at(-1)}//devices.example.com`
    if (!parsed || !protocols.includes(parsed.protocol)) {
      fault(variable, `must be an absolute address, such as ${example}`)
    } else if (parsed.search || parsed.hash || parsed.username || (!path && parsed.pathname.length > 1)) {
      fault(variable, `must have no ${path ? '' : 'path, '}query, fragment or credentials, such as ${example}`)
    }
    return value.replace(/\/+$/, '')
  }

  const flag = (variable: string, fallback: boolean): boolean => {
    const value = text(variable)
    if (value === null) return fallback
    if (value === 'true' || value === 'false') return value === 'true'
    fault(variable, 'must be true or false')
    return fallback
  }

  const numbers = <Name extends string>(variable: string, defaults: Record<Name, number>): Record<Name, number> => {
    const values = { ...defaults }
    for (const part of (text(variable) ?? '').split(',').flatMap((item) => item.trim() || [])) {
      const [name = '', value = '', ...rest] = part.split('=')
      if (!Object.hasOwn(defaults, name) || rest.length > 0 || !/^[1-9]\d{0,8}$/.test(value)) {
        const names = Object.keys(defaults).join(', ')
        fault(variable, `"${part}" must be a name, = and a number from 1 to 999999999; the names are ${names}`)
      } else values[name as Name] = Number(value)
    }
    return values
  }

  const databaseUrl = text('DATABASE_URL')
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    fault('DATABASE_URL', 'must be a Postgres address, such as postgres://user:password@host:5432/landbridge')
  }
  const sessionAttrs = databaseUrl && targetSessionAttrs(databaseUrl)
  if (sessionAttrs && !targetSessionValues.includes(sessionAttrs)) {
    fault('DATABASE_URL', `must have one of these as target_session_attrs: ${targetSessionValues.join(', ')}`)
  }

  const engine = text('LANDBRIDGE_DISTRIBUTED')
  if (engine !== null && engine !== 'citus') fault('LANDBRIDGE_DISTRIBUTED', 'must be citus, or left out')
  else if (engine !== null && !databaseUrl) {
    fault('LANDBRIDGE_DISTRIBUTED', 'must be left out without DATABASE_URL, which names the coordinator')
  }

  const masterKeyText = text('LANDBRIDGE_MASTER_KEY')
  const masterKey = masterKeyText === null ? null : Buffer.from(masterKeyText, 'base64')
  if (masterKey && masterKey.length !== 32) {
    fault('LANDBRIDGE_MASTER_KEY', 'must be 32 bytes in base64, as `openssl rand -base64 32` prints')
  }
  const operatorKey = text('LANDBRIDGE_OPERATOR_KEY')
  if (operatorKey && operatorKey.length < 32) fault('LANDBRIDGE_OPERATOR_KEY', 'must have 32 characters or more')
  const metricsKey = text('LANDBRIDGE_METRICS_KEY')
  if (metricsKey && metricsKey.length < 32) fault('LANDBRIDGE_METRICS_KEY', 'must have 32 characters or more')
  if (metricsKey && metricsKey === operatorKey) {
    fault('LANDBRIDGE_METRICS_KEY', 'must differ from LANDBRIDGE_OPERATOR_KEY: it opens /metrics and nothing else')
  }
  if (databaseUrl) {
    const why = 'is required with DATABASE_URL, and the same on every process'
    if (!masterKeyText)
      fault('LANDBRIDGE_MASTER_KEY', `${why}: 32 bytes in base64, as \`openssl rand -base64 32\` prints`)
    if (!operatorKey) fault('LANDBRIDGE_OPERATOR_KEY', `${why}: any string of 32 characters or more`)
  }

  const ranges = (variable: string): string[] => {
    const list = (text(variable) ?? '').split(',').flatMap((part) => part.trim() || [])
    for (const range of list) {
      const [address = '', bits, ...rest] = range.split('/')
      const family = isIP(address)
      const wide = family === 6 ? 128 : 32
      if (!family || rest.length || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= wide))) {
        fault(variable, `"${range}" is no address or CIDR range, such as 10.0.0.0/8`)
      }
    }
    return list
  }
  const trustProxy = ranges('LANDBRIDGE_TRUST_PROXY')

  const tlsCertFile = text('LANDBRIDGE_TLS_CERT')
  const tlsKeyFile = text('LANDBRIDGE_TLS_KEY')
  if (tlsCertFile && !tlsKeyFile) fault('LANDBRIDGE_TLS_KEY', 'is required with LANDBRIDGE_TLS_CERT: a PEM file')
  if (tlsKeyFile && !tlsCertFile) fault('LANDBRIDGE_TLS_CERT', 'is required with LANDBRIDGE_TLS_KEY: a PEM file')

  const logLevel = text('LANDBRIDGE_LOG_LEVEL') ?? 'info'
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
  if (!levels.includes(logLevel)) fault('LANDBRIDGE_LOG_LEVEL', `must be one of ${levels.join(', ')}`)

  const historyDaysText = text('LANDBRIDGE_HISTORY_DAYS') ?? '30'
  const historyDays = Number(historyDaysText)
  if (!/^\d{1,4}$/.test(historyDaysText) || historyDays < 1 || historyDays > 3_650) {
    fault('LANDBRIDGE_HISTORY_DAYS', 'must be a number of days from 1 to 3650')
  }

  const auditDaysText = text('LANDBRIDGE_AUDIT_DAYS') ?? '400'
  const auditDays = Number(auditDaysText)
  if (!/^\d{1,4}$/.test(auditDaysText) || (auditDays !== 0 && auditDays < 30) || auditDays > 3_650) {
    fault('LANDBRIDGE_AUDIT_DAYS', 'must be a number of days from 30 to 3650, or 0 to keep everything')
  }

  const removedDaysText = text('LANDBRIDGE_REMOVED_DEVICE_DAYS') ?? '90'
  const removedDeviceDays = Number(removedDaysText)
  if (!/^\d{1,4}$/.test(removedDaysText) || removedDeviceDays < 1 || removedDeviceDays > 3_650) {
    fault('LANDBRIDGE_REMOVED_DEVICE_DAYS', 'must be a number of days from 1 to 3650')
  }

  const unusedDaysText = text('LANDBRIDGE_UNUSED_DEVICE_DAYS') ?? '365'
  const unusedDeviceDays = Number(unusedDaysText)
  if (!/^\d{1,4}$/.test(unusedDaysText) || unusedDeviceDays > 3_650) {
    fault('LANDBRIDGE_UNUSED_DEVICE_DAYS', 'must be a number of days from 1 to 3650, or 0 to keep them for ever')
  }

  const registrationsText = text('LANDBRIDGE_REGISTRATIONS_PER_KEY') ?? String(ownLimits.registrationsPerKey)
  const registrationsPerKey = Number(registrationsText)
  if (!/^\d{1,7}$/.test(registrationsText) || registrationsPerKey < 1) {
    fault('LANDBRIDGE_REGISTRATIONS_PER_KEY', 'must be a number of registrations per minute from 1 to 9999999')
  }

  const publicUrl = url('LANDBRIDGE_PUBLIC_URL', ['http:', 'https:'], { path: false })
  // A lab's credentials are in a file and were printed on a console, which is too weak for a public address.
  const isPublic = publicUrl?.startsWith('https:') === true && !isLoopback(publicUrl)
  const lab = flag('LANDBRIDGE_LAB', databaseUrl === null && !isPublic)
  if (lab && isPublic) {
    fault(
      'LANDBRIDGE_LAB',
      'must be false where LANDBRIDGE_PUBLIC_URL is an https address: a lab is for trying things out',
    )
  }

  const givenHost = text('LANDBRIDGE_HOST')
  const onlyThisMachine = publicUrl === null && /^(localhost|127\.\d+\.\d+\.\d+|::1)$/.test(givenHost ?? 'localhost')
  const webhookRanges = ranges('LANDBRIDGE_WEBHOOK_ALLOW')
  // Who tries things out has the receiver on the same machine, which nobody else can reach through us.
  const webhookAllow = webhookRanges.length === 0 && lab && onlyThisMachine ? ['127.0.0.0/8', '::1'] : webhookRanges

  const minFreeText = text('LANDBRIDGE_MIN_FREE_MB') ?? '512'
  if (!/^\d{1,6}$/.test(minFreeText)) fault('LANDBRIDGE_MIN_FREE_MB', 'must be a number of megabytes from 0 to 999999')

  const drainText = text('LANDBRIDGE_DRAIN_SECONDS') ?? (databaseUrl ? '5' : '0')
  const drainSeconds = Number(drainText)
  if (!/^\d{1,3}$/.test(drainText) || drainSeconds > 300) {
    fault('LANDBRIDGE_DRAIN_SECONDS', 'must be a number of seconds from 0 to 300')
  }

  const securityContact = text('LANDBRIDGE_SECURITY_CONTACT')
  if (securityContact && !/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(securityContact)) {
    fault('LANDBRIDGE_SECURITY_CONTACT', 'must be mailto:security@example.com or an https address')
  }

  const processesText = text('LANDBRIDGE_PROCESSES') ?? '1'
  const processes = processesText === 'auto' ? automaticProcesses() : Number(processesText)
  if (processesText !== 'auto' && !(/^\d{1,2}$/.test(processesText) && processes >= 1 && processes <= maxProcesses)) {
    fault('LANDBRIDGE_PROCESSES', `must be a number from 1 to ${maxProcesses}, or auto (one per core but one)`)
  }

  const cell = text('LANDBRIDGE_CELL')
  if (cell !== null && !/^[a-z0-9][a-z0-9-]{0,31}$/.test(cell)) {
    fault('LANDBRIDGE_CELL', 'must be a name of up to 32 lower-case letters, digits and hyphens, such as eu-1')
  }

  const connectionsText = text('LANDBRIDGE_CONNECTIONS') ?? String(defaultConnections)
  const connections = Number(connectionsText)
  if (!/^\d{1,3}$/.test(connectionsText) || connections < defaultConnections || connections > maxConnections) {
    fault('LANDBRIDGE_CONNECTIONS', `must be a number from ${defaultConnections} to ${maxConnections}`)
  }

  const quotas = numbers('LANDBRIDGE_QUOTAS', defaultQuotas)
  if (quotas.levels > maxLevels) fault('LANDBRIDGE_QUOTAS', `must have levels of at most ${maxLevels}`)

  const entryUrl = url('LANDBRIDGE_ENTRY_URL', ['http:', 'https:'], { path: true })
  const hubUrl = url('LANDBRIDGE_HUB_URL', ['http:', 'https:'], { path: true })
  const mqttUrl = url('LANDBRIDGE_MQTT_URL', ['mqtts:'], { path: false })
  const staticCertUrl = url('LANDBRIDGE_STATIC_CERT_URL', ['https:'], { path: true })
  if (publicUrl !== null && !isLoopback(publicUrl)) {
    const given = {
      LANDBRIDGE_ENTRY_URL: entryUrl,
      LANDBRIDGE_HUB_URL: hubUrl,
      LANDBRIDGE_MQTT_URL: mqttUrl,
      LANDBRIDGE_STATIC_CERT_URL: staticCertUrl,
    }
    for (const [variable, value] of Object.entries(given)) {
      if (value !== null && isLoopback(value)) {
        fault(
          variable,
          `is ${value}, which no device outside this machine can reach: use the public host, or leave it out`,
        )
      }
    }
  }

  const config: Config = {
    // Without a public address, the service listens on this machine only: it has plain HTTP and perhaps a lab.
    host: givenHost ?? (publicUrl === null ? '127.0.0.1' : '0.0.0.0'),
    port: port('PORT', 8080),
    mqttsPort: port('LANDBRIDGE_MQTTS_PORT', 8883),
    staticCertPort: port('LANDBRIDGE_STATIC_CERT_PORT', 8443),
    publicUrl,
    entryUrl,
    hubUrl,
    mqttUrl,
    staticCertUrl,
    tlsCertFile,
    tlsKeyFile,
    dataDir: resolve(text('LANDBRIDGE_DATA_DIR') ?? 'data'),
    databaseUrl,
    distributed: engine === 'citus',
    processes,
    cell,
    connections,
    masterKey,
    operatorKey,
    metricsKey,
    trustProxy,
    webhookAllow,
    historyDays,
    auditDays: auditDays === 0 ? null : auditDays,
    removedDeviceDays,
    unusedDeviceDays: unusedDeviceDays === 0 ? null : unusedDeviceDays,
    registrationsPerKey,
    minFreeBytes: Number(minFreeText) * 1_048_576,
    rates: numbers('LANDBRIDGE_RATES', defaultRates),
    quotas,
    lab,
    securityContact,
    drainSeconds,
    logLevel,
    startedByNpm: text('npm_lifecycle_event') === 'start',
  }
  const unknown = Object.keys(environment).filter((name) => name.startsWith('LANDBRIDGE_') && !known.has(name))
  return { config, faults, unknown: unknown.toSorted() }
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

function isLoopback(url: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1?\])$/.test(URL.parse(url)?.hostname ?? '')
}
