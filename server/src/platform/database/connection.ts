import pg from 'pg'
import { parseExactly } from '../escaped-keys.ts'
import { ConnectionLost, notCommitted } from './connection-lost.ts'
import type { Shards } from './shards.ts'
import type { Prepared, Result } from './statement.ts'

export interface ConnectionOptions {
  applicationName: string
  /** Set by statement on every new connection: a pooler may refuse them as start-up parameters. */
  settings: Record<string, string>
  /** Postgres cancels a statement that takes longer; a server that fails to do so is given up a moment later. */
  statementSeconds: number
  /** Of the database, the same for every pool on it; null for one Postgres. */
  shards: Shards | null
}

/** Of the question that each new connection asks about its server, which costs no statement of its own. */
export interface PrimaryRow {
  system: string | null
  timeline: bigint | null
  lsn: bigint | null
  has_term: boolean
  at: Date
  accepted_term: string | null
  accepted_at: Date | null
}

export interface PrimaryJudge {
  /** The columns to select, and why the server must not be used, as a sentence, or null. */
  question(): { columns: string; judge(row: PrimaryRow, connection: Connection): string | null }
  /** Of a server that has no table for the terms: it is another database, or an empty one. */
  isOther(error: unknown): boolean
}

export interface ConnectionTarget {
  url: string
  /** To connect, with TLS, authentication and settings. */
  connectMilliseconds: number
  /** A statement has returned, with rows or an error. */
  onResult(): void
  /** The server refused a write because it is a standby. */
  onReadOnly(): void
  primary: PrimaryJudge
}

/** The code of a server that accepts writes and lacks what this process has written. */
export const primaryBehind = 'PRIMARY_BEHIND'

const otherDatabase = 'this is not the database that was written to'

/** How long after `statementSeconds` a connection is cut. Not at once: Postgres's own error costs no connection. */
const graceMilliseconds = 1_000
/** How long a connection may be idle before TCP keep-alive probes the other end. */
const keepAliveMilliseconds = 5_000
/** A backend keeps every table and plan it ever used in memory: connections are replaced now and then. */
const lifetimeMilliseconds = 3_600_000

/** Eight-byte integers are read as bigint: a number would round them. */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8) return BigInt
    if (oid === pg.types.builtins.JSON || oid === pg.types.builtins.JSONB) return parseJson
    return pg.types.getTypeParser(oid, format as 'text')
  },
} as pg.CustomTypesConfig

const parseJson = (text: string) => parseExactly(text)

/** One session on the primary. Statements may be sent without waiting for each other; they run in the order sent. */
export class Connection {
  readonly client: pg.Client
  /** Statements sent and not done. */
  inFlight = 0
  /** Held by a transaction, or by a caller that reserved it. */
  reserved = false
  lost: ConnectionLost | null = null
  /** The settings of this session as Postgres reported them after they were set. */
  settings: Record<string, string> = {}
  /** When the last result came, or the first statement in flight was sent. */
  #waitingSince = 0
  readonly #openedAt = performance.now()
  readonly #statementMilliseconds: number
  readonly #target: ConnectionTarget
  readonly #closed: Promise<void>

  readonly #shards: Shards | null

  private constructor(client: pg.Client, { statementSeconds, shards }: ConnectionOptions, target: ConnectionTarget) {
    this.client = client
    this.#shards = shards
    this.#statementMilliseconds = statementSeconds * 1000
    this.#target = target
    this.#closed = new Promise((resolve) => client.once('end', resolve))
    client.on('error', (error: NodeJS.ErrnoException) => {
      this.lost ??= lostBecause(error)
    })
    client.once('end', () => {
      this.lost ??= new ConnectionLost('The connection to Postgres was closed.')
    })
  }

  static async open(target: ConnectionTarget, options: ConnectionOptions): Promise<Connection> {
    const client = new pg.Client({
      connectionString: target.url,
      application_name: options.applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveMilliseconds,
      pipeline: true,
      types,
    } as pg.ClientConfig)
    const connection = new Connection(client, options, target)
    const giveUp = () =>
      connection.destroy(new ConnectionLost('Postgres took too long to connect.', { code: 'CONNECT_TIMEOUT' }))
    let turn: NodeJS.Immediate | undefined
    // First reads what has already arrived, since this process may have been busy.
    const late = setTimeout(() => {
      turn = setImmediate(giveUp)
    }, target.connectMilliseconds)
    try {
      await client.connect()
      await connection.#setUp(options)
      return connection
    } catch (error) {
      const known = error instanceof pg.DatabaseError || error instanceof ConnectionLost
      const reason = known ? error : (connection.lost ?? lostBecause(error))
      connection.destroy()
      throw notCommitted(reason)
    } finally {
      clearTimeout(late)
      clearImmediate(turn)
    }
  }

  async #setUp({ settings, statementSeconds }: ConnectionOptions): Promise<void> {
    const all = { ...settings, statement_timeout: `${statementSeconds}s` }
    const assignments = Object.entries(all).map(([name, value]) => `set ${name} = ${pg.escapeLiteral(value)};`)
    const question = `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only`
    const values = Object.keys(all).map((name) => `current_setting('${name}') as ${name}`)
    const { columns, judge } = this.#target.primary.question()
    const text = `${assignments.join(' ')} ${question}, ${values.join(', ')}${columns}`
    const sent = this.#send({ text, name: undefined, values: [] }).catch((error) => {
      throw this.#target.primary.isOther(error) ? new ConnectionLost(otherDatabase, { code: primaryBehind }) : error
    })
    const [row] = (await sent).at(-1)!.rows
    if (row.read_only)
      throw new ConnectionLost('This Postgres accepts no writes: it is a standby.', { code: 'READ_ONLY' })
    this.settings = Object.fromEntries(Object.keys(all).map((name) => [name, row[name]]))
    const refusal = judge(row, this)
    if (refusal) throw new ConnectionLost(refusal, { code: primaryBehind })
    // Cancelled while it waits for its standby, a commit is reported as a success that a failover could undo.
    this.client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') this.destroy(new ConnectionLost('Postgres did not replicate a commit.'))
    })
  }

  async run(prepared: Prepared): Promise<Result<unknown[]>> {
    const results = prepared.buckets && this.#shards ? this.#sendToShards(prepared, this.#shards) : this.#send(prepared)
    const result = (await results).at(-1)!
    return Object.assign(result.rows, { count: result.rowCount ?? 0, command: result.command })
  }

  async #sendToShards(prepared: Prepared, shards: Shards): Promise<pg.QueryResult[]> {
    const ended = shards.servers.watch(shards.shardsOf(prepared.buckets!), (reason) => this.destroy(reason))
    try {
      const results = await this.#send(prepared)
      ended()
      return results
    } catch (error) {
      ended(error)
      throw error
    }
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
          if (!error || error instanceof pg.DatabaseError) this.#target.onResult()
          // A warning cut this connection, and the success that it is about came in the same packet.
          if (this.lost && !error) return reject(this.lost.as({ sent: true }))
          if (!error) return resolve(Array.isArray(results) ? results : [results])
          const stale = isReadOnly(error) || isStale(error)
          if (stale) this.destroy(lostBecause(error))
          if (isReadOnly(error)) this.#target.onReadOnly()
          if (error instanceof pg.DatabaseError) reject(stale ? this.lost! : error)
          else reject(this.lost?.as({ sent: true }) ?? error)
        },
      )
    })
  }

  /** Milliseconds for which statements in flight have waited without any result. */
  waitedFor(): number {
    return this.inFlight > 0 ? performance.now() - this.#waitingSince : 0
  }

  /** Milliseconds since its last result. */
  idleFor(): number {
    return this.inFlight === 0 ? performance.now() - this.#waitingSince : 0
  }

  isOverdue(): boolean {
    return this.waitedFor() > this.#statementMilliseconds + graceMilliseconds
  }

  isOld(): boolean {
    return performance.now() - this.#openedAt > lifetimeMilliseconds
  }

  /** Calls `react` once when the connection has closed for any reason, or at once if it has already. */
  onLost(react: () => void): void {
    void this.#closed.then(react)
  }

  /** Cuts the connection: statements in flight fail now, and Postgres cancels them when it notices. */
  destroy(reason: ConnectionLost = new ConnectionLost('The connection to Postgres was closed.')): void {
    this.lost ??= reason
    // The driver itself would wait for the statements in flight.
    ;(this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
  }

  async close(): Promise<void> {
    if (this.lost) return
    this.lost = new ConnectionLost('The connection to Postgres was closed.')
    void this.client.end()
    await this.#closed
  }
}

function isReadOnly(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '25006'
}

/** A prepared statement no longer fits its table: only a new session plans it again. */
function isStale(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'
}

function lostBecause(cause: unknown): ConnectionLost {
  const { code, message } = cause as { code?: string; message?: string }
  return new ConnectionLost(`No connection to Postgres: ${message}`, { ...(code ? { code } : {}), cause })
}
