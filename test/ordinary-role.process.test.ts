// A Postgres as managed services offer it: an ordinary role, TLS with a CA of its own, a password. What a start refuses
// there, `doctor` says in the same words.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { doctor } from '../server/src/cli/doctor.ts'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { createLog } from '../server/src/platform/log.ts'
import { superuser } from '../server/src/platform/private-postgres/cluster.ts'
import { startPrivatePostgres } from '../server/src/platform/private-postgres/private-postgres.ts'
import { postgresUser } from '../server/src/platform/private-postgres/user.ts'
import { createManagedPostgres, hostRules } from './support/managed-postgres.ts'
import { removeFolder } from './support/remove-folder.ts'
import { anyPort, onDatabase, spawnService, startService } from './support/service.ts'
import { startTransactionPooler } from './support/transaction-pooler.ts'

const program = fileURLToPath(new URL('../server/landbridge.js', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'landbridge-ordinary-'))
await chmod(folder, 0o711)
const managed = await createManagedPostgres(folder, await postgresUser('/nowhere'))
const hbaFile = join(folder, 'pg_hba.conf')
await writeFile(hbaFile, `${hostRules(superuser).join('\n')}\n`)
const server = await startPrivatePostgres({
  folder: join(folder, 'postgres'),
  log: createLog('error'),
  onLost: () => process.exit(1),
  settings: { ...managed.settings, hba_file: hbaFile },
})
const admin = openDatabase({ url: server.url, max: 1 })
after(async () => {
  await admin.end()
  await server.stop()
  await removeFolder(folder)
})
await admin.unsafe(managed.createRole)
const { host } = new URL(server.url)
const role = new URL(managed.url(host, 'x')).username

let databases = 0
/** An empty database, prepared by a superuser; returns its address for the ordinary role. */
async function createDatabase(options: string, ...statements: string[]): Promise<string> {
  databases += 1
  const name = `database_${databases}`
  await admin.unsafe(`create database ${name} ${options}`)
  await asSuperuser(name, ...statements)
  return managed.url(host, name)
}

async function asSuperuser(database: string, ...statements: string[]): Promise<void> {
  const sql = openDatabase({ url: Object.assign(new URL(server.url), { pathname: `/${database}` }).href, max: 1 })
  for (const statement of statements) await sql.unsafe(statement)
  await sql.end()
}

async function migrateByCommand(url: string): Promise<void> {
  const env = { PATH: process.env.PATH, ...anyPort, ...onDatabase(url) }
  await promisify(execFile)(process.execPath, [program, 'migrate'], { env })
}

async function requireServing(url: string): Promise<void> {
  const service = await startService({ env: onDatabase(url) })
  assert.equal((await fetch(`${service.ready.public_url}/readyz`)).status, 200)
  assert.equal(await service.stop(), 0, service.output())
  const problems = (await doctor(onDatabase(url))).filter(({ level }) => level === 'problem')
  assert.deepEqual(problems, [])
}

/** What a start writes before it exits with 1. */
async function refusedStart(url: string): Promise<string> {
  const child = spawnService(onDatabase(url))
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  await once(child, 'close')
  assert.equal(child.exitCode, 1)
  return said.trim()
}

async function requireRefusal(url: string, sentence: RegExp): Promise<void> {
  const findings = await doctor(onDatabase(url))
  const problems = findings.filter(({ level }) => level === 'problem').map(({ message }) => message)
  assert.match(problems.join('\n'), sentence)
  assert.deepEqual(problems, [await refusedStart(url)])
}

describe('decision 3.40: an ordinary role, over TLS', () => {
  it('that owns its database migrates and serves', async () => {
    const url = await createDatabase(`owner ${role}`)
    await migrateByCommand(url)
    await requireServing(url)
    const sql = openDatabase({ url, max: 1 })
    const [session] = await sql`
      select ssl, rolsuper, rolcreaterole, rolcreatedb from pg_stat_ssl, pg_roles
      where pid = pg_backend_pid() and rolname = current_user`
    assert.deepEqual({ ...session }, { ssl: true, rolsuper: false, rolcreaterole: false, rolcreatedb: false })
    await sql.end()
  })

  it('with extensions that somebody else created, and no right to create any', async () => {
    const create = ['pg_trgm', 'btree_gin'].map((name) => `create extension ${name}`)
    await requireServing(await createDatabase('', ...create, `grant create on schema public to ${role}`))
  })

  it('with a schema of its own and the extensions in another one', async () => {
    const url = await createDatabase(
      '',
      'create schema extensions',
      `grant usage on schema extensions to ${role}`,
      ...['pg_trgm', 'btree_gin'].map((name) => `create extension ${name} schema extensions`),
      `create schema ${role} authorization ${role}`,
    )
    const database = new URL(url).pathname.slice(1)
    await admin.unsafe(`alter role ${role} in database ${database} set search_path = "$user", extensions`)
    await requireServing(url)
  })

  it('is refused by a server whose certificate another CA has signed, and without TLS', async () => {
    const url = new URL(await createDatabase(`owner ${role}`))
    const other = join(folder, 'other')
    await mkdir(other)
    const { ca } = await createManagedPostgres(other, {})
    url.searchParams.set('sslrootcert', ca)
    assert.match(await refusedStart(url.href), /^DATABASE_URL: .*certificate/)
    url.searchParams.set('sslrootcert', join(folder, 'missing.pem'))
    assert.match(await refusedStart(url.href), /^DATABASE_URL: ENOENT.*missing\.pem/)
    url.search = ''
    assert.match(await refusedStart(url.href), /^DATABASE_URL: .*no encryption/)
  })
})

describe('what a start refuses, doctor refuses in the same words', () => {
  it('a role that may not create tables', async () => {
    await requireRefusal(await createDatabase(''), /may not create tables in the schema public: run "grant create/)
  })

  it('a missing extension that the role may not create', async () => {
    const url = await createDatabase('', `grant create on schema public to ${role}`)
    await requireRefusal(url, /cannot create the extension pg_trgm \(permission denied.*let one who may run/)
  })

  it('an extension in a schema that the role does not look into', async () => {
    const create = 'create schema hidden; create extension pg_trgm schema hidden'
    await requireRefusal(
      await createDatabase(`owner ${role}`, create),
      /pg_trgm is in the schema hidden, .*search_path/,
    )
  })

  it('tables of another role', async () => {
    const url = await createDatabase(`owner ${role}`)
    await migrateByCommand(url)
    const database = new URL(url).pathname.slice(1)
    await asSuperuser(database, `alter table migrations owner to ${superuser}; grant select on migrations to ${role}`)
    await requireRefusal(url, new RegExp(`belong to the role ${superuser}, so ${role} may not change them`))
  })

  it('a database of an unknown build', async () => {
    const url = await createDatabase(`owner ${role}`)
    const sql = openDatabase({ url, max: 1 })
    await sql`create table migrations (name text primary key, applied_at timestamptz not null default now())`
    await sql`insert into migrations values ('0000_before.sql')`
    await sql.end()
    await requireRefusal(url, /its migration 0000_before\.sql is unknown here/)
  })

  it('a pooler in transaction mode', async () => {
    const url = await createDatabase(`owner ${role}`)
    await requireRefusal(await startTransactionPooler(url), /^DATABASE_URL leads to a connection pooler in transaction/)
  })

  it('a database that is not in UTF-8', async () => {
    const url = await createDatabase(
      `owner ${role} template template0 encoding SQL_ASCII locale_provider libc locale 'C'`,
    )
    await requireRefusal(url, /encoding SQL_ASCII: create it as UTF8/)
  })
})
