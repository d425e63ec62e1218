// Environment → config → database → app → listen → close.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Addresses, addressesOf } from './addresses.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { createContext } from './context.ts'
import { openDeviceListeners } from './device-listeners.ts'
import { startDeliveries } from './events/webhooks/deliveries.ts'
import { backgroundJobs } from './jobs.ts'
import { openLab } from './lab.ts'
import { labCard } from './lab-card.ts'
import { followDatabaseClock } from './platform/clock.ts'
import { openDatabase, openHotPool, openJobPool, openReadPool, requestDeadlines } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { requireOwnSessions } from './platform/database/session-check.ts'
import { drain, listen } from './platform/http/listen.ts'
import { startJobs } from './platform/jobs.ts'
import { createLog } from './platform/log.ts'
import { Closing, watchParent } from './platform/process/closing.ts'
import { watchDiskSpace } from './platform/process/disk-space.ts'
import { StartFailure } from './platform/process/start-failure.ts'
import { openStorage } from './platform/process/storage.ts'
import { standardCost } from './platform/secrets/passwords.ts'
import { createTracing } from './platform/tracing.ts'

const { config, faults, unknown } = readConfig(process.env)
if (faults.length > 0) {
  for (const { variable, message } of faults) console.error(`${variable} ${message}`)
  process.exit(2)
}

const log = createLog(config.logLevel)
if (unknown.length > 0) log.warn({ variables: unknown }, `unknown variables, ignored: ${unknown.join(', ')}`)
const closing = new Closing(log)
const lifecycle = { serving: false, draining: false }

async function stop(why: string, exitCode: number): Promise<never> {
  log.info({ why }, 'stopping')
  await closing.close()
  log.info('stopped')
  process.exit(exitCode)
}

/** A balancer learns from /readyz that this process is leaving, and asks another one, before anything is closed. */
async function drainAndStop(): Promise<never> {
  if (lifecycle.serving && !lifecycle.draining) {
    lifecycle.draining = true
    log.info({ seconds: config.drainSeconds }, 'no longer ready, still serving')
    await sleep(config.drainSeconds * 1000)
  }
  return await stop('SIGTERM', 0)
}
process.on('SIGTERM', () => void drainAndStop())
process.on('SIGINT', () => stop('SIGINT', 0))
if (config.startedByNpm) watchParent(() => stop('npm was stopped', 0))

try {
  const tracing = await createTracing(process.env, log)
  if (tracing) closing.add('traces', tracing.close, { seconds: 3 })

  const storage = await openStorage(config, log, { onLost: () => stop('the private Postgres cannot be restarted', 1) })
  closing.add('Postgres', storage.close, { seconds: 30 })

  const disk = await watchDiskSpace({ folder: storage.folder, minFreeBytes: config.minFreeBytes, log })
  closing.add('disk space', disk.stop, { seconds: 1 })

  const sql = openDatabase({ url: storage.databaseUrl, deadlines: requestDeadlines })
  const hot = openHotPool(sql, { max: 6 })
  const reads = openReadPool(sql, { max: 4 })
  const jobPool = openJobPool(sql, { max: 2 })
  const pools = [sql, hot, reads, jobPool]
  closing.add('connections', () => Promise.all(pools.map((pool) => pool.end({ timeout: 5 }))), { seconds: 10 })
  if (config.databaseUrl) await requireOwnSessions(hot)
  const clock = await followDatabaseClock(sql, log)
  closing.add('clock', async () => clock.stop(), { seconds: 1 })
  const problem = clock.problem()
  if (problem) throw new StartFailure(problem)
  await migrate(sql)

  // Filled in once everything is bound: a port may be any free one.
  const addresses = { publicUrl: '', entryUrl: '', hubUrl: '', mqttUrl: '', staticCertUrl: '' }
  const context = createContext({
    config,
    addresses,
    sql,
    hot,
    reads,
    clock,
    lifecycle,
    disk,
    log,
    tracing,
    keys: storage.keys,
    passwordCost: standardCost,
  })
  closing.add('notifications', () => context.notifications.close(), { seconds: 2 })
  closing.add('integration log', () => context.integrationLog.flush(), { seconds: 2 })
  context.metrics.watchProcess()
  const app = await buildApp(context)

  closing.requireOpen()
  // Before anyone is served: the first telemetry needs its partition.
  const jobs = startJobs({ ...context, sql: jobPool }, backgroundJobs(context))
  closing.add('jobs', jobs.stop, { seconds: 15 })
  const deliveries = startDeliveries(context)
  closing.add('webhook deliveries', deliveries.stop, { seconds: 20 })

  // Opens a connection in every pool, so that the first request to /readyz finds all of them.
  await sql.checkAll()
  // The HTTP listener opens last, and the addresses are set in the same turn, so that every request sees all of them.
  const { mqttsPort, staticCertPort } = await openDeviceListeners(context, closing)
  const port = await listen(app, { variable: 'PORT', host: config.host, port: config.port })
  Object.assign(addresses, addressesOf(config, { http: port, mqtts: mqttsPort, staticCert: staticCertPort }))
  closing.add('requests', () => drain(app, { graceSeconds: 10 }), { seconds: 12 })

  await storage.keepAddress(`http://${isWildcard(config.host) ? 'localhost' : config.host}:${port}`)
  lifecycle.serving = true
  const lab = config.lab ? await openLab(context) : null
  announce(addresses)
  if (lab) console.log(labCard(lab.lab, addresses, config, { created: lab.created, terminal: process.stdout.isTTY }))
} catch (error) {
  // Asked to stop meanwhile, it failed for that reason, and stop() ends the process.
  const isStopping = closing.begun
  if (!isStopping && error instanceof StartFailure) console.error(error.message)
  else if (!isStopping) log.fatal({ err: error }, 'cannot start')
  await closing.close()
  if (!isStopping) process.exit(1)
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

/** One line of JSON whatever the log level: programs that start us wait for it. */
function announce({ publicUrl, entryUrl, hubUrl, mqttUrl, staticCertUrl }: Addresses): void {
  const urls = { public_url: publicUrl, entry_url: entryUrl, hub_url: hubUrl, mqtt_url: mqttUrl }
  console.log(JSON.stringify({ level: 30, msg: 'ready', ...urls, static_cert_url: staticCertUrl, pid: process.pid }))
}
