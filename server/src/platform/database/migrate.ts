import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartFailure } from '../process/start-failure.ts'
import { requireMigratable } from './migration-check.ts'
import { type Migration, readMigrations } from './migration-files.ts'
import { splitStatements } from './split-statements.ts'
import type { Pool, Sql } from './sql.ts'

/** Any constant: processes that start together on one database take turns. */
const migrationLock = 7_415_001

/**
 * Applies the missing files in order and returns their names. The rules for such files: decision 3.9. `afterwards` also
 * runs while no other process migrates, without a transaction.
 */
export async function migrate(
  sql: Pool,
  known?: readonly Migration[],
  afterwards?: (sql: Sql) => Promise<void>,
): Promise<string[]> {
  const migrations = known ?? (await readMigrations())
  // An index on a large table takes long to build.
  const longRunning = sql.alongside({ max: 1, statementSeconds: 3_600 })
  const connection = await longRunning.reserve()
  try {
    await takeTurn(connection)
    const missing = await planMigrations(connection, migrations)
    await connection`
      create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    for (const migration of missing) {
      if (isOutsideTransaction(migration)) await buildIndexes(connection, migration)
      else await applyInTransaction(connection, migration)
    }
    await afterwards?.(connection)
    return missing.map(({ name }) => name)
  } finally {
    // Closing the session frees the lock.
    connection.release()
    await longRunning.end()
  }
}

/**
 * What is to be applied; refuses a database, a server or a role with which it could not be. `connection` is one session.
 */
export async function planMigrations(connection: Sql, migrations: readonly Migration[]): Promise<Migration[]> {
  const [{ found }] = await connection<[{ found: boolean }]>`select to_regclass('migrations') is not null as found`
  const applied = found ? await connection<{ name: string }[]>`select name from migrations order by name` : []
  const missing = missingMigrations(
    migrations,
    applied.map(({ name }) => name),
  )
  await requireMigratable(connection, missing)
  return missing
}

/** True when every migration this build knows has been applied: what `/readyz` asks. */
export async function isMigrated(sql: Pool, known: readonly Migration[]): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from migrations where name = any(${known.map(({ name }) => name)})`
  return row?.count === known.length
}

/** Asks again and again: a statement that waited for the lock would hold a snapshot, which building an index waits for. */
async function takeTurn(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ mine: boolean }[]>`select pg_try_advisory_lock(${migrationLock}) as mine`
    if (row!.mine) return
    await sleep(100)
  }
}

/** A database that is ahead was migrated by a newer release, which this one can run on; any other difference is refused. */
function missingMigrations(migrations: readonly Migration[], applied: string[]): Migration[] {
  const names = new Set(migrations.map(({ name }) => name))
  const missing = migrations.filter(({ name }) => !applied.includes(name))
  const unknown = applied.filter((name) => !names.has(name))
  const last = migrations.at(-1)!.name
  const isAhead = missing.length === 0 && unknown.every((name) => name > last)
  if (unknown.length > 0 && !isAhead) {
    throw new StartFailure(
      `This database was created by a version before the first release, or by another build: its migration ${unknown[0]} ` +
        'is unknown here. Start with an empty data folder, or name an empty database in DATABASE_URL.',
    )
  }
  return missing
}

/** While a migration waits for a table, everyone else waits behind it: so it gives up soon, and tries again later. */
const lockTimeout = '1s'
const lockAttempts = 60
const lockNotAvailable = '55P03'

async function applyInTransaction(sql: Sql, { name, text }: Migration): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (sql.shards) await applyEach(sql, name, splitStatements(text))
      else {
        await sql.unsafe(
          `begin; set local lock_timeout = '${lockTimeout}';\n${text}\n;insert into migrations (name) values ('${name}');\ncommit;`,
        )
      }
      return
    } catch (error) {
      await sql`rollback`.catch(() => {})
      if (!(error instanceof pg.DatabaseError && error.code === lockNotAvailable)) throw error
      if (attempt === lockAttempts) {
        throw new StartFailure(
          `The migration ${name} was kept waiting by another session of the database (${error.message}). Try again.`,
        )
      }
      await sleep(500)
    }
  }
}

/** Citus sends the text of a change to the other servers of a table, and refuses several in one (decision 3.27). */
async function applyEach(sql: Sql, name: string, statements: string[]): Promise<void> {
  await sql`begin`
  // Otherwise a function cannot be created after a table was changed.
  await sql`set local citus.multi_shard_modify_mode = 'sequential'`
  // They wait for locks as briefly as the coordinator.
  await sql`set local citus.propagate_set_commands = 'local'`
  await sql.unsafe(`set local lock_timeout = '${lockTimeout}'`)
  for (const statement of statements) await sql.unsafe(statement)
  await sql`insert into migrations (name) values (${name})`
  await sql`commit`
}

const outsideTransaction = /^-- no transaction\n/
const indexStatement = /^create (?:unique )?index concurrently if not exists (\w+) /

export function isOutsideTransaction({ text }: Migration): boolean {
  return outsideTransaction.test(text)
}

/**
 * Postgres builds an index without holding up writers only outside a transaction. A crash may leave an invalid index
 * behind, or a finished one that is not recorded: the first is dropped and built again, the second is left.
 */
async function buildIndexes(sql: Sql, { name, text }: Migration): Promise<void> {
  for (const statement of splitStatements(text)) {
    const index = indexStatement.exec(statement)?.[1]
    if (index === undefined) {
      throw new Error(`${name}: outside a transaction only "create index concurrently if not exists" is repeatable`)
    }
    const [left] = await sql`select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`
    if (left) await sql.unsafe(`drop index concurrently ${index}`)
    await sql.unsafe(statement)
  }
  await sql`insert into migrations (name) values (${name})`
}
