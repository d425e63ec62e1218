import { AsyncLocalStorage } from 'node:async_hooks'
import pg from 'pg'
import { ConnectionLost } from './connection.ts'
import { openPool } from './pool.ts'
import type { Pool, Sql } from './sql.ts'

export interface DatabaseOptions {
  url: string
  /** Connections a process holds at most; Postgres is shared by many processes, so small. */
  max?: number
  applicationName?: string
  /** What a statement may take; only who fills or rebuilds a whole database needs more. */
  statementSeconds?: number
}

export function openDatabase({
  url,
  max = 10,
  applicationName = 'landbridge',
  statementSeconds = 10,
}: DatabaseOptions): Pool {
  const settings = {
    timezone: 'UTC',
    synchronous_commit: 'on',
    // A process that froze inside a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: '30s',
    // So that a statement whose caller has left, and whose connection was cut, ends.
    client_connection_check_interval: '1s',
  }
  return openPool({ url, max, depth: 1, applicationName, statementSeconds, settings })
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
}

/** Connections of their own for such statements, on the same database: they must not wait behind a slow list. */
export function openHotPool(pool: Pool, { max }: { max: number }): Pool {
  return pool.alongside({ max, depth: 100, settings: walking })
}

/** What a slow read may take before it is refused; see `devices/slow-reads.ts`. */
export const slowReadSeconds = 20

/** Connections of their own for reads that may take seconds: nobody else waits for one of these. */
export function openReadPool(pool: Pool, { max }: { max: number }): Pool {
  return pool.alongside({ max, depth: 1, statementSeconds: slowReadSeconds, applicationName: 'landbridge reads' })
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

/** What a request wants done within every transaction it commits; see `idempotency.ts`. */
export const beforeCommit = new AsyncLocalStorage<(tx: Sql) => Promise<void>>()

/** A transaction as a pool: verbs that are given it become part of that transaction, all or none. */
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
 * Postgres itself says that it shuts down, crashed, starts, has no free connection, is no longer the primary, or that a
 * statement took too long.
 */
const passingCodes = new Set(['57P01', '57P02', '57P03', '53300', '25006', '57014'])

/** Postgres is away, or not yet back: nobody's fault, and over in a moment. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ConnectionLost || (error instanceof pg.DatabaseError && passingCodes.has(error.code!))
}

/** Postgres has no room for another row. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53100'
}

/** Postgres stopped a statement at the time limit of its connection. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014'
}

/** A fault of what was sent rather than of the database: then one row is to blame, and the others are not. */
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
