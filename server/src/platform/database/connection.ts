import pg from 'pg'
import { hostsOf } from './hosts.ts'
import type { Prepared, Result } from './statement.ts'

export interface ConnectionOptions {
  url: string
  applicationName: string
  /** Set on every new connection by statement: a pooler between us and Postgres may refuse them as start-up parameters. */
  settings: Record<string, string>
  /** A statement that is not done by then is cancelled by Postgres; a server that does not even do that is given up. */
  statementSeconds: number
}

/** Postgres is away, or did not respond in time. `code` is the system's where there is one. */
export class ConnectionLost extends Error {
  readonly code: string
  constructor(message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ConnectionLost'
    this.code = options.code ?? 'CONNECTION_LOST'
  }
}

const connectMilliseconds = 5_000
/** What Postgres gets beyond the limit that it keeps itself, before its connection is given up. */
const graceMilliseconds = 1_000
/** A backend remembers every table and plan it ever touched: now and then a fresh one takes its place. */
const lifetimeMilliseconds = 3_600_000

/** Parsed as the rest of the service expects: whole numbers of eight bytes are exact. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8) return BigInt
    return pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

/** One session on the primary. Statements may follow each other without waiting; they run in the order they were sent. */
export class Connection {
  readonly client: pg.Client
  /** Statements sent and not done. */
  inFlight = 0
  /** Held by a transaction or by whoever reserved it. */
  reserved = false
  lost: ConnectionLost | null = null
  /** Since when the oldest statement in flight is the oldest one. */
  #waitingSince = 0
  readonly #openedAt = performance.now()
  readonly #statementMilliseconds: number
  readonly #closed: Promise<void>

  private constructor(client: pg.Client, statementSeconds: number) {
    this.client = client
    this.#statementMilliseconds = statementSeconds * 1000
    this.#closed = new Promise((resolve) => client.once('end', resolve))
    client.on('error', (error: NodeJS.ErrnoException) => {
      this.lost ??= lostBecause(error)
    })
    client.once('end', () => {
      this.lost ??= new ConnectionLost('The connection to Postgres was closed.')
    })
  }

  /** Asks the hosts in turn, from `first` on, for one that accepts writes. */
  static async open(options: ConnectionOptions, first = 0): Promise<{ connection: Connection; host: number }> {
    const hosts = hostsOf(options.url)
    let failure: unknown
    for (let turn = 0; turn < hosts.length; turn += 1) {
      const host = (first + turn) % hosts.length
      try {
        return { connection: await Connection.#connect(hosts[host]!, options), host }
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  static async #connect(url: string, options: ConnectionOptions): Promise<Connection> {
    const client = new pg.Client({
      connectionString: url,
      application_name: options.applicationName,
      keepAlive: true,
      pipeline: true,
      types,
    } as pg.ClientConfig)
    const connection = new Connection(client, options.statementSeconds)
    const late = setTimeout(
      () => connection.destroy(new ConnectionLost('Postgres took too long to connect.')),
      connectMilliseconds,
    )
    try {
      await client.connect()
      await connection.#setUp(options)
      return connection
    } catch (error) {
      const known = error instanceof pg.DatabaseError || error instanceof ConnectionLost
      const reason = known ? error : (connection.lost ?? lostBecause(error))
      connection.destroy()
      throw reason
    } finally {
      clearTimeout(late)
    }
  }

  async #setUp({ settings, statementSeconds }: ConnectionOptions): Promise<void> {
    const all = { ...settings, statement_timeout: `${statementSeconds}s` }
    const assignments = Object.entries(all).map(([name, value]) => `set ${name} = ${pg.escapeLiteral(value)};`)
    const question = `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`
    const { rows } = (
      await this.#send({ text: `${assignments.join(' ')} ${question}`, name: undefined, values: [] })
    ).at(-1)!
    if (rows[0].read_only)
      throw new ConnectionLost('This Postgres accepts no writes: it is a standby.', { code: 'READ_ONLY' })
  }

  async run(prepared: Prepared): Promise<Result<unknown[]>> {
    const result = (await this.#send(prepared)).at(-1)!
    return Object.assign(result.rows, { count: result.rowCount ?? 0, command: result.command })
  }

  #send({ text, name, values }: Prepared): Promise<pg.QueryResult[]> {
    if (this.lost) return Promise.reject(this.lost)
    if (this.inFlight === 0) this.#waitingSince = performance.now()
    this.inFlight += 1
    return new Promise((resolve, reject) => {
      void this.client.query(
        { text, values, ...(name ? { name } : {}) } as pg.QueryConfig,
        (error: Error | null, results) => {
          this.inFlight -= 1
          this.#waitingSince = performance.now()
          if (!error) return resolve(Array.isArray(results) ? results : [results])
          if (isStale(error)) this.destroy(lostBecause(error))
          reject(error instanceof pg.DatabaseError && !isStale(error) ? error : (this.lost ?? error))
        },
      )
    })
  }

  /** A server that no longer keeps its own limit is frozen, or out of reach. */
  isOverdue(): boolean {
    const waited = performance.now() - this.#waitingSince
    return this.inFlight > 0 && waited > this.#statementMilliseconds + graceMilliseconds
  }

  isOld(): boolean {
    return performance.now() - this.#openedAt > lifetimeMilliseconds
  }

  /** Once, when it has gone for whatever reason; at once when it is gone already. */
  onLost(react: () => void): void {
    void this.#closed.then(react)
  }

  /** Cuts the connection: statements in flight fail now, and Postgres ends them when it notices. */
  destroy(reason: ConnectionLost = new ConnectionLost('The connection to Postgres was closed.')): void {
    this.lost ??= reason
    // The driver has no other way to leave without waiting for what is in flight.
    ;(this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }

  async close(): Promise<void> {
    if (this.lost) return
    this.lost = new ConnectionLost('The connection to Postgres was closed.')
    void this.client.end()
    await this.#closed
  }
}

/** The session knows something that is no longer so: the primary has become a standby, or a table has changed its form. */
function isStale(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false
  return error.code === '25006' || error.routine === 'RevalidateCachedQuery'
}

function lostBecause(cause: unknown): ConnectionLost {
  const { code, message } = cause as { code?: string; message?: string }
  return new ConnectionLost(`The connection to Postgres was lost: ${message}`, { ...(code ? { code } : {}), cause })
}
