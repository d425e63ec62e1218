import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { databaseLimits, ownLimits } from '../own-limits.ts'
import { ConnectionLost } from './connection-lost.ts'
import { openPool } from './pool.ts'
import { Shards } from './shards.ts'
import type { Pool, Sql } from './sql.ts'

export interface DatabaseOptions {
  url: string
  /** Connections this pool holds at most. Small, since many processes share one Postgres. */
  max?: number
  least?: number
  /** Connections that this pool and all alongside it hold together at most. */
  budget?: number
  forbidNested?: boolean
  applicationName?: string
  deadlines?: Deadlines
  /** How long a statement may take, for tools that need longer. */
  statementSeconds?: number
  /** Whether it is a distributed database (`LANDBRIDGE_DISTRIBUTED`). */
  distributed?: boolean
}

/** `least` is for this pool alone; more, up to `max`, while the budget has room. */
export interface PoolSize {
  max: number
  least?: number
}

export interface Deadlines {
  /** For a statement. */
  statementSeconds: number
  /** For a statement in a pool that `openHotPool` opens. */
  hotSeconds: number
  /** For a free connection. */
  waitSeconds: number
}

/** While requests are served: callers want a 503 rather than an endless wait. */
export const requestDeadlines: Deadlines = {
  statementSeconds: databaseLimits.statementSeconds,
  hotSeconds: databaseLimits.hotStatementSeconds,
  waitSeconds: databaseLimits.waitSeconds,
}
const toolDeadlines: Deadlines = { statementSeconds: 10, hotSeconds: 10, waitSeconds: 10 }

export function openDatabase({
  url,
  max = 10,
  least = 0,
  budget,
  forbidNested = false,
  applicationName = 'landbridge',
  deadlines = toolDeadlines,
  statementSeconds = deadlines.statementSeconds,
  distributed = false,
}: DatabaseOptions): Pool {
  const settings: Record<string, string> = {
    timezone: 'UTC',
    synchronous_commit: 'on',
    // A process that is suspended inside a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: '30s',
    // So that Postgres cancels a statement whose connection was cut, for example because the caller has left.
    client_connection_check_interval: '1s',
    // Only a plan for the very parameters goes to the one shard that they name.
    ...(distributed ? { plan_cache_mode: 'force_custom_plan' } : {}),
  }
  const shards = distributed ? new Shards() : null
  const options = {
    ...deadlines,
    max,
    least,
    forbidNested,
    depth: 1,
    applicationName,
    statementSeconds,
    settings,
    shards,
  }
  const pool = openPool(url, options, budget)
  shards?.servers.open(pool.connect)
  return pool
}

/**
 * For statements that walk from many keys to their rows, each by an index, thousands of times per second. They are
 * planned once per connection: planning one anew takes longer than a hundred look-ups. In the order of the keys, too,
 * which is the order in which rows are locked.
 */
const walking = {
  plan_cache_mode: 'force_generic_plan',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
  // What is off counts as extremely costly, so Postgres would compile such a statement: that took five seconds.
  jit: 'off',
}

/** Separate connections for such statements, on the same database: they must not wait behind a slow list. */
export function openHotPool(pool: Pool, size: PoolSize, depth = 100): Pool {
  return pool.alongside(({ hotSeconds, shards }) => {
    const { plan_cache_mode, ...walks } = walking
    return { ...size, depth, statementSeconds: hotSeconds, settings: shards ? walks : { plan_cache_mode, ...walks } }
  })
}

/** Separate connections for reads that may take seconds: no other request waits for one of these. */
export function openReadPool(pool: Pool, size: PoolSize): Pool {
  const seconds = { statementSeconds: ownLimits.readSeconds, waitSeconds: ownLimits.readSeconds }
  return pool.alongside({ ...size, depth: 1, ...seconds, applicationName: 'landbridge reads' })
}

/** Separate connections for background jobs, whose statements may take longer than a request can wait. */
export function openJobPool(pool: Pool, size: PoolSize): Pool {
  return pool.alongside({
    ...size,
    depth: 1,
    statementSeconds: databaseLimits.jobStatementSeconds,
    waitSeconds: 60,
    applicationName: 'landbridge jobs',
  })
}

/**
 * Runs a verb's statements as one transaction. A verb that must keep a write while refusing the caller returns a
 * verdict: throwing in here undoes everything.
 */
export function transaction<T>(sql: Pool, work: (tx: Sql) => Promise<T>): Promise<T> {
  return sql.begin(async (tx) => {
    const result = await work(tx)
    await beforeCommit.getStore()?.(tx)
    return result
  })
}

/** Runs within every transaction that a request commits; see `idempotency.ts`. */
export const beforeCommit = new AsyncLocalStorage<(tx: Sql) => Promise<void>>()

/** A transaction as a pool: verbs that are given it become part of that transaction. */
export function joinTransaction(tx: Sql): Pool {
  return tx as Pool
}

const uniqueViolation = '23505'
const foreignKeyViolation = '23503'

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates(error, uniqueViolation, constraint)
}

export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return violates(error, foreignKeyViolation, constraint)
}

/**
 * Postgres shuts down, crashed, starts, has no free connection, is no longer the primary, or cancelled a statement that
 * took too long. Class 08 is how a pooler reports that it has lost Postgres.
 */
const passingCodes = /^(57P01|57P02|57P03|53300|25006|57014|08...)$/

/** Postgres cannot be reached at the moment: the same request may succeed shortly. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ConnectionLost || (error instanceof pg.DatabaseError && passingCodes.test(error.code!))
}

/** A pooler, or a distributed database, lost the server that had the statement; SQL calls it 40003; a server that crashed. */
const lostResponseCodes = /^(08...|40003|57P02)$/

/** Nobody knows whether Postgres committed the statement, or the transaction: it was sent, and its response was lost. */
export function mayHaveCommitted(error: unknown): boolean {
  if (error instanceof ConnectionLost) return error.sent
  return error instanceof pg.DatabaseError && lostResponseCodes.test(error.code!)
}

/** Postgres has no room for another row. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53100'
}

/** Postgres stopped a statement at the time limit of its connection. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

/** The values of one row are at fault, not the database: the other rows of the statement can be stored. */
export function isFaultOfData(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^(22|23|54)/.test(error.code!)
}

function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === code &&
    (constraint === undefined || error.constraint === constraint)
  )
}
