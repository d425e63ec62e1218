import { StartFailure } from '../process/start-failure.ts'
import type { Connection } from './connection.ts'
import type { Pool } from './sql.ts'

/**
 * Refuses to start behind a pooler that gives a connection another session for each transaction: settings, prepared
 * statements, LISTEN and locks would be lost or, worse, be another connection's.
 */
export async function requireOwnSessions(pool: Pool): Promise<void> {
  const one = await connect(pool)
  const other = await connect(pool)
  try {
    // In this order neither a pooler that reuses the last session nor one that rotates sessions passes by accident.
    const sessions = new Map([one, other].map((connection) => [connection, new Set<number>()]))
    for (const connection of [one, other, one, one, other, other]) {
      sessions.get(connection)!.add(await readSession(connection))
    }
    const all = [...sessions.values()]
    const distinct = new Set(all.flatMap((ids) => [...ids]))
    if (all.some(({ size }) => size !== 1) || distinct.size !== 2) throw new StartFailure(sharedSessions)
    for (const connection of sessions.keys()) await requireSettings(connection)
  } finally {
    await Promise.all([one.close(), other.close()])
  }
}

async function connect(pool: Pool): Promise<Connection> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new StartFailure(`DATABASE_URL: ${(error as Error).message}`)
  }
}

const sharedSessions =
  'DATABASE_URL leads to a connection pooler in transaction or statement mode, which Landbridge cannot use: set pool_mode = session, or connect to Postgres directly.'

async function readSession(connection: Connection): Promise<number> {
  const [row] = await connection.run({ text: 'select pg_backend_pid() as id', name: undefined, values: [] })
  return (row as { id: number }).id
}

async function requireSettings(connection: Connection): Promise<void> {
  const names = Object.keys(connection.settings)
  const text = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`
  const [row] = (await connection.run({ text, name: undefined, values: [] })) as Record<string, string>[]
  const changed = names.filter((name) => row![name] !== connection.settings[name])
  if (changed.length === 0) return
  throw new StartFailure(
    `DATABASE_URL leads to connections that do not keep their settings (${changed.join(', ')}): let the connection pooler pass SET on, or connect to Postgres directly.`,
  )
}
