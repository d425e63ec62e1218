// Three Postgres servers under Patroni with synchronous replication, and an etcd, all on loopback ports.

import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect as openConnection } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { postgresUser } from '../../server/src/platform/private-postgres/user.ts'
import { freePort } from '../support/free-port.ts'
import { createManagedPostgres, hostRules, type ManagedPostgres } from '../support/managed-postgres.ts'
import { until } from '../support/until.ts'
import { postgresBinaries } from './packages.ts'

export interface Node {
  name: string
  port: number
  restPort: number
  folder: string
  patroni: ChildProcess | null
}

export interface Cluster {
  nodes: Node[]
  /** All hosts, in the order given; without nodes, in the order of their names. For an ordinary role, over TLS. */
  url(database: string, nodes?: Node[]): string
  managed: ManagedPostgres
  /** As the superuser of the leader. */
  administer(...statements: string[]): Promise<void>
  leader(): Promise<Node>
  /** Resolves when a leader has a synchronous standby and every node replicates. */
  untilHealthy(): Promise<Node>
  /** Resolves, with the time, as soon as another node than this one accepts writes. */
  untilPromoted(former: Node): Promise<{ node: Node; at: number }>
  /** kill -9 of a node's Patroni and of every Postgres process. */
  kill(node: Node): void
  /** Stops the same processes without ending them. Never resumed: Patroni 3.0.2 would go on as a second leader. */
  freeze(node: Node): void
  /** Asks Patroni to make the leader a standby, as before maintenance. */
  demote(node: Node): void
  start(node: Node): void
}

const user = await postgresUser('/nowhere')

/** Starts a program as the user of Postgres, with its output in a file. */
export function startProgram(command: string, args: string[], { folder }: { folder: string }): ChildProcess {
  const script = 'exec "$@" >>"$0" 2>&1'
  const child = spawn('/bin/sh', ['-c', script, join(folder, 'log'), command, ...args], {
    ...user,
    cwd: folder,
    // etcd 3.4 runs on arm64 only when it is allowed to.
    env: { PATH: '/usr/sbin:/usr/bin:/bin', LC_ALL: 'C.UTF-8', HOME: folder, ETCD_UNSUPPORTED_ARCH: process.arch },
    stdio: 'ignore',
  })
  started.add(child)
  return child
}

const started = new Set<ChildProcess>()

export function createFolder(...parts: string[]): string {
  const folder = join(...parts)
  mkdirSync(folder, { mode: 0o700 })
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!)
  return folder
}

export function writeConfig(path: string, text: string): void {
  writeFileSync(path, text)
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid!)
}

export async function listens(port: number): Promise<boolean> {
  const socket = openConnection(port, '127.0.0.1')
  const connected = new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false))
    socket.once('connect', () => resolve(true))
  })
  return await connected.finally(() => socket.destroy())
}

/** Everything ends, and the folder is removed, when this process exits. */
export async function startCluster(folder: string): Promise<Cluster> {
  chmodSync(folder, 0o711)
  const nodes: Node[] = []
  process.on('exit', () => {
    for (const node of nodes) signalAll(node, 'SIGKILL')
    for (const child of started) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  })
  const etcdPort = await freePort()
  const peer = `http://127.0.0.1:${await freePort()}`
  const etcdFolder = createFolder(folder, 'etcd')
  const client = `http://127.0.0.1:${etcdPort}`
  startProgram(
    '/usr/bin/etcd',
    [
      ...['--name', 'one', '--data-dir', join(etcdFolder, 'data'), '--unsafe-no-fsync'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `one=${peer}`],
    ],
    { folder: etcdFolder },
  )
  await until(() => responds(`${client}/health`), 'etcd is up')

  for (const name of ['n1', 'n2', 'n3']) {
    const node = { name, port: await freePort(), restPort: await freePort(), folder: '', patroni: null }
    nodes.push({ ...node, folder: createFolder(folder, name) })
  }
  const managed = await createManagedPostgres(folder, user)
  const { settings } = managed
  for (const node of nodes) writeConfig(join(node.folder, 'patroni.yml'), patroniConfig(node, etcdPort, settings))

  const start = (node: Node) => {
    node.patroni = startProgram('/usr/bin/patroni', [join(node.folder, 'patroni.yml')], node)
  }
  for (const node of nodes) start(node)

  const cluster: Cluster = {
    nodes,
    managed,
    url: (database, some = nodes) => managed.url(some.map(({ port }) => `127.0.0.1:${port}`).join(','), database),
    async administer(...statements) {
      const client = await connect(await cluster.leader())
      for (const statement of statements) await client.query(statement)
      await client.end()
    },
    async leader() {
      for (const node of nodes) if ((await asked(node, 'select pg_is_in_recovery() as no'))?.no === false) return node
      throw new Error('There is no leader.')
    },
    async untilHealthy() {
      let leader: Node | undefined
      await until(
        async () => {
          leader = await cluster.leader().catch(() => undefined)
          return leader && (await isHealthy(leader))
        },
        'a leader with two standbys, one of them synchronous',
        90,
      )
      return leader!
    },
    async untilPromoted(former) {
      const others = nodes.filter((node) => node !== former)
      const watched = await Promise.all(others.map(async (node) => ({ node, client: await connect(node) })))
      let promoted: Node | undefined
      try {
        await until(
          async () => {
            for (const { node, client } of watched) {
              const { rows } = await client.query('select pg_is_in_recovery() as standby')
              if (!rows[0].standby) promoted = node
            }
            return promoted
          },
          'a standby is promoted',
          60,
        )
        return { node: promoted!, at: performance.now() }
      } finally {
        for (const { client } of watched) void client.end()
      }
    },
    kill: (node) => signalAll(node, 'SIGKILL'),
    freeze: (node) => signalAll(node, 'SIGSTOP'),
    demote({ name, restPort }) {
      const request = { method: 'POST', body: JSON.stringify({ leader: name }) }
      fetch(`http://127.0.0.1:${restPort}/switchover`, request).catch(() => {})
    },
    start,
  }
  return cluster
}

/** Times as short as Patroni takes them: a failover in about seven seconds instead of thirty. */
function patroniConfig({ name, port, restPort, folder }: Node, etcdPort: number, settings: object): string {
  return JSON.stringify({
    scope: 'landbridge',
    name,
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...{ ttl: 5, loop_wait: 1, retry_timeout: 2, maximum_lag_on_failover: 1_048_576, synchronous_mode: true },
        postgresql: {
          use_pg_rewind: true,
          parameters: { max_connections: 120, wal_keep_size: '512MB', max_wal_senders: 10, hot_standby: 'on' },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, { 'auth-host': 'trust' }, { 'auth-local': 'trust' }],
    },
    postgresql: {
      ...{ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}`, bin_dir: postgresBinaries() },
      ...{ data_dir: join(folder, 'data'), pgpass: join(folder, 'pgpass') },
      ...{ remove_data_directory_on_rewind_failure: true, remove_data_directory_on_diverged_timelines: true },
      pg_hba: [
        ...['local all all trust', 'host all postgres 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
        ...hostRules(),
      ],
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      parameters: { ...settings, unix_socket_directories: folder, fsync: 'off', shared_buffers: '64MB' },
    },
  })
}

async function isHealthy(leader: Node): Promise<boolean> {
  const row = await asked(
    leader,
    `select count(*)::int as all, count(*) filter (where sync_state = 'sync')::int as synchronous
     from pg_stat_replication where state = 'streaming'`,
  )
  if (row?.all !== 2 || row.synchronous !== 1) return false
  // A standby that Patroni has not recorded as synchronous would not be promoted.
  const response = await fetch(`http://127.0.0.1:${leader.restPort}/cluster`).catch(() => null)
  const { members = [] } = response ? ((await response.json()) as { members?: { role: string }[] }) : {}
  return members.length === 3 && members.some(({ role }) => role === 'sync_standby')
}

async function connect({ port }: Node, database = 'postgres'): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The first row, or nothing when the node does not respond. */
async function asked(node: Node, text: string): Promise<Record<string, unknown> | undefined> {
  const client = await connect(node).catch(() => null)
  if (!client) return undefined
  const result = await client.query(text).catch(() => null)
  void client.end().catch(() => {})
  return result?.rows[0]
}

async function responds(url: string): Promise<boolean> {
  return await fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

function signalAll(node: Node, signal: NodeJS.Signals): void {
  const postmaster = Number(read(join(node.folder, 'data', 'postmaster.pid')).split('\n')[0])
  // Patroni first: it must not see its Postgres die.
  const pids = [node.patroni?.pid, ...childrenOf(node.patroni?.pid), postmaster, ...childrenOf(postmaster)]
  for (const pid of pids) {
    if (!pid || pid <= 1) continue
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
}

function childrenOf(parent: number | undefined): number[] {
  if (!parent) return []
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => Number(/PPid:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1]) === parent)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
