// `node test/on-debian-postgres.ts <files>`: test files on the newest Postgres of /usr/lib/postgresql, as an ordinary role
// over TLS. For root on a Debian.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { postgresUser } from '../server/src/platform/private-postgres/user.ts'
import { postgresBinaries } from './failover/packages.ts'
import { freePort } from './support/free-port.ts'
import { createManagedPostgres, hostRules } from './support/managed-postgres.ts'

const folder = await mkdtemp(join(tmpdir(), 'landbridge-debian-'))
await chmod(folder, 0o777)
const user = await postgresUser('/nowhere')
const managed = await createManagedPostgres(folder, user, { mayCreateDatabases: true })
const hbaFile = join(folder, 'pg_hba.conf')
await writeFile(hbaFile, ['local all all trust', ...hostRules()].join('\n').concat('\n'))
const cluster = join(folder, 'cluster')
const binaries = postgresBinaries()
const run = (name: string, ...args: string[]) =>
  execFileSync(join(binaries, name), args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
const settings = {
  ...managed.settings,
  hba_file: hbaFile,
  ...{ fsync: 'off', full_page_writes: 'off', max_connections: '700', shared_buffers: '256MB' },
}

run('initdb', '-D', cluster, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8')
const port = await freePort()
const options = [
  `-p ${port} -h 127.0.0.1 -k ${folder}`,
  ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`),
]
run('pg_ctl', '-D', cluster, '-w', '-l', join(folder, 'log'), '-o', options.join(' '), 'start')
let code = 1
try {
  const admin = new pg.Client({ host: folder, port, user: 'postgres', database: 'postgres' })
  await admin.connect()
  console.log((await admin.query('select version()')).rows[0].version)
  await admin.query(managed.createRole)
  await admin.end()
  const tests = [fileURLToPath(new URL('run.ts', import.meta.url)), ...process.argv.slice(2)]
  const env = { ...process.env, LANDBRIDGE_TEST_POSTGRES: managed.url(`127.0.0.1:${port}`, 'postgres') }
  const child = spawn(process.execPath, [...process.execArgv, ...tests], { env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  ;[code] = await once(child, 'exit')
} finally {
  run('pg_ctl', '-D', cluster, '-m', 'immediate', 'stop')
  await rm(folder, { recursive: true, force: true })
}
process.exit(code ?? 1)
