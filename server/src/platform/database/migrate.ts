import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Pool } from './sql.ts'

const folder = fileURLToPath(new URL('../../../migrations/', import.meta.url))

/** Any constant: processes that start together on one database take turns. */
const migrationLock = 7_415_001

export interface Migration {
  name: string
  text: string
}

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(`${folder}${name}`, 'utf8') })))
}

/** Applies what is missing, each file in a transaction of its own, and returns the names of the files applied. */
export async function migrate(sql: Pool): Promise<string[]> {
  const migrations = await readMigrations()
  // A migration may wait for another process's, and may rebuild a large table.
  const longRunning = sql.alongside({ max: 1, statementSeconds: 3_600 })
  const connection = await longRunning.reserve()
  try {
    await connection`select pg_advisory_lock(${migrationLock})`
    await connection`
      create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())`
    const rows = await connection<{ name: string }[]>`select name from migrations`
    const applied = new Set(rows.map((row) => row.name))
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const { name, text } of missing) {
      await connection.unsafe(`begin;\n${text}\n;insert into migrations (name) values ('${name}');\ncommit;`)
    }
    return missing.map(({ name }) => name)
  } catch (error) {
    await connection`rollback`.catch(() => {})
    throw error
  } finally {
    // Closing the session frees the lock.
    connection.release()
    await longRunning.end()
  }
}

/** True when every migration this build knows has been applied: what `/readyz` asks. */
export async function isMigrated(sql: Pool, known: readonly Migration[]): Promise<boolean> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from migrations where name = any(${known.map(({ name }) => name)})`
  return row?.count === known.length
}
