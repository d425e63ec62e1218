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

/** Another pool on the same database, with settings of its own: for work that must not wait behind other work. */
export function openSibling(
  { options }: Pool,
  { max, settings }: { max: number; settings: Record<string, string> },
): Pool {
  // The driver takes its own parsed options, as its `listen` does; `shared` and `parameters` are one pool's alone.
  const parsed = { ...options, max, connection: { ...options.connection, ...settings }, parameters: {} }
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

function violates(error: unknown, code: string, constraint: string | undefined): boolean {
  return (
    error instanceof postgres.PostgresError &&
    error.code === code &&
    (constraint === undefined || error.constraint_name === constraint)
  )
}
