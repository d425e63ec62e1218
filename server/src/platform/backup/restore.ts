import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import pg, { type Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { isOutsideTransaction } from '../database/migrate.ts'
import { readMigrations } from '../database/migration-files.ts'
import { connect } from './backup-connection.ts'
import { listTables } from './catalog.ts'
import { BackupError, type Manifest, readManifest, tableFile } from './manifest.ts'

/** Fills an empty database, in one transaction: it ends up with everything, or stays empty. */
export async function restoreRows(folder: string, databaseUrl: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  const client = await connect(databaseUrl, { application: 'landbridge restore', writes: true })
  try {
    await client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = utc')
    await client.query('begin')
    await createSchema(client, manifest)
    for (const table of manifest.tables) await readTable(client, table, folder)
    for (const { name, value } of manifest.sequences) {
      await client.query('select setval($1::regclass, $2::bigint)', [pg.escapeIdentifier(name), value])
    }
    await client.query('commit')
    await client.query('analyze')
    return manifest
  } finally {
    await client.end()
  }
}

/** As it was when the backup was created; the service applies later migrations when it starts. */
async function createSchema(client: Client, { migrations, tables }: Manifest): Promise<void> {
  const { rows } = await client.query(
    `select 1 from pg_class where relnamespace = current_schema()::regnamespace limit 1`,
  )
  if (rows.length > 0) throw new BackupError('The database is not empty. Restore into a new one.')
  const known = new Map((await readMigrations()).map((migration) => [migration.name, migration]))
  const unknown = migrations.find((name) => !known.has(name))
  if (unknown) throw new BackupError(`The backup was created by another release: this one has no migration ${unknown}.`)
  await client.query('create table migrations (name text primary key, applied_at timestamptz not null default now())')
  for (const name of migrations) {
    const migration = known.get(name)!
    // Only builds indexes: the next start does that, after the rows are there.
    if (isOutsideTransaction(migration)) continue
    await client.query(migration.text)
    await client.query('insert into migrations (name) values ($1)', [name])
  }
  const created = new Set((await listTables(client)).map(({ name }) => name))
  const missing = [...created].find((name) => !tables.some((table) => table.name === name))
  if (missing) throw new BackupError(`The backup is incomplete: it has no table ${missing}.`)
  for (const { name, partition } of tables) {
    if (created.has(name)) continue
    if (!partition) throw new BackupError(`The backup has a table ${name} that its migrations do not create.`)
    const of = pg.escapeIdentifier(partition.of)
    await client.query(`create table ${pg.escapeIdentifier(name)} partition of ${of} ${partition.bounds}`)
  }
  // What the migrations themselves insert is in the backup too.
  for (const { name } of tables.toReversed()) {
    const table = pg.escapeIdentifier(name)
    const { rows: seeds } = await client.query(`select 1 from ${table} limit 1`)
    if (seeds.length > 0) await client.query(`delete from ${table}`)
  }
}

async function readTable(
  client: Client,
  { name, columns, rows, sha256 }: Manifest['tables'][number],
  folder: string,
): Promise<void> {
  const list = columns.map((column) => pg.escapeIdentifier(column)).join(', ')
  const copy = client.query(copyFrom(`copy ${pg.escapeIdentifier(name)} (${list}) from stdin`))
  const digest = createHash('sha256')
  const tap = new Transform({
    transform(chunk, _encoding, done) {
      digest.update(chunk)
      done(null, chunk)
    },
  })
  const file = tableFile(name)
  await pipeline(createReadStream(join(folder, file)), createZstdDecompress(), tap, copy).catch((error) => {
    throw new BackupError(`${file} cannot be restored: ${(error as Error).message}`)
  })
  if (digest.digest('hex') !== sha256 || copy.rowCount !== rows) {
    throw new BackupError(`${file} is damaged: its content is not what the backup wrote.`)
  }
}
