import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import pg, { type Client } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { connect } from './backup-connection.ts'
import { listSequences, listTables, type Table } from './catalog.ts'
import { BackupError, type Manifest, manifestFile, tableFile } from './manifest.ts'

export interface BackupSource {
  databaseUrl: string
  /** Files that are written beside the rows, such as the keys without which some rows cannot be read. */
  files: Record<string, string>
}

/** Writes all rows as of one instant while the service goes on. A backup that is cut off leaves no folder of that name. */
export async function writeBackup(source: BackupSource, folder: string): Promise<Manifest> {
  if (await stat(folder).catch(() => null)) throw new BackupError(`${folder} exists already. Name a new folder.`)
  const draft = `${folder}.partial`
  await rm(draft, { recursive: true, force: true })
  await mkdir(dirname(folder), { recursive: true })
  await mkdir(draft, { mode: 0o700 })
  const client = await connect(source.databaseUrl, { application: 'landbridge backup', writes: false })
  try {
    const manifest = await writeRows(client, draft)
    const files = { ...source.files, [manifestFile]: `${JSON.stringify(manifest, null, 2)}\n` }
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(draft, name), text, { mode: 0o600, flush: true })
    }
    await rename(draft, folder)
    return manifest
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  } finally {
    await client.end()
  }
}

async function writeRows(client: Client, folder: string): Promise<Manifest> {
  // One snapshot for all tables, and no limit of time: a large history takes as long as it takes.
  await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = utc')
  await beginUnchanging(client)
  const { rows: applied } = await client.query<{ name: string }>('select name from migrations order by name')
  const { rows: server } = await client.query<{ version: string; now: Date }>(
    `select current_setting('server_version') as version, now() as now`,
  )
  const tables: Manifest['tables'] = []
  for (const table of await listTables(client)) tables.push({ ...table, ...(await writeTable(client, table, folder)) })
  const sequences = await listSequences(client)
  await client.query('commit')
  return {
    format: 1,
    created_at: server[0]!.now.toISOString(),
    postgres: server[0]!.version,
    migrations: applied.map(({ name }) => name),
    tables,
    sequences,
  }
}

const undefinedTable = '42P01'

/**
 * Locks every table before the snapshot is taken, so that none is dropped or rewritten before it is read: a rewritten
 * one would look empty. A partition that is dropped just before its lock is no reason to fail.
 */
async function beginUnchanging(client: Client): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const names = (await listTables(client)).map(({ name }) => pg.escapeIdentifier(name))
    await client.query('begin isolation level repeatable read, read only')
    try {
      return void (await client.query(`lock table ${['migrations', ...names].join(', ')} in access share mode`))
    } catch (error) {
      await client.query('rollback')
      if ((error as pg.DatabaseError).code !== undefinedTable || attempt === 5) throw error
    }
  }
}

async function writeTable(client: Client, table: Table, folder: string): Promise<{ rows: number; sha256: string }> {
  const columns = table.columns.map((name) => pg.escapeIdentifier(name)).join(', ')
  const copy = client.query(copyTo(`copy ${pg.escapeIdentifier(table.name)} (${columns}) to stdout`))
  const digest = createHash('sha256')
  const tap = new Transform({
    transform(chunk, _encoding, done) {
      digest.update(chunk)
      done(null, chunk)
    },
  })
  const file = createWriteStream(join(folder, tableFile(table.name)), { mode: 0o600, flush: true })
  await pipeline(copy, tap, createZstdCompress(), file)
  return { rows: copy.rowCount, sha256: digest.digest('hex') }
}
