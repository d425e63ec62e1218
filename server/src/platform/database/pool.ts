import { Distribution } from '../measurements.ts'
import type { Connection, ConnectionOptions } from './connection.ts'
import { ConnectionLost } from './connection-lost.ts'
import { Hosts, type WatchedPool } from './hosts.ts'
import { type Inside, nestedText, transactions } from './nested-statements.ts'
import type { Pool, PoolOptions, Sql } from './pool-interface.ts'
import { createTag, type Prepared, plain, type Result, type Run } from './statement.ts'
import { runTransaction, wakers } from './transaction.ts'

/** A statement, or a caller that needs its own connection. */
interface Waiter {
  since: number
  needsIdle: boolean
  /** Uses the connection before it returns, so that no other waiter is given the same one. */
  take(connection: Connection): void
  refuse(error: unknown): void
}

const waitBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
/** Before the next attempt to open a connection after one that failed. */
const againMilliseconds = 100
/** An idle connection is closed after this long; the first one of another pool may need its place earlier. */
const idleMilliseconds = { least: 60_000, more: 5_000 }

/** `budget`: connections that this pool and all alongside it hold together at most. */
export function openPool(url: string, options: PoolOptions, budget = Number.POSITIVE_INFINITY): Pool {
  return createPool(options, new Hosts(url, budget))
}

function createPool(options: PoolOptions, hosts: Hosts): Pool {
  const connections = new Set<Connection>()
  const waiters: Waiter[] = []
  const waits = new Distribution(waitBounds)
  let opening = 0
  let closing = 0
  let ended: ConnectionLost | null = null
  let whenEmpty = () => {}
  const held = () => connections.size + opening + closing
  const canOpen = () => held() < options.max && (held() < options.least || hosts.spare() > 0)
  const watched: WatchedPool = { sweep, check, serve, held, least: options.least }
  hosts.join(watched)

  function choose(needsIdle: boolean): Connection | undefined {
    let best: Connection | undefined
    for (const connection of connections) {
      if (connection.reserved || connection.lost) continue
      if (connection.inFlight === 0) return connection
      if (connection.inFlight < (best?.inFlight ?? options.depth)) best = connection
    }
    if (needsIdle) return undefined
    // For the next ones: this one does not wait until it is open.
    if (best && opening === 0 && canOpen()) void open()
    return best
  }

  function request(waiter: Omit<Waiter, 'since'>): void {
    const nested = options.forbidNested && isNested()
    const connection = ended || nested || waiters.length > 0 ? undefined : choose(waiter.needsIdle)
    if (ended) waiter.refuse(ended)
    else if (nested) waiter.refuse(new Error(nestedText))
    else if (connection) {
      waits.observe(0)
      waiter.take(connection)
    } else {
      waiters.push({ ...waiter, since: performance.now() })
      serve()
    }
  }

  /** First come, first served: otherwise a stream of statements would starve a transaction, which needs an idle connection. */
  function serve(): void {
    if (ended) return
    while (waiters.length > 0) {
      const connection = choose(waiters[0]!.needsIdle)
      if (!connection) break
      nextWaiter().take(connection)
    }
    while (opening < waiters.length && canOpen()) void open()
  }

  function nextWaiter(): Waiter {
    const waiter = waiters.shift()!
    waits.observe((performance.now() - waiter.since) / 1000)
    return waiter
  }

  async function open(): Promise<void> {
    opening += 1
    let failure: unknown
    try {
      const connection = await hosts.open(options)
      connections.add(connection)
      connection.onLost(() => drop(connection))
    } catch (error) {
      failure = error
    }
    opening -= 1
    // Without any connection, nothing would ever serve the waiters.
    if (failure && connections.size === 0) for (const { refuse } of waiters.splice(0)) refuse(failure)
    if (ended) closeIdle()
    else if (failure) setTimeout(serve, againMilliseconds).unref()
    else serve()
  }

  function drop(connection: Connection): void {
    connections.delete(connection)
    if (ended) closeIdle()
    hosts.serveAll()
  }

  function settle(connection: Connection): void {
    if (connection.inFlight === 0 && !connection.reserved && connection.isOld()) retire(connection)
    if (ended) closeIdle()
    else serve()
  }

  function retire(connection: Connection): void {
    connections.delete(connection)
    closing += 1
    void connection.close().finally(() => {
      closing -= 1
      hosts.serveAll()
    })
  }

  function closeIdle(): void {
    for (const connection of connections) if (connection.inFlight === 0 && !connection.reserved) retire(connection)
    if (connections.size === 0 && opening === 0) whenEmpty()
  }

  function sweep(): void {
    const longest = performance.now() - options.waitSeconds * 1000
    while (waiters.length > 0 && waiters[0]!.since < longest) {
      const message = 'No connection to Postgres became free in time.'
      nextWaiter().refuse(new ConnectionLost(message, { code: 'POOL_BUSY' }))
    }
    for (const connection of connections) {
      const isMore = connections.size > options.least
      if (!connection.reserved && connection.idleFor() > idleMilliseconds[isMore ? 'more' : 'least']) retire(connection)
    }
  }

  async function check(always: boolean): Promise<void> {
    // One that needed no connection lately need not open one: another pool shows whether the database is there.
    if (!always && connections.size === 0) return
    const free = choose(false) !== undefined || canOpen()
    // Connections that are all busy with long statements do not mean that the database is lost: the other pools would notice.
    if (free) await run(plain('select 1'))
  }

  const run: Run = (prepared) =>
    new Promise((resolve, reject) => {
      if (prepared.signal?.aborted) return reject(callerLeft())
      const { shards } = options
      if (prepared.buckets && shards) shards.servers.require(shards.shardsOf(prepared.buckets))
      request({
        needsIdle: prepared.signal !== undefined,
        take: (connection) => {
          send(connection, prepared).then(resolve, reject)
        },
        refuse: reject,
      })
    })

  async function send(connection: Connection, prepared: Prepared): Promise<Result<unknown[]>> {
    // While it waited for a connection.
    if (prepared.signal?.aborted) throw callerLeft()
    const leave = () => connection.destroy(callerLeft())
    prepared.signal?.addEventListener('abort', leave)
    try {
      return await connection.run(prepared)
    } finally {
      prepared.signal?.removeEventListener('abort', leave)
      settle(connection)
    }
  }

  function isNested(): boolean {
    for (let at = transactions.getStore(); at; at = at.outer) if (at.pool === watched && at.open) return true
    return false
  }

  function acquire(): Promise<Connection> {
    return new Promise((resolve, refuse) => {
      request({
        needsIdle: true,
        take(connection) {
          connection.reserved = true
          resolve(connection)
        },
        refuse,
      })
    })
  }

  function release(connection: Connection): void {
    connection.reserved = false
    settle(connection)
  }

  const wake = (topic: string) => {
    for (const react of hosts.wakeListeners) react(topic)
  }
  const pool: Pool = Object.assign(createTag(run, options.shards), {
    through: (around: <T>(work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>) =>
      createTag((prepared) => around(() => run(prepared), prepared.signal), options.shards),
    max: options.max,
    waits,
    waiting: () => waiters.length,
    async begin<T>(work: (tx: Sql) => Promise<T>): Promise<T> {
      const connection = await acquire()
      try {
        const inside: Inside = { pool: watched, open: true, outer: transactions.getStore() }
        const watchedWork = (tx: Sql) => transactions.run(inside, async () => await work(tx))
        const chosen = options.forbidNested ? watchedWork : work
        return await runTransaction(connection, options.shards, chosen, wake).finally(() => {
          inside.open = false
        })
      } finally {
        release(connection)
      }
    },
    async reserve() {
      const connection = await acquire()
      return Object.assign(
        createTag((prepared) => connection.run(prepared), options.shards),
        { release: () => release(connection) },
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
      ended = new ConnectionLost('The pool was closed.', { code: 'POOL_CLOSED' })
      hosts.leave(watched)
      if (hosts.pools.size === 0) options.shards?.servers.close()
      for (const { refuse } of waiters.splice(0)) refuse(ended)
      const cut = () => {
        for (const connection of connections) connection.destroy()
      }
      const late = timeout === undefined ? undefined : setTimeout(cut, timeout * 1000)
      await new Promise<void>((resolve) => {
        whenEmpty = resolve
        closeIdle()
      })
      clearTimeout(late)
    },
  })
  wakers.set(pool, wake)
  return pool
}

function callerLeft(): ConnectionLost {
  return new ConnectionLost('The caller has left.', { code: 'CALLER_LEFT' })
}
