import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { openDatabase } from '../database/database.ts'
import { keepSecret } from '../process/data-folder.ts'
import { lockFolder } from '../process/folder-lock.ts'
import { StartFailure } from '../process/start-failure.ts'
import {
  clusterOf,
  createClusterOnce,
  postgresEnvironment,
  program,
  readPostmaster,
  stopLeftover,
  superuser,
} from './cluster.ts'
import { findFolders, type PostgresFolders } from './folders.ts'
import { defaultSettings } from './settings.ts'

export interface PrivatePostgres {
  url: string
  /** Holds the cluster. */
  folder: string
  stop(): Promise<void>
}

export interface PrivatePostgresOptions {
  /** Holds the cluster; created on the first start. */
  folder: string
  log: Logger
  /** Called when Postgres ended and could not be restarted. */
  onLost: () => void
  settings?: Record<string, string>
}

/** Starts a Postgres from the npm package on a loopback port; it stops when this process ends. */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  const { folder, log, onLost } = options
  const folders = await findFolders(folder)
  // A copied data folder may point to the same cluster, so the cluster has its own lock.
  const unlock = await lockFolder(folders.folder)
  const password = await keepSecret(folder, 'password', () => randomBytes(24).toString('base64url'))
  await createClusterOnce(folders, password)
  await stopLeftover(clusterOf(folders))

  const settings = { ...defaultSettings(), ...options.settings }
  const { port, keeper } = await startOnFreePort(folders, settings, log)
  const url = `postgres://${superuser}:${password}@127.0.0.1:${port}/${superuser}`
  await createDatabaseOnce(url)

  let current = keeper
  let stopping = false
  // Nobody supervises `npm start`, so Postgres is restarted here; callers get 503 meanwhile.
  void (async () => {
    while (!stopping) {
      await ended(current)
      if (stopping) return
      log.error({ exit: current.exitCode ?? current.signalCode }, 'the private Postgres ended by itself; restarting it')
      const restarted = await restart(folders, port, settings, log, () => stopping)
      if (!restarted) return onLost()
      current = restarted
      log.warn('the private Postgres is back')
    }
  })()

  return {
    url,
    folder: folders.folder,
    async stop() {
      stopping = true
      await stopKeeper(current, folders)
      unlock()
    },
  }
}

/** The address of a private Postgres that a service on this folder has started, or null. */
export async function findRunningPostgres(folder: string): Promise<string | null> {
  const elsewhere = (await readFile(join(folder, 'elsewhere'), 'utf8').catch(() => '')).trim()
  const postmaster = await readPostmaster(join(elsewhere || folder, 'cluster'))
  const password = (await readFile(join(folder, 'password'), 'utf8').catch(() => '')).trim()
  if (!postmaster?.ready || !password) return null
  try {
    process.kill(postmaster.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null
  }
  return `postgres://${superuser}:${password}@127.0.0.1:${postmaster.port}/${superuser}`
}

/**
 * Runs between this process and Postgres, and waits until Postgres ends or this process's end of the pipe closes, which
 * even kill -9 does. Then it asks Postgres for a fast shutdown. It has its own session, so that Ctrl-C reaches only
 * this process, which drains first.
 */
const keeperScript = `
exec 3<&0
"$@" 3<&- & postgres=$!
(read _ <&3; kill -INT $postgres) & watcher=$!
exec 3<&-
wait $postgres; code=$?
kill $watcher 2>/dev/null
exit $code`

async function startOnFreePort(
  folders: PostgresFolders,
  settings: Record<string, string>,
  log: Logger,
): Promise<{ port: number; keeper: ChildProcess }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    try {
      return { port, keeper: await startOn(folders, port, settings, log) }
    } catch (error) {
      // Another program may take the port before Postgres does.
      if (attempt === 3) throw error
    }
  }
}

async function startOn(
  folders: PostgresFolders,
  port: number,
  settings: Record<string, string>,
  log: Logger,
): Promise<ChildProcess> {
  const cluster = clusterOf(folders)
  const postgres = [
    ...[program(folders, 'postgres'), '-D', cluster, '-p', String(port), '-h', '127.0.0.1', '-k', ''],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const command = process.platform === 'win32' ? postgres : ['/bin/sh', '-c', keeperScript, 'sh', ...postgres]
  const keeper = spawn(command[0]!, command.slice(1), {
    ...folders.user,
    ...postgresEnvironment,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  keeper.stdin!.on('error', () => {})
  let lastOutput = ''
  keeper.stderr!.setEncoding('utf8').on('data', (text: string) => {
    lastOutput = (lastOutput + text).slice(-2_000)
    for (const line of text.split('\n')) if (line.trim()) log[levelOf(line)]({ postgres: line.trim() }, 'postgres')
  })
  const gone = ended(keeper)
  for (;;) {
    if (keeper.exitCode !== null || keeper.signalCode !== null) {
      throw new StartFailure(`The private Postgres in ${folders.folder} does not start: ${lastOutput.trim()}`)
    }
    const postmaster = await readPostmaster(cluster)
    if (postmaster?.ready && postmaster.port === port) return keeper
    await Promise.race([sleep(20), gone])
  }
}

function levelOf(line: string): 'debug' | 'warn' {
  return /^(WARNING|ERROR|FATAL|PANIC):/.test(line) ? 'warn' : 'debug'
}

/** On the same port, since the pools know no other. Backends of the former one may need a moment to end. */
async function restart(
  folders: PostgresFolders,
  port: number,
  settings: Record<string, string>,
  log: Logger,
  stopping: () => boolean,
): Promise<ChildProcess | null> {
  for (let attempt = 1; attempt <= 40 && !stopping(); attempt += 1) {
    try {
      await stopLeftover(clusterOf(folders))
      return await startOn(folders, port, settings, log)
    } catch (error) {
      log.error({ err: error, attempt }, 'the private Postgres cannot be restarted yet')
      await sleep(Math.min(attempt * 100, 1_000))
    }
  }
  return null
}

async function stopKeeper(keeper: ChildProcess, folders: PostgresFolders): Promise<void> {
  if (keeper.exitCode !== null || keeper.signalCode !== null) return
  if (process.platform === 'win32') {
    spawn(program(folders, 'pg_ctl'), ['stop', '-m', 'fast', '-D', clusterOf(folders)], { windowsHide: true })
  }
  keeper.stdin!.end()
  await Promise.race([ended(keeper), sleep(20_000, undefined, { ref: false })])
  await stopLeftover(clusterOf(folders))
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function createDatabaseOnce(url: string): Promise<void> {
  const maintenance = openDatabase({ url: Object.assign(new URL(url), { pathname: '/postgres' }).href, max: 1 })
  try {
    const [found] = await maintenance`select 1 from pg_database where datname = ${superuser}`
    if (!found) await maintenance.unsafe(`create database ${superuser}`)
  } finally {
    await maintenance.end()
  }
}

/** Below the ports of outgoing connections, one of which could take the port before a restart. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
