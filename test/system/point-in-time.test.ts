// Debian's Postgres, backed up in two ways: docs/operate.md's recipe for point-in-time recovery, and our own command.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { operatorKey, testMasterKey } from '../support/keys.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const port = 20_000 + Math.floor(Math.random() * 10_000)
const folder = await mkdtemp(join(tmpdir(), 'landbridge-recovery-'))
await chmod(folder, 0o755)
const cluster = join(folder, 'cluster')
const databaseUrl = `postgres://landbridge@127.0.0.1:${port}/postgres`

/** Where Debian keeps the newest Postgres. */
async function binaries(): Promise<string> {
  const versions = (await readdir('/usr/lib/postgresql')).map(Number).sort((a, b) => a - b)
  return `/usr/lib/postgresql/${versions.at(-1)}/bin`
}

const bin = await binaries()

async function asPostgres(command: string): Promise<void> {
  const work = { cwd: folder, env: { PATH: process.env.PATH!, PGBACKREST_CONFIG: join(folder, 'pgbackrest.conf') } }
  await run('runuser', ['-u', 'postgres', '--', 'sh', '-c', command], work)
}

const start = () => asPostgres(`${bin}/pg_ctl -D ${cluster} -w -l ${folder}/log start >/dev/null`)
const stop = () => asPostgres(`${bin}/pg_ctl -D ${cluster} -w -m fast stop >/dev/null`)

after(async () => {
  await stop().catch(() => {})
  await rm(folder, { recursive: true, force: true })
})

/** The code blocks of the section, by language. */
async function readRecipe(): Promise<{ settings: string; postgres: string; commands: string[] }> {
  const manual = await readFile(new URL('../../docs/operate.md', import.meta.url), 'utf8')
  const section = manual.slice(manual.indexOf('\n## Point-in-time recovery')).split('\n## ')[1]!
  const blocks = [...section.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language, text]) => ({
    language,
    text: text!,
  }))
  const of = (language: string) => blocks.filter((block) => block.language === language).map(({ text }) => text)
  const commands = of('sh').flatMap((text) => text.trim().split('\n'))
  return { settings: of('ini')[0]!, postgres: of('conf')[0]!, commands }
}

const env = {
  DATABASE_URL: databaseUrl,
  LANDBRIDGE_MASTER_KEY: testMasterKey.toString('base64'),
  LANDBRIDGE_OPERATOR_KEY: operatorKey,
  LANDBRIDGE_DRAIN_SECONDS: '0',
}

const program = fileURLToPath(new URL('../../server/landbridge.js', import.meta.url))

describe('point-in-time recovery', () => {
  it('the recipe of docs/operate.md goes back to the second before a mistake', { timeout: 180_000 }, async () => {
    const recipe = await readRecipe()
    const [create, backup, restore] = recipe.commands as [string, string, string]
    const ours = recipe.settings
      .replace('/var/lib/pgbackrest', join(folder, 'repository'))
      .replace(/\/var\/lib\/postgresql\/\S+/, cluster)
    const connection = `pg1-port=${port}\npg1-socket-path=${folder}\npg1-user=landbridge\npg1-database=postgres\n`
    const quiet = `[global]\nlog-path=${folder}\nlock-path=${folder}\nspool-path=${folder}\n`
    await writeFile(join(folder, 'pgbackrest.conf'), `${quiet}${ours.replace('[global]\n', '')}${connection}`)
    execFileSync('chown', ['-R', 'postgres', folder])
    await asPostgres(`${bin}/initdb -D ${cluster} -U landbridge --auth=trust -E UTF8 --locale=C.UTF-8 >/dev/null`)
    const settings = `port = ${port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '${folder}'\n`
    const archiving = recipe.postgres.replace('pgbackrest ', `pgbackrest --config=${folder}/pgbackrest.conf `)
    await appendFile(join(cluster, 'postgresql.conf'), `${settings}${archiving}`)
    await start()
    await asPostgres(create)

    const service = await startService({ env })
    await createPartner(service.ready.public_url, 'before the backup')
    await asPostgres(backup)
    await createPartner(service.ready.public_url, 'after the backup')
    const sql = openDatabase({ url: databaseUrl, max: 1 })
    await sleep(1_100)
    const [moment] = await sql<[{ now: string }]>`select to_char(now(), 'YYYY-MM-DD HH24:MI:SS+00') as now`
    await sleep(1_100)
    await createPartner(service.ready.public_url, 'the mistake')
    await sql`select pg_switch_wal()`
    await sql.end()
    await service.stop()
    await stop()

    await asPostgres(restore.replace(/--target="[^"]*"/, `--target="${moment.now}"`))
    await start()
    const recovered = openDatabase({ url: databaseUrl, max: 1 })
    after(() => recovered.end())
    await until(
      () =>
        recovered`select 1`.then(
          () => true,
          () => false,
        ),
      'the database accepts writes',
    )
    const again = await startService({ env })
    assert.deepEqual(await partnersOf(again.ready.public_url), ['after the backup', 'before the backup'])
    await again.stop()
  })

  it('a backup of this Postgres is restored into the private one, which is another major version', async () => {
    const backup = join(folder, 'backup')
    const dataDir = join(await mkdtemp(join(tmpdir(), 'landbridge-upgraded-')), 'data')
    after(() => removeFolder(dataDir))
    await run(process.execPath, [program, 'backup', backup], { env: { PATH: process.env.PATH, ...env } })
    await run(process.execPath, [program, 'restore', backup, '--data-dir', dataDir], {
      env: { PATH: process.env.PATH },
    })
    const service = await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir } })
    assert.deepEqual(await partnersOf(service.ready.public_url), ['after the backup', 'before the backup'])
    await service.stop()
  })
})

async function partnersOf(url: string): Promise<string[]> {
  const response = await fetch(`${url}/core/v1/operator/partners`, { headers: { authorization: operatorKey } })
  const { items } = (await response.json()) as { items: { name: string }[] }
  return items.map(({ name }) => name).toSorted()
}

async function createPartner(url: string, name: string): Promise<void> {
  const admin = { name: 'Ada', email: `${name.replaceAll(' ', '-')}@example.com`, password: 'correct horse battery' }
  const response = await fetch(`${url}/core/v1/operator/partners`, {
    method: 'POST',
    headers: { authorization: operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name, portal_domain: null, admin }),
  })
  assert.equal(response.status, 201, await response.text())
}
