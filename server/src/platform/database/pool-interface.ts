import type { Distribution } from '../measurements.ts'
import type { Connection, ConnectionOptions } from './connection.ts'
import type { PrimaryMemory } from './primary-memory.ts'
import type { Tag } from './statement.ts'

export interface PoolOptions extends ConnectionOptions {
  /** Connections this pool holds at most. */
  max: number
  /** Connections that no other pool may use up; more only while the budget of all pools has room. */
  least: number
  /** For tests: a statement to the pool inside its own transaction is an error, since it needs a second connection. */
  forbidNested: boolean
  /** How long a statement or transaction may wait for a free connection. */
  waitSeconds: number
  /** `statementSeconds` of the hot pools beside this one. */
  hotSeconds: number
  /** Statements that one connection may have in flight; with 1, a quick one never waits behind a slow one. */
  depth: number
}

/** A pool or a transaction: every store function takes either. */
export type Sql = Tag

/** The pool itself: only verbs that open transactions take it. */
export interface Pool extends Sql {
  begin<T>(work: (tx: Sql) => Promise<T>): Promise<T>
  /** A connection for the caller alone until it is released. */
  reserve(): Promise<Reserved>
  /** The same connections, for statements that each run inside `around`; `signal` is what would cancel the statement. */
  through(around: <T>(run: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>): Sql
  /** Connections it holds at most. */
  max: number
  /** How long callers waited for a connection, in seconds. */
  waits: Distribution
  /** Callers that wait now. */
  waiting(): number
  /** Another pool on the same database, with other options. */
  alongside(others: Partial<PoolOptions> | ((own: PoolOptions) => Partial<PoolOptions>)): Pool
  /** Calls `react` with each topic of `wakeAfterCommit`, of this pool and the others on the same database. */
  onWake(react: (topic: string) => void): void
  /** A connection outside the pool. */
  connect(options?: Partial<ConnectionOptions>): Promise<Connection>
  /** Of this pool and the others on the same database. */
  primary: PrimaryMemory
  /** Rejects when this pool, or another one on the same database, cannot reach it. */
  checkAll(): Promise<void>
  /** Refuses new statements, waits for what is under way (`timeout` seconds at most), and closes. */
  end(options?: { timeout?: number }): Promise<void>
}

export interface Reserved extends Sql {
  release(): void
}
