import type { Connection, ConnectionOptions } from './connection.ts'
import { ConnectionLost } from './connection-lost.ts'
import { Hosts, type WatchedPool } from './hosts.ts'
import { inside, requireOutside } from './nested-statements.ts'
import type { Pool, PoolOptions, Sql } from './pool-interface.ts'
import { SharedConnections } from './shared-connections.ts'
import { createTag, type Prepared, plain, type Result, type Run } from './statement.ts'
import { runTransaction, wakers } from './transaction.ts'

/** `budget`: connections that this pool and all alongside it hold together at most. */
export function openPool(url: string, options: PoolOptions, budget = Number.POSITIVE_INFINITY): Pool {
  return createPool(options, new Hosts(url, budget))
}

function createPool(options: PoolOptions, hosts: Hosts): Pool {
  const { shards, least } = options
  const connections = new SharedConnections(options, hosts)
  const watched: WatchedPool = {
    sweep: () => connections.sweep(),
    serve: () => connections.serve(),
    held: () => connections.held,
    check: (always) => check(connections, run, always),
    least,
  }
  hosts.join(watched)
  const refuseNested = options.forbidNested ? () => requireOutside(watched) : () => {}
  const run = statementRunner(options, connections, refuseNested)
  const wake = (topic: string) => {
    for (const react of hosts.wakeListeners) react(topic)
  }
  let ended = false
  const pool: Pool = Object.assign(createTag(run, shards), {
    through: (around: <T>(work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>) =>
      createTag((prepared) => around(() => run(prepared), prepared.signal), shards),
    max: options.max,
    waits: connections.waits,
    waiting: () => connections.waiting,
    async begin<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
      refuseNested()
      const connection = await connections.acquire()
      const begun = (within: (tx: Sql) => Promise<T>) => runTransaction(connection, shards, within, wake)
      try {
        return await (options.forbidNested ? inside(watched, work, begun) : begun(work))
      } finally {
        connections.release(connection)
      }
    },
    async reserve() {
      refuseNested()
      const connection = await connections.acquire()
      return Object.assign(
        createTag((prepared) => connection.run(prepared), shards),
        { release: () => connections.release(connection) },
      )
    },
    alongside(others: Partial<PoolOptions> | ((own: PoolOptions) => Partial<PoolOptions>)) {
      const other = typeof others === 'function' ? others(options) : others
      return createPool({ ...options, least: 0, ...other, settings: { ...options.settings, ...other.settings } }, hosts)
    },
    onWake(react: (topic: string) => void) {
      hosts.wakeListeners.add(react)
    },
    connect: (others: Partial<ConnectionOptions> = {}) => hosts.open({ ...options, ...others }),
    primary: hosts.memory,
    async checkAll() {
      await Promise.all([...hosts.pools].map((each) => each.check(each === watched)))
    },
    async end({ timeout }: { timeout?: number } = {}) {
      if (ended) return
      ended = true
      hosts.leave(watched)
      if (hosts.pools.size === 0) shards?.servers.close()
      await connections.end(timeout)
    },
  })
  wakers.set(pool, wake)
  return pool
}

async function check(connections: SharedConnections, run: Run, always: boolean): Promise<void> {
  // One that needed no connection lately need not open one: another pool shows whether the database is there.
  if (!always && connections.open === 0) return
  // Connections that are all busy with long statements do not mean that the database is lost: the other pools would notice.
  if (connections.hasRoom()) await run(plain('select 1'))
}

function statementRunner({ shards }: PoolOptions, connections: SharedConnections, refuseNested: () => void): Run {
  async function send(connection: Connection, prepared: Prepared): Promise<Result<unknown[]>> {
    // While it waited for a connection.
    if (prepared.signal?.aborted) throw callerLeft()
    const leave = () => connection.destroy(callerLeft())
    prepared.signal?.addEventListener('abort', leave)
    try {
      return await connection.run(prepared)
    } finally {
      prepared.signal?.removeEventListener('abort', leave)
      connections.settle(connection)
    }
  }
  return (prepared) =>
    new Promise((resolve, reject) => {
      if (prepared.signal?.aborted) return reject(callerLeft())
      if (prepared.buckets && shards) shards.servers.require(shards.shardsOf(prepared.buckets))
      refuseNested()
      connections.request({
        needsIdle: prepared.signal !== undefined,
        take: (connection) => {
          send(connection, prepared).then(resolve, reject)
        },
        refuse: reject,
      })
    })
}

function callerLeft(): ConnectionLost {
  return new ConnectionLost('The caller has left.', { code: 'CALLER_LEFT' })
}
