// The Postgres that a run is recorded on: the packaged one, that of the process itself, or Debian's with a synchronous
// standby that can be promoted.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { onEnd, sharedFolder } from '../../../bench/clean-up.ts'
import { startBenchPostgres } from '../../../bench/environment.ts'
import { postgresUser } from '../../../server/src/platform/private-postgres/user.ts'
import { createFolder, listens } from '../../failover/cluster.ts'
import { postgresBinaries } from '../../failover/packages.ts'
import { freePort } from '../../support/free-port.ts'
import { findPostmaster, isRunning, postgresOn } from '../../support/postgres-processes.ts'
import { until } from '../../support/until.ts'

export interface Postgres {
  /** Of the database, at the port that it had first, or the data folder of the process that has its own. */
  at: { url: string } | { folder: string }
  /** Of the primary. */
  port(): string
  /** In immediate mode: whatever is under way is lost. */
  restart(): Promise<void>
  /** The primary is killed or stopped, its standby takes over, and a new standby is made. Null: there is none. */
  promote: ((how: 'SIGKILL' | 'SIGSTOP', onPromoted: (port: number) => void) => Promise<void>) | null
}

/** No fault here takes the machine away: what Postgres has written stays, also where it is not on the disk yet. */
const quick = { fsync: 'off', full_page_writes: 'off' }

export async function packagedPostgres(): Promise<Postgres> {
  const url = await (await startBenchPostgres(quick)).createDatabase()
  const { port } = new URL(url)
  return { at: { url }, port: () => port, restart: () => restarted(() => port), promote: null }
}

/** As `npm start` has it: one process, which starts and stops it. */
export async function ownPostgres(): Promise<Postgres> {
  const folder = join(await sharedFolder(), 'data')
  const port = () => {
    const elsewhere = join(folder, 'postgres', 'elsewhere')
    const cluster = existsSync(elsewhere) ? readFileSync(elsewhere, 'utf8').trim() : join(folder, 'postgres')
    return readFileSync(join(cluster, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[3]!
  }
  return {
    at: { folder },
    port: () => orNone(port),
    restart: () => restarted(port),
    promote: null,
  }
}

/** While it starts it has no port. */
function orNone(port: () => string): string {
  try {
    return port()
  } catch {
    return ''
  }
}

/** Whoever started it starts it again. */
async function restarted(port: () => string): Promise<void> {
  const postmaster = findPostmaster(orNone(port))
  if (postmaster !== undefined) process.kill(postmaster, 'SIGQUIT')
  await sleep(1_000)
  await until(async () => orNone(port) !== '' && (await listens(Number(port()))), 'Postgres is back', 60)
}

interface Server {
  folder: string
  port: number
}

const settings = {
  ...{ fsync: 'off', shared_buffers: '128MB', max_connections: '300', wal_keep_size: '256MB', max_wal_senders: '10' },
  ...{ wal_receiver_status_interval: '1s', wal_retrieve_retry_interval: '200ms', autovacuum_naptime: '10min' },
}

export async function replicatedPostgres(): Promise<Postgres> {
  const user = await postgresUser('/nowhere')
  const root = await sharedFolder()
  const run = async (program: string, ...args: string[]) =>
    await promisify(execFile)(join(postgresBinaries(), program), args, { ...user, cwd: '/' })
  let made = 0
  const newServer = async (): Promise<Server> => {
    made += 1
    return { folder: createFolder(root, `server-${made}`), port: await freePort() }
  }
  const start = async ({ folder, port }: Server) => {
    const options = [
      `-p ${port} -h 127.0.0.1 -k ''`,
      ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`),
    ]
    await run('pg_ctl', '-D', join(folder, 'data'), '-w', '-l', join(folder, 'log'), '-o', options.join(' '), 'start')
  }

  let primary = await newServer()
  const locale = ['-E', 'UTF8', '--locale=C.UTF-8']
  await run('initdb', '-D', join(primary.folder, 'data'), '-U', 'postgres', '--auth=trust', ...locale)
  await start(primary)
  await ask(primary, 'create database landbridge')
  let standby = await newStandby()
  onEnd(async () => {
    for (const { port } of [primary, standby]) signalAll(port, 'SIGKILL')
  })

  /** Copied from the primary, which from then on waits for it at every commit. */
  async function newStandby(): Promise<Server> {
    const server = await newServer()
    const from = `host=127.0.0.1 port=${primary.port} user=postgres`
    await run('pg_basebackup', '-D', join(server.folder, 'data'), '-d', from, '-R', '-X', 'stream', '-c', 'fast')
    await start(server)
    await ask(primary, `alter system set synchronous_standby_names = '*'`)
    await ask(primary, 'select pg_reload_conf()')
    const isSynchronous = `select count(*)::int as found from pg_stat_replication where sync_state = 'sync'`
    await until(async () => (await ask(primary, isSynchronous))?.found === 1, 'a synchronous standby', 60)
    return server
  }

  return {
    at: { url: `postgres://postgres@127.0.0.1:${primary.port}/landbridge` },
    port: () => String(primary.port),
    async restart() {
      await run('pg_ctl', '-D', join(primary.folder, 'data'), '-m', 'immediate', '-w', 'stop')
      await start(primary)
    },
    async promote(how, onPromoted) {
      const former = primary
      signalAll(former.port, how)
      await run('pg_ctl', '-D', join(standby.folder, 'data'), '-w', 'promote')
      primary = standby
      // It has no standby yet, for which it would wait at every commit.
      await ask(primary, `alter system set synchronous_standby_names = ''`)
      await ask(primary, 'select pg_reload_conf()')
      onPromoted(primary.port)
      signalAll(former.port, 'SIGKILL')
      await rm(former.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
      standby = await newStandby()
    },
  }
}

async function ask({ port }: Server, text: string): Promise<Record<string, unknown> | undefined> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows[0]
}

function signalAll(port: number, signal: NodeJS.Signals): void {
  for (const pid of isRunning(String(port)) ? postgresOn(String(port)) : []) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
}
