// Databases of a test on a Citus: `LANDBRIDGE_TEST_CITUS=postgres://…/postgres` names a database of its coordinator that
// has the extension and knows the workers, as one who may create databases on all of them.
import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'

/** Set by `test/citus/`: the service of a test is then on a Citus. */
export const onCitus = process.env.LANDBRIDGE_DISTRIBUTED === 'citus'

/** Why a test is left out there. */
export const skipOnCitus = {
  trigger: onCitus && 'a distributed table has no triggers',
  lock: onCitus && 'it looks at locks, which are on another server',
}

interface Server {
  host: string
  port: number
}

/** The coordinator first. */
async function listServers(admin: Pool): Promise<Server[]> {
  return await admin<Server[]>`
    select nodename as host, nodeport as port from pg_dist_node
    where isactive and noderole = 'primary' order by groupid <> 0, nodeport`
}

/** One statement after the other on every server, the coordinator last: only then is the database complete. */
export async function onEveryServer(url: string, statements: string[]): Promise<void> {
  const admin = openDatabase({ url, max: 1 })
  try {
    for (const { host, port } of (await listServers(admin)).reverse()) {
      // A database that is created or dropped waits for a checkpoint: one cut off half-way stays behind, unusable.
      const server = openDatabase({ url: addressOf(url, { host, port }), max: 1, statementSeconds: 300 })
      try {
        for (const statement of statements) await server.unsafe(statement)
      } finally {
        await server.end()
      }
    }
  } finally {
    await admin.end()
  }
}

/** An empty database on every server, each knowing the others. */
export async function createCitusDatabase(url: string, name: string, shards: number): Promise<void> {
  await onEveryServer(url, [`drop database if exists ${name} with (force)`, `create database ${name}`])
  await onEveryServer(url, [`alter database ${name} set citus.shard_count = ${shards}`])
  const admin = openDatabase({ url, max: 1 })
  const servers = await listServers(admin)
  await admin.end()
  for (const server of servers.toReversed()) {
    const database = openDatabase({ url: addressOf(url, { ...server, name }), max: 1 })
    await database`create extension citus`
    if (server === servers[0]) {
      const [{ host, port }, ...workers] = servers as [Server, ...Server[]]
      await database`select citus_set_coordinator_host(${host}, ${port})`
      for (const worker of workers) await database`select citus_add_node(${worker.host}, ${worker.port})`
    }
    await database.end()
  }
}

/** Postgres copies only a database that nobody is connected to, and each server of a Citus stays connected to its own. */
export async function closeTemplate(url: string, name: string): Promise<void> {
  await onEveryServer(url, [
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  ])
}

export function addressOf(url: string, { host, port, name }: Partial<Server> & { name?: string }): string {
  const address = new URL(url)
  if (host !== undefined) address.hostname = host
  if (port !== undefined) address.port = String(port)
  if (name !== undefined) address.pathname = `/${name}`
  return address.href
}
