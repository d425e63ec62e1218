import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ConnectionLost } from './connection-lost.ts'

/** A server of a distributed database as `host:port`, for each shard. */
export type Placements = ReadonlyMap<number, string>

/** A connection to the server that spreads the statements. */
interface Coordinator {
  run(statement: { text: string; name: undefined; values: string[] }): Promise<unknown>
  destroy(): void
}

/** A statement under way. */
interface Watched {
  servers: ReadonlySet<string>
  cut(reason: ConnectionLost): void
}

/** A server with a statement under way for this long is asked whether it responds; a silent one is asked as often. */
const suspiciousMilliseconds = 1_000
/** How long a server may take to respond; one that was silent may be busy with what has waited for it. */
const probeSeconds = { suspected: 1.5, silent: 5 }

/**
 * Which servers of a distributed database respond. A statement for one that does not would hold its connection until the
 * time limit, and a few of them all connections of the process: so they are refused at once until it responds again, and
 * those under way are cut. The coordinator is asked, since a process may not reach the other servers (decision 3.26).
 */
export class ShardServers {
  readonly #silent = new Set<string>()
  readonly #probing = new Set<string>()
  readonly #watched = new Set<Watched>()
  #placements: Placements = new Map()
  #connect: ((statementSeconds: number) => Promise<Coordinator>) | null = null
  #respondedAt = new Map<string, number>()
  #report: (server: string, responds: boolean) => void = () => {}

  learn(placements: Placements): void {
    this.#placements = placements
  }

  /** `connect` opens a connection to the coordinator. */
  open(connect: (options: { statementSeconds: number; applicationName: string }) => Promise<Coordinator>): void {
    this.#connect = (statementSeconds) => connect({ statementSeconds, applicationName: 'landbridge probe' })
  }

  close(): void {
    this.#connect = null
  }

  /** Calls `report` when a server stops responding, and when it responds again. */
  onChange(report: (server: string, responds: boolean) => void): void {
    this.#report = report
  }

  get allRespond(): boolean {
    return this.#silent.size === 0
  }

  get silent(): readonly string[] {
    return [...this.#silent]
  }

  responds(shard: number): boolean {
    return !this.#silent.has(this.serverOf(shard))
  }

  /** Empty where it is not known. */
  serverOf(shard: number): string {
    return this.#placements.get(shard) ?? ''
  }

  /** Throws when a server of these shards is silent. */
  require(shards: readonly number[]): void {
    if (this.#silent.size === 0) return
    for (const shard of shards) if (!this.responds(shard)) throw doesNotRespond(this.serverOf(shard))
  }

  /** From when a statement is sent: to be called with its error, or nothing, when it has ended. */
  watch(shards: readonly number[], cut: (reason: ConnectionLost) => void): (error?: unknown) => void {
    this.require(shards)
    const watched: Watched = { servers: new Set(shards.map((shard) => this.serverOf(shard))), cut }
    this.#watched.add(watched)
    const askAll = () => {
      for (const server of watched.servers) void this.#probe(server)
    }
    const timer = setTimeout(askAll, suspiciousMilliseconds).unref()
    return (error) => {
      clearTimeout(timer)
      this.#watched.delete(watched)
      if (error === undefined) for (const server of watched.servers) this.#respondedAt.set(server, performance.now())
      else if (isOfServer(error)) askAll()
    }
  }

  /** Until the server responds. */
  async #probe(server: string): Promise<void> {
    if (server === '' || this.#probing.has(server)) return
    this.#probing.add(server)
    try {
      while (this.#connect) {
        const began = performance.now()
        const connecting = this.#connect(probeSeconds[this.#silent.has(server) ? 'silent' : 'suspected'])
        const responds = await this.#ask(server, connecting)
        // One that is only too busy for a new connection still returns results.
        const returned = (this.#respondedAt.get(server) ?? 0) > began
        if (responds === true) {
          if (this.#silent.delete(server)) this.#report(server, true)
        } else if (responds === false && !returned && !this.#silent.has(server)) {
          this.#silent.add(server)
          this.#report(server, false)
          for (const { servers, cut } of this.#watched) if (servers.has(server)) cut(doesNotRespond(server))
        }
        if (!this.#silent.has(server)) return
        await sleep(suspiciousMilliseconds, undefined, { ref: false })
      }
    } finally {
      this.#probing.delete(server)
    }
  }

  /** Null when the coordinator cannot say. A new connection: one that was used before may wait for the server itself. */
  async #ask(server: string, connecting: Promise<Coordinator>): Promise<boolean | null> {
    let connection: Coordinator | undefined
    try {
      connection = await connecting
      const placements = await connection.run(plain(selectPlacements))
      const rows = placements as unknown as { shard: number; server: string }[]
      this.learn(new Map(rows.map(({ shard, server }) => [shard, server])))
      const [host, port] = [server.slice(0, server.lastIndexOf(':')), server.slice(server.lastIndexOf(':') + 1)]
      const text = 'select citus_check_connection_to_node($1::text, $2::int) as responds'
      const [row] = (await connection.run({ text, name: undefined, values: [host, port] })) as { responds: boolean }[]
      return row!.responds
    } catch (error) {
      return error instanceof pg.DatabaseError && error.code === statementTimeout ? false : null
    } finally {
      connection?.destroy()
    }
  }
}

/** Of the tables that are spread; read by the coordinator from its own catalog. */
export const selectPlacements = `
  select shardid::float8 as shard, nodename || ':' || nodeport as server
  from pg_dist_placement join pg_dist_node using (groupid)
  where noderole = 'primary'`

const statementTimeout = '57014'

/** The connection of the coordinator to the server was lost or refused, or the statement took too long. */
function isOfServer(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(57014|57P0.|08...)$/.test(error.code!)
}

function doesNotRespond(server: string): ConnectionLost {
  return new ConnectionLost(`The database server ${server} does not respond.`, { code: 'SHARD_SILENT' })
}

function plain(text: string) {
  return { text, name: undefined, values: [] }
}
