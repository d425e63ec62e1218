import { connect } from 'node:net'
import pg from 'pg'
import { databaseLimits } from '../own-limits.ts'
import { StartFailure } from '../process/start-failure.ts'
import { Connection, type ConnectionOptions, primaryBehind } from './connection.ts'
import { ConnectionLost } from './connection-lost.ts'
import { hostAddresses } from './host-list.ts'
import { PrimaryMemory } from './primary-memory.ts'

/** A pool, as the hosts of its database see it. */
export interface WatchedPool {
  /** Refuses what has waited too long for a connection. */
  sweep(): void
  /** Rejects when this pool cannot reach the database. */
  check(always: boolean): Promise<void>
  /** Gives waiting callers a connection, if there is one now. */
  serve(): void
  /** Connections, those that are being opened or closed included. */
  held(): number
  least: number
}

interface Host {
  url: string
  address: Address
  /** When a statement last returned from it, on any connection. */
  respondedAt: number
  /** It did not respond, so searches skip it until it responds to a probe. */
  silent: boolean
  probing: boolean
  probedAt: number
}

interface Address {
  host: string
  port: number
}

const sweepMilliseconds = 250
const { connectMilliseconds, connectToOnlyHostMilliseconds, suspiciousMilliseconds, probeMilliseconds } = databaseLimits
/** Requests this soon after a failed search are refused with its error, or each would start another search. */
const failureMilliseconds = 200

/**
 * The servers of one database, shared by all its pools: what one connection learns about a server holds for the others.
 * Connections go to the server that accepts writes, whichever that is at the moment.
 */
export class Hosts {
  readonly pools = new Set<WatchedPool>()
  readonly memory = new PrimaryMemory()
  readonly wakeListeners = new Set<(topic: string) => void>()
  readonly #hosts: Host[]
  readonly #connections = new Map<Connection, Host>()
  #primary: Host | null = null
  /** Where a search starts. */
  #first = 0
  #search: Promise<Connection> | null = null
  #failure: { error: unknown; until: number } | null = null
  #timer: NodeJS.Timeout | undefined
  #sweptAt = 0

  readonly #budget: number

  constructor(url: string, budget: number) {
    this.#budget = budget
    this.#hosts = hostAddresses(url).map((one) => {
      return { url: one, address: addressOf(one), respondedAt: 0, silent: false, probing: false, probedAt: 0 }
    })
  }

  join(watched: WatchedPool): void {
    this.pools.add(watched)
    this.#sweptAt = performance.now()
    this.#timer ??= setInterval(() => this.#sweep(), sweepMilliseconds).unref()
  }

  leave(watched: WatchedPool): void {
    this.pools.delete(watched)
    if (this.pools.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Connections that any pool may open beyond its least: what each pool has for itself stays free. */
  spare(): number {
    let spare = this.#budget
    for (const { held, least } of this.pools) spare -= Math.max(held(), least)
    return spare
  }

  /** After a connection was closed: another pool may wait to open one. */
  serveAll(): void {
    for (const pool of this.pools) pool.serve()
  }

  /** A connection that accepts writes. */
  async open(options: ConnectionOptions): Promise<Connection> {
    const primary = this.#primary
    if (primary) {
      try {
        return await this.#connect(primary, options)
      } catch {
        if (this.#primary === primary) this.#forget(primary)
      }
    }
    if (this.#failure && performance.now() < this.#failure.until) throw this.#failure.error
    if (this.#search) {
      await this.#search
      return await this.open(options)
    }
    this.#search = this.#find(options)
    try {
      return await this.#search
    } catch (error) {
      this.#failure = { error, until: performance.now() + failureMilliseconds }
      throw error
    } finally {
      this.#search = null
    }
  }

  /** Asks the hosts in turn for one that accepts writes. */
  async #find(options: ConnectionOptions): Promise<Connection> {
    const reasons: string[] = []
    let failure: unknown
    let refusal: string | undefined
    for (let turn = 0; turn < this.#hosts.length; turn += 1) {
      const index = (this.#first + turn) % this.#hosts.length
      const host = this.#hosts[index]!
      try {
        if (host.silent) throw doesNotRespond()
        const connection = await this.#connect(host, options)
        this.#primary = host
        this.#first = index
        this.memory.clear()
        return connection
      } catch (error) {
        failure = error
        if ((error as ConnectionLost).code === primaryBehind) refusal = `${nameOf(host)}: ${(error as Error).message}`
        reasons.push(`${nameOf(host)}: ${(error as Error).message}`)
      }
    }
    if (refusal) this.memory.refuse(refusal)
    if (this.#hosts.length === 1) throw failure
    throw new ConnectionLost(`No host accepts writes. ${reasons.join('; ')}`, { code: 'NO_PRIMARY' })
  }

  async #connect(host: Host, options: ConnectionOptions): Promise<Connection> {
    const began = performance.now()
    try {
      const target = {
        url: host.url,
        connectMilliseconds: this.#hosts.length > 1 ? connectMilliseconds : connectToOnlyHostMilliseconds,
        onResult: () => {
          host.respondedAt = performance.now()
          host.silent = false
        },
        // The other connections lead to the same server and would read outdated rows.
        onReadOnly: () => this.#abandon(host, isStandby()),
        primary: this.memory,
      }
      const connection = await Connection.open(target, options)
      this.#connections.set(connection, host)
      connection.onLost(() => this.#connections.delete(connection))
      return connection
    } catch (error) {
      if ((error as ConnectionLost).code === 'CONNECT_TIMEOUT' && host.respondedAt < began) host.silent = true
      throw error
    }
  }

  /** The next search begins with another host, since this one is probably no longer the primary. */
  #forget(host: Host): void {
    this.#primary = null
    this.#first = (this.#hosts.indexOf(host) + 1) % this.#hosts.length
  }

  /** Cuts every connection to a host at once: one by one, each would wait for its own deadline. */
  #abandon(host: Host, reason: ConnectionLost): void {
    if (this.#primary === host) this.#forget(host)
    for (const [connection, its] of this.#connections) if (its === host) connection.destroy(reason)
  }

  /** One timer for all statements: a timer per statement would cost as much as sending it. */
  #sweep(): void {
    const now = performance.now()
    const wasStopped = now - this.#sweptAt > 4 * sweepMilliseconds
    this.#sweptAt = now
    for (const watched of this.pools) watched.sweep()
    // A process that was suspended must first read what has arrived meanwhile.
    if (wasStopped) return
    for (const [connection, host] of this.#connections) {
      if (connection.isOverdue()) this.#giveUp(connection, host)
      else if (connection.waitedFor() > suspiciousMilliseconds) this.#probe(host)
    }
    for (const host of this.#hosts) if (host.silent) this.#probe(host)
  }

  /** For a statement that Postgres did not cancel at its own time limit. */
  #giveUp(connection: Connection, host: Host): void {
    const noResponseSince = performance.now() - host.respondedAt >= connection.waitedFor()
    connection.destroy(doesNotRespond())
    if (noResponseSince) this.#silence(host)
  }

  #silence(host: Host): void {
    host.silent = true
    this.#abandon(host, doesNotRespond())
  }

  /** A statement that takes long is no reason to give a server up; one that does not respond to anything is. */
  #probe(host: Host): void {
    const began = performance.now()
    if (host.probing || began - Math.max(host.respondedAt, host.probedAt) < suspiciousMilliseconds) return
    host.probing = true
    void isSilent(host.address).then((silent) => {
      host.probing = false
      host.probedAt = performance.now()
      if (!silent) host.silent = false
      else if (host.respondedAt < began) this.#silence(host)
    })
  }
}

/** The driver knows how to read an address, and reads the files that it names; this client is never connected. */
function addressOf(url: string): Address {
  try {
    const { host, port } = new pg.Client(url)
    return { host, port }
  } catch (error) {
    throw new StartFailure(`DATABASE_URL: ${(error as Error).message}`)
  }
}

function nameOf({ url }: Host): string {
  return /^[^:]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url)![1] || 'the local host'
}

function doesNotRespond(): ConnectionLost {
  return new ConnectionLost('Postgres does not respond.', { code: 'SERVER_SILENT' })
}

function isStandby(): ConnectionLost {
  return new ConnectionLost('This Postgres accepts no writes any more.', { code: 'READ_ONLY' })
}

/** Asks whether TLS is supported: a server or pooler responds before authentication, and even without a free connection. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** True when there is no response at all; a refusal or an error counts as a response. */
async function isSilent({ host, port }: Address): Promise<boolean> {
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
  try {
    return await new Promise<boolean>((resolve) => {
      // First reads what has already arrived, since this process may have been busy.
      socket.setTimeout(probeMilliseconds, () => setImmediate(resolve, true))
      socket.once('connect', () => socket.write(sslRequest))
      socket.once('data', () => resolve(false))
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(/UNREACH|TIMEDOUT/.test(error.code ?? '')))
      socket.once('close', () => resolve(false))
    })
  } finally {
    socket.on('error', () => {}).destroy()
  }
}
