import { Distribution } from '../measurements.ts'
import type { Connection } from './connection.ts'
import { ConnectionLost } from './connection-lost.ts'
import type { Hosts } from './hosts.ts'
import type { PoolOptions } from './pool-interface.ts'

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
/** An idle connection is closed after this long; the first one of another pool may need to replace it earlier. */
const idleMilliseconds = { least: 60_000, more: 5_000 }

/** The connections of one pool and those who wait for them, in order of arrival. */
export class SharedConnections {
  /** How long callers waited, in seconds. */
  readonly waits = new Distribution(waitBounds)
  readonly #options: PoolOptions
  readonly #hosts: Hosts
  readonly #connections = new Set<Connection>()
  readonly #waiters: Waiter[] = []
  #opening = 0
  #closing = 0
  #ended: ConnectionLost | null = null
  #whenEmpty = () => {}

  constructor(options: PoolOptions, hosts: Hosts) {
    this.#options = options
    this.#hosts = hosts
  }

  get waiting(): number {
    return this.#waiters.length
  }

  /** Those that are being opened or closed included. */
  get held(): number {
    return this.#connections.size + this.#opening + this.#closing
  }

  get open(): number {
    return this.#connections.size
  }

  request(waiter: Omit<Waiter, 'since'>): void {
    if (this.#ended) {
      waiter.refuse(this.#ended)
      return
    }
    const connection = this.#waiters.length > 0 ? undefined : this.#choose(waiter.needsIdle)
    if (connection) {
      this.waits.observe(0)
      waiter.take(connection)
    } else {
      this.#waiters.push({ ...waiter, since: performance.now() })
      this.serve()
    }
  }

  /** A connection for the caller alone, until it is released. */
  acquire(): Promise<Connection> {
    return new Promise((resolve, refuse) => {
      this.request({
        needsIdle: true,
        take(connection) {
          connection.reserved = true
          resolve(connection)
        },
        refuse,
      })
    })
  }

  release(connection: Connection): void {
    connection.reserved = false
    this.settle(connection)
  }

  /** After each use of a connection. */
  settle(connection: Connection): void {
    if (connection.inFlight === 0 && !connection.reserved && connection.isOld()) this.#retire(connection)
    if (this.#ended) this.#closeIdle()
    else this.serve()
  }

  /** First come, first served: otherwise a stream of statements would starve a transaction, which needs an idle connection. */
  serve(): void {
    if (this.#ended) return
    while (this.#waiters.length > 0) {
      const connection = this.#choose(this.#waiters[0]!.needsIdle)
      if (!connection) break
      this.#nextWaiter().take(connection)
    }
    while (this.#opening < this.#waiters.length && this.#canOpen()) void this.#open()
  }

  /** Whether a statement would begin at once, or with a connection that may be opened for it. */
  hasRoom(): boolean {
    return this.#choose(false) !== undefined || this.#canOpen()
  }

  /** Refuses who has waited for too long, and closes what has been idle for too long. */
  sweep(): void {
    const longest = performance.now() - this.#options.waitSeconds * 1000
    while (this.#waiters.length > 0 && this.#waiters[0]!.since < longest) {
      const message = 'No connection to Postgres became free in time.'
      this.#nextWaiter().refuse(new ConnectionLost(message, { code: 'POOL_BUSY' }))
    }
    for (const connection of this.#connections) {
      const isMore = this.#connections.size > this.#options.least
      const longestIdle = idleMilliseconds[isMore ? 'more' : 'least']
      if (!connection.reserved && connection.idleFor() > longestIdle) this.#retire(connection)
    }
  }

  /** Refuses who waits, waits for what is under way, and closes; whatever is left after `timeout` seconds is cut. */
  async end(timeout: number | undefined): Promise<void> {
    this.#ended = new ConnectionLost('The pool was closed.', { code: 'POOL_CLOSED' })
    for (const { refuse } of this.#waiters.splice(0)) refuse(this.#ended)
    const cut = () => {
      for (const connection of this.#connections) connection.destroy()
    }
    const late = timeout === undefined ? undefined : setTimeout(cut, timeout * 1000)
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve
      this.#closeIdle()
    })
    clearTimeout(late)
  }

  #canOpen(): boolean {
    const { max, least } = this.#options
    return this.held < max && (this.held < least || this.#hosts.spare() > 0)
  }

  #choose(needsIdle: boolean): Connection | undefined {
    let best: Connection | undefined
    for (const connection of this.#connections) {
      if (connection.reserved || connection.lost) continue
      if (connection.inFlight === 0) return connection
      if (connection.inFlight < (best?.inFlight ?? this.#options.depth)) best = connection
    }
    if (needsIdle) return undefined
    // For the next ones: this one does not wait until it is open.
    if (best && this.#opening === 0 && this.#canOpen()) void this.#open()
    return best
  }

  #nextWaiter(): Waiter {
    const waiter = this.#waiters.shift()!
    this.waits.observe((performance.now() - waiter.since) / 1000)
    return waiter
  }

  async #open(): Promise<void> {
    this.#opening += 1
    let failure: unknown
    try {
      const connection = await this.#hosts.open(this.#options)
      this.#connections.add(connection)
      connection.onLost(() => this.#drop(connection))
    } catch (error) {
      failure = error
    }
    this.#opening -= 1
    // Without any connection, nothing would ever serve the waiters.
    if (failure && this.#connections.size === 0) for (const { refuse } of this.#waiters.splice(0)) refuse(failure)
    if (this.#ended) this.#closeIdle()
    else if (failure) setTimeout(() => this.serve(), againMilliseconds).unref()
    else this.serve()
  }

  #drop(connection: Connection): void {
    this.#connections.delete(connection)
    if (this.#ended) this.#closeIdle()
    this.#hosts.serveAll()
  }

  #retire(connection: Connection): void {
    this.#connections.delete(connection)
    this.#closing += 1
    void connection.close().finally(() => {
      this.#closing -= 1
      this.#hosts.serveAll()
    })
  }

  #closeIdle(): void {
    for (const connection of this.#connections) {
      if (connection.inFlight === 0 && !connection.reserved) this.#retire(connection)
    }
    if (this.#connections.size === 0 && this.#opening === 0) this.#whenEmpty()
  }
}
