import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { connect, registerApplication } from '../../../../test/support/applications.ts'
import { newModel, online, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { sharedPostgres } from '../../../../test/support/shared-postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { createPartition } from '../../devices/telemetry-store/telemetry-store.ts'
import { openDatabase, transaction } from '../database/database.ts'
import { isOutsideTransaction } from '../database/migrate.ts'
import { readMigrations } from '../database/migration-files.ts'
import type { Pool } from '../database/sql.ts'
import { BackupError, type Manifest, manifestFile, readManifest, tableFile } from './manifest.ts'
import { restoreRows } from './restore.ts'
import { writeBackup } from './write.ts'

const service = await startHarness()
const { sql, databaseUrl } = service
const folder = await mkdtemp(join(tmpdir(), 'landbridge-backup-'))
after(() => rm(folder, { recursive: true, force: true }))

const emptied: (() => Promise<void>)[] = []
after(async () => {
  for (const drop of emptied) await drop()
})

async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = openDatabase({ url: await sharedPostgres(), max: 1 })
  await admin.unsafe(`create database ${name} template template0`)
  emptied.push(async () => {
    await admin.unsafe(`drop database ${name} with (force)`)
    await admin.end()
  })
  return Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href
}

const builtLater = (await readMigrations()).filter(isOutsideTransaction).map(({ name }) => name)

/** Of every table: how many rows it has, and a digest of them. */
async function contentOf(pool: Pool): Promise<Record<string, string>> {
  const tables = await pool<{ name: string }[]>`
    select relname as name from pg_class
    where relkind = 'r' and relpersistence = 'p' and relnamespace = 'public'::regnamespace order by relname`
  const content: Record<string, string> = {}
  for (const { name } of tables) {
    // An index that is built without holding up writers is built by the next start.
    const lines =
      name === 'migrations'
        ? `select name as line from migrations where name <> all('{${builtLater.join()}}')`
        : `select t.*::text as line from ${name} t`
    const [row] = await pool.unsafe<{ rows: string }[]>(
      `select count(*) || ' ' || md5(coalesce(string_agg(line, E'\\n' order by line), '')) as rows from (${lines}) as lines`,
    )
    content[name] = row!.rows
  }
  return content
}

describe('backup and restore', () => {
  it('every table, sequence and partition is restored, and what follows goes on where it was', async () => {
    const application = await registerApplication(service)
    await connect(service, application)
    const model = await newModel(service)
    const device = await register(service, model)
    const day = new Date('2026-03-01T00:00:00Z')
    const next = new Date('2026-03-02T00:00:00Z')
    await transaction(sql, (tx) => createPartition(tx, 'history_20260301', day, next))
    for (const value of [1, 2, 3]) await send(service, device, online({ temperature: value }))

    const manifest = await writeBackup({ databaseUrl, files: { 'master.key': 'secret\n' } }, join(folder, 'still'))
    const url = await emptyDatabase()
    // DATABASE_URL may name several hosts, and the first may be away.
    await restoreRows(join(folder, 'still'), url.replace('@', '@127.0.0.1:1,'))
    const restored = openDatabase({ url, max: 1 })
    after(() => restored.end())
    const content = await contentOf(restored)
    assert.deepEqual(content, await contentOf(sql))
    assert.match(content.history_20260301!, /^3 /)
    assert.ok(manifest.tables.filter(({ rows }) => rows > 0).length > 10)
    assert.equal(await readFile(join(folder, 'still', 'master.key'), 'utf8'), 'secret\n')
    const sequences = (pool: Pool) => pool`select sequencename, last_value from pg_sequences order by 1`
    assert.deepEqual([...(await sequences(restored))], [...(await sequences(sql))])
  })

  it('is one instant of a database that is being written to', async () => {
    const model = await newModel(service)
    const device = await register(service, model)
    let writing = true
    let acknowledged = 0
    const writer = (async () => {
      while (writing) {
        const { status } = await send(service, device, online({ count: acknowledged }))
        if (status === 200) acknowledged += 1
      }
    })()
    while (acknowledged < 20) await new Promise((resolve) => setTimeout(resolve, 5))
    const before = acknowledged
    await writeBackup({ databaseUrl, files: {} }, join(folder, 'busy'))
    const afterwards = acknowledged + 1
    writing = false
    await writer
    const url = await emptyDatabase()
    await restoreRows(join(folder, 'busy'), url)
    const restored = openDatabase({ url, max: 1 })
    after(() => restored.end())
    const [stored] = await restored<{ messages: number; newest: number; sequence: number }[]>`
      select count(*)::int as messages, max(history.sequence) as newest, state.sequence
      from device_states state join history on history.device_number = state.number
      where state.device_id = ${device.id} group by state.sequence`
    const { messages, newest, sequence } = stored!
    assert.ok(before <= messages && messages <= afterwards, `${before} ≤ ${messages} ≤ ${afterwards}`)
    assert.equal(newest, sequence, 'the state and the history are of the same instant')
  })

  it('a partition that is dropped meanwhile does not make it fail', async () => {
    const from = new Date('2026-02-01T00:00:00Z')
    const to = new Date('2026-02-02T00:00:00Z')
    await transaction(sql, (tx) => createPartition(tx, 'history_20260201', from, to))
    const busy = await sql.reserve()
    // A table that is read before the partition keeps the backup waiting.
    await busy`begin`
    await busy`lock table audit_events in access exclusive mode`
    const written = writeBackup({ databaseUrl, files: {} }, join(folder, 'dropped'))
    await until(async () => {
      const [row] = await sql`
        select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'landbridge backup' and wait_event_type = 'Lock'`
      return row !== undefined
    })
    await sql`drop table history_20260201`
    await busy`commit`
    busy.release()
    const { tables } = await written
    assert.ok(!tables.some(({ name }) => name === 'history_20260201'))
  })

  it('a damaged file, a database in use and a folder that exists are refused, and nothing is half restored', async () => {
    const backup = join(folder, 'still')
    await assert.rejects(restoreRows(backup, databaseUrl), /The database is not empty/)
    await assert.rejects(writeBackup({ databaseUrl, files: {} }, backup), /exists already/)
    await assert.rejects(readManifest(folder), /is no backup/)
    const file = join(backup, tableFile('users'))
    const other = await readFile(join(backup, tableFile('partners')))
    await writeFile(file, other)
    const url = await emptyDatabase()
    await assert.rejects(restoreRows(backup, url), BackupError)
    const target = openDatabase({ url, max: 1 })
    const [row] = await target`select count(*)::int as count from pg_class where relnamespace = 'public'::regnamespace`
    await target.end()
    assert.equal(row!.count, 0)
  })

  it('a manifest that was tampered with, cut off or shortened is refused before anything is created', async () => {
    const source = join(folder, 'plain')
    const manifest = await writeBackup({ databaseUrl, files: {} }, source)
    const url = await emptyDatabase()
    const refusalOf = async (text: string) => {
      await writeFile(join(source, manifestFile), text)
      return await restoreRows(source, url).then(
        () => 'restored',
        (error) => (error instanceof BackupError ? error.message : `unexpected: ${error}`),
      )
    }
    const changed = (change: (copy: Manifest) => unknown) => {
      const copy = structuredClone(manifest)
      change(copy)
      return JSON.stringify(copy)
    }
    const day = manifest.tables.findIndex(({ partition }) => partition && partition.bounds !== 'DEFAULT')
    const hostile = [
      changed(({ tables }) => {
        tables[day]!.name = 'history_20010101'
        tables[day]!.partition!.bounds += '; create role intruder superuser'
      }),
      changed(({ tables }) => {
        tables[0]!.name = '../users'
      }),
      changed(({ sequences }) => sequences.push({ name: 'x"; drop', value: '1' })),
      '{"format": 1}',
    ]
    for (const text of hostile) assert.match(await refusalOf(text), /cannot be trusted/)
    const catalog = changed(({ tables }) => tables.push({ ...tables[0]!, name: 'pg_authid', partition: null }))
    assert.match(await refusalOf(catalog), /its migrations do not create/)
    const without = changed(({ tables }) =>
      tables.splice(0, tables.length, ...tables.filter((t) => t.name !== 'users')),
    )
    assert.match(await refusalOf(without), /has no table users/)
    assert.match(await refusalOf('{"format": 1, "tab'), /is damaged/)
  })
})
