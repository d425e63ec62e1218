import { AsyncLocalStorage } from 'node:async_hooks'
import type { Options, PostgresType } from 'postgres'
import { postgres } from './driver.ts'
import type { Pool, Sql } from './sql.ts'

export interface DatabaseOptions {
  url: string
  /** Connections a process holds at most; Postgres is shared by many processes, so small. */
  max?: number
  applicationName?: string
}

export function openDatabase({ url, max = 10, applicationName = 'landbridge' }: DatabaseOptions): Pool {
  return postgres(url, {
    max,
    // Migrations say "already exists, skipping": noise.
    onnotice: () => {},
    connect_timeout: 10,
    connection: { application_name: applicationName, timezone: 'UTC', synchronous_commit: 'on' },
    types: { bigint: postgres.BigInt },
  })
}

/**
 * For statements that walk from many keys to their rows, each by an index, thousands of times a second. They are planned
 * once a connection: planning one anew takes longer than a hundred look-ups. In the order of the keys, too, which is the
 * order in which rows are locked.
 */
const walking = {
  plan_cache_mode: 'force_generic_plan',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_seqscan: 'off',
}

/** Connections of their own for such statements, on the same database: they must not wait behind a slow list. */
export function openHotPool({ options }: Pool, { max }: { max: number }): Pool {
  // The driver takes its own parsed options, as its `listen` does; `shared` and `parameters` are one pool's alone.
  const parsed = { ...options, max, connection: { ...options.connection, ...walking }, parameters: {} }
  return postgres(parsed as unknown as Options<{ bigint: PostgresType<bigint> }>) as Pool
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
  }) as Promise<T>
}

/** What a request wants done within every transaction it commits; see `idempotency.ts`. */
export const beforeCommit = new AsyncLocalStorage<(tx: Sql) => Promise<void>>()

/** A transaction in a pool's clothes: verbs that are given it become part of that transaction, all or none. */
export function joinTransaction(tx: Sql): Pool {
  const { savepoint } = tx as unknown as { savepoint: unknown }
  return Object.assign(tx, { begin: savepoint }) as unknown as Pool
}

const uniqueViolation = '23505'
const foreignKeyViolation = '23503'

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates(error, uniqueViolation, constraint)
}

export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return violates(error, foreignKeyViolation, constraint)
}

const connectionLost = new Set([
  ...['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'CONNECT_TIMEOUT'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT'],
  // Postgres says it itself: shut down, crashed, starting, without a free connection, no longer the primary.
  ...['57P01', '57P02', '57P03', '53300', '25006'],
])

/** Postgres is away, or not yet back: nobody's fault, and over in a moment. */
export function isUnreachable(error: unknown): boolean {
  return connectionLost.has(String((error as { code?: unknown } | null)?.code))
}

/** A fault of what was sent rather than of the database: then one row is to blame, and the others are not. */
export function isFaultOfData(error: unknown): boolean {
  return error instanceof postgres.PostgresError && /^(22|23|54)/.test(error.code)
}

function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  return (
    error instanceof postgres.PostgresError &&
    error.code === code &&
    (constraint === undefined || error.constraint_name === constraint)
  )
}
