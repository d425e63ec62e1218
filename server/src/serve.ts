import type { Logger } from 'pino'
import { backgroundJobs, preparePartitions } from './background-jobs.ts'
import { buildApp } from './build-app.ts'
import type { Config } from './config.ts'
import { type Context, createContext } from './context.ts'
import { openDeviceListeners } from './device-listeners.ts'
import { joinCell } from './devices/cells/join-cell.ts'
import { prepareDistribution } from './devices/telemetry/distribution.ts'
import { startMails } from './events/mail/mail-loop.ts'
import { startDeliveries } from './events/webhooks/webhook-loop.ts'
import { openLab } from './lab.ts'
import { labCard } from './lab-card.ts'
import { type Addresses, addressesOf } from './platform/addresses.ts'
import { followDatabaseClock, requireRightClock } from './platform/clock.ts'
import type { Lifecycle } from './platform/context.ts'
import { createTracing } from './platform/create-tracing.ts'
import { openDatabase, openHotPool, openJobPool, openReadPool, requestDeadlines } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { poolSizes } from './platform/database/pool-sizes.ts'
import { requireOwnSessions } from './platform/database/session-check.ts'
import { drain, listen, retire } from './platform/http/listen.ts'
import { startJobs } from './platform/jobs.ts'
import type { Closing } from './platform/process/closing.ts'
import { watchDiskSpace } from './platform/process/disk-space.ts'
import type { ListeningPorts } from './platform/process/messages.ts'
import type { Siblings } from './platform/process/siblings.ts'
import type { Storage } from './platform/process/storage.ts'
import { standardCost } from './platform/secrets/passwords.ts'

export interface ServeOptions {
  config: Config
  log: Logger
  closing: Closing
  lifecycle: Lifecycle
  storage: Pick<Storage, 'databaseUrl' | 'folder' | 'keys'>
  siblings: Siblings
}

export interface Served {
  context: Context
  addresses: Addresses
  ports: ListeningPorts
  /** What a start prints about the lab. */
  card: string | null
  /** Leaves new connections to other processes, and waits until callers of the open ones have left. */
  retire(graceSeconds: number): Promise<void>
}

/** Database → app → listen, for one process. What it opens is in `closing`, also when it throws. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { config, log, closing, lifecycle, storage, siblings } = options
  const tracing = await createTracing(process.env, log)
  if (tracing) closing.add('traces', tracing.close, { seconds: 3 })
  const disk = await watchDiskSpace({ folder: storage.folder, minFreeBytes: config.minFreeBytes, log })
  closing.add('disk space', disk.stop, { seconds: 1 })

  const sizes = poolSizes(config.connections, config)
  const { budget } = sizes
  const { distributed } = config
  const url = storage.databaseUrl
  const sql = openDatabase({ url, ...sizes.work, budget, deadlines: requestDeadlines, distributed })
  sql.shards?.servers.onChange((server, responds) => {
    if (responds) log.warn({ server }, 'database server responds again')
    else log.warn({ server }, 'database server does not respond: its devices get 503, and jobs go on without them')
  })
  const hot = openHotPool(sql, sizes.hot)
  const reads = openReadPool(sql, sizes.reads)
  const jobPool = openJobPool(sql, sizes.jobs)
  const pools = [sql, hot, reads, jobPool]
  closing.add('connections', () => Promise.all(pools.map((pool) => pool.end({ timeout: 5 }))), { seconds: 10 })
  if (config.databaseUrl) await requireOwnSessions(hot)
  await requireRightClock(sql)
  const clock = await followDatabaseClock(hot, log)
  closing.add('clock', async () => clock.stop(), { seconds: 1 })
  await migrate(sql, undefined, prepareDistribution)
  const forget = await sql.primary.follow(sql, log)
  closing.add('position of the primary', async () => forget(), { seconds: 1 })

  // Filled in once everything is bound: a port may be any free one.
  const addresses = { publicUrl: '', entryUrl: '', hubUrl: '', mqttUrl: '', staticCertUrl: '' }
  const { keys } = storage
  const parts = { config, addresses, sql, hot, reads, clock, lifecycle, disk, siblings, log, tracing, keys }
  const context = createContext({ ...parts, passwordCost: standardCost })
  closing.add('notifications', () => context.notifications.close(), { seconds: 2 })
  closing.add('integration log', () => context.integrationLog.flush(), { seconds: 2 })
  context.metrics.watchProcess()
  const app = await buildApp(context)

  closing.requireOpen()
  await preparePartitions(context)
  const jobs = startJobs({ ...context, sql: jobPool }, backgroundJobs(context, jobPool))
  closing.add('jobs', jobs.stop, { seconds: 15 })
  const deliveries = startDeliveries(context)
  closing.add('webhook deliveries', deliveries.stop, { seconds: 20 })
  closing.add('mails', startMails(context).stop, { seconds: 10 })

  // Opens a connection in every pool, so that the first request to /readyz finds all of them.
  await sql.checkAll()
  // The HTTP listener opens last, and the addresses are set in the same turn, so that every request sees all of them.
  const { mqttsPort, staticCertPort, https, mqtt } = await openDeviceListeners(context, closing)
  const port = await listen(app, { variable: 'PORT', host: config.host, port: config.port })
  Object.assign(addresses, addressesOf(config, { http: port, mqtts: mqttsPort, staticCert: staticCertPort }))
  closing.add('requests', () => drain(app, { graceSeconds: 10 }), { seconds: 12 })
  await joinCell(context)

  const lab = config.lab ? await openLab(context) : null
  const terminal = process.stdout.isTTY
  return {
    context,
    addresses,
    ports: { port, mqttsPort, staticCertPort },
    card: lab && labCard(lab.lab, addresses, config, { created: lab.created, terminal }),
    async retire(graceSeconds) {
      mqtt.close()
      await retire([app.server, https], { graceSeconds })
    },
  }
}
