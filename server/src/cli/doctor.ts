import { X509Certificate } from 'node:crypto'
import { access, readFile, stat, statfs } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { type Config, readConfig } from '../config.ts'
import { findTakenAddress } from '../devices/cells/join-cell.ts'
import { listCells } from '../devices/store/hub-cells-sql.ts'
import { requireDistribution } from '../devices/telemetry/distribution.ts'
import { checkMailServer } from '../events/mail/smtp-attempt.ts'
import { addressesOf } from '../platform/addresses.ts'
import { requireRightClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/database/database.ts'
import { planMigrations } from '../platform/database/migrate.ts'
import { readMigrations } from '../platform/database/migration-files.ts'
import { requireOwnSessions } from '../platform/database/session-check.ts'
import type { Pool } from '../platform/database/sql.ts'
import { createLog } from '../platform/log.ts'
import { findRunningPostgres } from '../platform/private-postgres/private-postgres.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { openStorage } from '../platform/process/storage.ts'
import { masterKey } from '../platform/secrets/master-key.ts'
import { findSealedCertificate, openSealedCertificate } from '../platform/tls/static-certificate.ts'
import { readTlsFiles } from '../platform/tls/tls-files.ts'

export interface Finding {
  level: 'ok' | 'warning' | 'problem'
  about: string
  message: string
}

const dayMilliseconds = 86_400_000

/** `landbridge doctor`: looks at everything a start depends on, changes nothing, and says what to do. */
export async function doctor(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const findings: Finding[] = []
  const report = (level: Finding['level'], about: string, message: string) => {
    findings.push({ level, about, message })
  }
  const { config, faults, unknown } = readConfig(environment)
  for (const { variable, message } of faults) report('problem', 'settings', `${variable} ${message}.`)
  for (const name of unknown) report('warning', 'settings', `${name} means nothing to this release.`)
  if (faults.length === 0) report('ok', 'settings', 'Every variable can be read.')

  await checkDisk(config, report)
  await checkKeyFiles(config, report)
  await checkTlsFiles(config, report)
  await checkAddresses(config, report)
  await checkMail(config, report)
  await checkDatabase(config, report)
  return findings
}

type Report = (level: Finding['level'], about: string, message: string) => void

async function checkDisk({ dataDir, databaseUrl }: Config, report: Report): Promise<void> {
  if (databaseUrl) return
  const disk = await statfs(dataDir).catch(() => null)
  if (!disk) return report('warning', 'disk', `${dataDir} does not exist yet: the first start creates it.`)
  const free = disk.bavail * disk.bsize
  const text = `${(free / 2 ** 30).toFixed(1)} GiB free for ${dataDir}`
  if (free < 2 ** 29) report('problem', 'disk', `${text}. Postgres stops when the disk is full: make room.`)
  else if (free < 2 ** 32)
    report('warning', 'disk', `${text}. Make room, or keep less history (LANDBRIDGE_HISTORY_DAYS).`)
  else report('ok', 'disk', `${text}.`)
}

async function checkKeyFiles({ dataDir, databaseUrl }: Config, report: Report): Promise<void> {
  if (databaseUrl) return
  for (const name of ['master.key', 'operator.key']) {
    const file = await stat(join(dataDir, name)).catch(() => null)
    if (!file) continue
    if (process.platform !== 'win32' && file.mode & 0o077) {
      report('problem', 'keys', `Others can read ${join(dataDir, name)}: chmod 600 it, and consider the key leaked.`)
    } else report('ok', 'keys', `Only its owner can read ${name}.`)
  }
}

async function checkTlsFiles({ tlsCertFile, tlsKeyFile, ...config }: Config, report: Report): Promise<void> {
  if (!tlsCertFile || !tlsKeyFile) return
  try {
    const { certificate } = await readTlsFiles({ certificateFile: tlsCertFile, keyFile: tlsKeyFile })
    const parsed = new X509Certificate(certificate)
    const days = Math.floor((parsed.validToDate.getTime() - Date.now()) / dayMilliseconds)
    if (days < 0) report('problem', 'certificate', `${tlsCertFile} has expired: renew it.`)
    else if (days < 14) report('warning', 'certificate', `${tlsCertFile} expires in ${days} days: renew it.`)
    else report('ok', 'certificate', `${tlsCertFile} is valid for ${days} more days.`)
    const { mqttUrl } = addressesOf(config, {
      http: config.port,
      mqtts: config.mqttsPort,
      staticCert: config.staticCertPort,
    })
    checkNames(parsed, tlsCertFile, [mqttUrl], report)
  } catch (error) {
    report('problem', 'certificate', `${tlsCertFile} and ${tlsKeyFile} cannot be used: ${(error as Error).message}.`)
  }
}

function checkNames(certificate: X509Certificate, what: string, urls: string[], report: Report): void {
  const hosts = new Set(urls.map((url) => new URL(url).hostname.replace(/^\[|\]$/g, '')))
  for (const host of hosts) {
    const named = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)
    if (named) report('ok', 'certificate', `${what} is valid for ${host}.`)
    else report('warning', 'certificate', `${what} does not name ${host}: devices that compare names refuse it.`)
  }
}

const mailMilliseconds = 10_000

async function checkMail({ mail }: Config, report: Report): Promise<void> {
  if (!mail) {
    const advice = 'set LANDBRIDGE_MAIL_URL and LANDBRIDGE_MAIL_FROM, or hand links over by hand'
    return report('ok', 'mail', `None is sent: ${advice}.`)
  }
  const { kind, failure, response } = await checkMailServer(mail, { attemptMs: mailMilliseconds })
  const server = `${mail.host}, port ${mail.port}`
  if (kind === 'sent') return report('ok', 'mail', `${server}, can be reached and takes mail.`)
  report('problem', 'mail', `${server}: ${failure}${response ? ` It said: ${response}` : ''}`)
}

interface Readiness {
  reason?: string
  processes_serving?: number
  processes_configured?: number
}

async function checkAddresses(config: Config, report: Report): Promise<void> {
  const kept = (await readFile(join(config.dataDir, 'address'), 'utf8').catch(() => '')).trim()
  const url = config.publicUrl ?? (kept || null)
  if (!url) return
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3_000) })
    const { reason, ...processes } = (await response.json()) as Readiness
    const { processes_serving: serving = 1, processes_configured: configured = 1 } = processes
    if (response.ok && serving < configured)
      report('warning', 'addresses', `${url} is ready, with ${serving} of ${configured} processes: see the log.`)
    else if (response.ok) report('ok', 'addresses', `${url} is ready.`)
    else report('problem', 'addresses', `${url} is not ready: ${reason}.`)
  } catch (error) {
    const cause = (error as Error).cause instanceof Error ? ((error as Error).cause as Error).message : String(error)
    report('warning', 'addresses', `${url} does not respond (${cause}): is the service running, and the address right?`)
  }
}

async function checkDatabase(config: Config, report: Report): Promise<void> {
  const cluster = join(config.dataDir, 'postgres')
  const running = config.databaseUrl ?? (await findRunningPostgres(cluster))
  if (!running && !(await isThere(cluster)))
    return report('warning', 'database', 'There is none yet: the first start creates it.')
  // Opening the database below would create a new key, which cannot read what is encrypted.
  if (!config.databaseUrl && !config.masterKey && !(await isThere(join(config.dataDir, 'master.key')))) {
    const advice = 'put it back from a backup before the next start, which would create another'
    return report('problem', 'keys', `${config.dataDir} has a database, but no master.key: ${advice}.`)
  }
  const log = createLog('silent')
  let storage: Awaited<ReturnType<typeof openStorage>> | undefined
  let sql: Pool | undefined
  try {
    storage = running ? undefined : await openStorage(config, log, { onLost() {} })
    const { distributed } = config
    const url = running ?? storage!.databaseUrl
    sql = openDatabase({ url, max: 2, applicationName: 'landbridge doctor', distributed })
    await checkServer(sql, config, report)
    if (await checkStart(sql, config, report)) {
      await checkMasterKey(sql, config, report)
      await checkCell(sql, config, report)
    }
  } catch (error) {
    report('problem', 'database', `It cannot be used: ${(error as Error).message}`)
  } finally {
    await sql?.end({ timeout: 2 })
    await storage?.close()
  }
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}

interface Server {
  version: string
  fsync: string
  full_page_writes: string
  room: number
  in_use: number
}

async function checkServer(sql: Pool, { databaseUrl, processes, connections }: Config, report: Report): Promise<void> {
  // An ordinary role has neither the reserved connections nor a look at the sessions of others.
  const [server] = await sql<[Server]>`
    select
      current_setting('server_version') as version,
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes,
      least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
      ) as room,
      (select sum(numbackends)::int from pg_stat_database) as in_use`
  report('ok', 'database', `Postgres ${server.version} accepts writes.`)
  if (server.fsync !== 'on' || server.full_page_writes !== 'on') {
    report('problem', 'database', 'fsync or full_page_writes is off: a power cut loses what was acknowledged.')
  }
  const free = Math.max(0, server.room - server.in_use)
  const need = connections * processes
  if (databaseUrl && free < need) {
    const who = processes === 1 ? 'a process needs' : `${processes} processes need`
    report('warning', 'database', `${who} up to ${need} connections, and ${free} are free: raise max_connections.`)
  }
}

/** What a start refuses, by the functions with which it does. True when there are tables to look into. */
async function checkStart(sql: Pool, config: Config, report: Report): Promise<boolean> {
  const check = async (about: string, require: () => Promise<void>) => {
    try {
      await require()
      return true
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error
      report('problem', about, error.message)
      return false
    }
  }
  // In another mode of a pooler the checks that follow would be about several sessions.
  if (config.databaseUrl && !(await check('database', () => requireOwnSessions(sql)))) return false
  await check('clock', async () => {
    await requireRightClock(sql)
    report('ok', 'clock', 'This machine and the database agree.')
  })
  await check('database', () => requireDistribution(sql))
  const known = await readMigrations()
  let missing = known
  const connection = await sql.reserve()
  const migratable = await check('database', async () => {
    missing = await planMigrations(connection, known)
  }).finally(() => connection.release())
  if (!migratable) return false
  if (missing.length === 0) report('ok', 'database', 'Every migration is applied.')
  else if (missing.length === known.length)
    report('warning', 'database', 'It is empty: the first start creates the tables.')
  else
    report('warning', 'database', 'Migrations are missing: the next start applies them, or `landbridge migrate` does.')
  return missing.length < known.length
}

async function checkCell(sql: Pool, config: Config, report: Report): Promise<void> {
  const cells = await listCells(sql).catch(() => [])
  const names = cells.map(({ name }) => name).join(', ')
  if (config.cell === null) {
    const effect = 'this process stores the messages of every device, and sends none to its cell'
    if (cells.length > 0)
      report('ok', 'hub cell', `LANDBRIDGE_CELL is not set, and there are cells (${names}): ${effect}.`)
    return
  }
  const cell = cells.find(({ name }) => name === config.cell)
  const wanted = {
    ...(config.hubUrl ? { hub_url: config.hubUrl } : {}),
    ...(config.staticCertUrl ? { hub_url_static_cert: config.staticCertUrl } : {}),
    ...(config.mqttUrl ? { mqtt_hub_url: config.mqttUrl } : {}),
  }
  const taken = findTakenAddress(config.cell, wanted, cells)
  if (taken) return report('problem', 'hub cell', taken)
  if (!cell) {
    const share = cells.length === 0 ? 'it gets every device' : '`landbridge cell rebalance` gives it devices'
    return report('ok', 'hub cell', `${config.cell} is new; after its first start ${share}.`)
  }
  const { hub_url, hub_url_static_cert, mqtt_hub_url } = cell
  const given = [config.hubUrl ?? hub_url, config.staticCertUrl ?? hub_url_static_cert, config.mqttUrl ?? mqtt_hub_url]
  if (given.join() === [hub_url, hub_url_static_cert, mqtt_hub_url].join())
    report('ok', 'hub cell', `${config.cell} is ${cell.state} at ${hub_url}.`)
  else
    report(
      'warning',
      'hub cell',
      `${config.cell} has other addresses so far (${hub_url}): the next start changes them.`,
    )
}

async function checkMasterKey(sql: Pool, config: Config, report: Report): Promise<void> {
  const sealed = await findSealedCertificate(sql)
  const kept = (await readFile(join(config.dataDir, 'master.key'), 'utf8').catch(() => '')).trim()
  const key = config.masterKey ?? (kept ? Buffer.from(kept, 'base64') : null)
  if (!sealed || !key) return
  try {
    openSealedCertificate(masterKey(key), sealed)
    report('ok', 'keys', 'The master key is the one this database was encrypted with.')
  } catch (error) {
    report('problem', 'keys', (error as Error).message)
  }
  const { mqttUrl, staticCertUrl } = addressesOf(config, {
    http: config.port,
    mqtts: config.mqttsPort,
    staticCert: config.staticCertPort,
  })
  const urls = config.tlsCertFile ? [staticCertUrl] : [staticCertUrl, mqttUrl]
  checkNames(new X509Certificate(sealed.certificate), 'The certificate that never changes', urls, report)
}
