// The run's Postgres with the migrated template that every file copies. Loaded only when a test asks for it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureSigningKeys } from '../../server/src/authorization/keys/signing-keys.ts'
import { prepareDistribution } from '../../server/src/devices/telemetry/distribution.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { migrate } from '../../server/src/platform/database/migrate.ts'
import { readMigrations } from '../../server/src/platform/database/migration-files.ts'
import { createLog } from '../../server/src/platform/log.ts'
import { superuser } from '../../server/src/platform/private-postgres/cluster.ts'
import { startPrivatePostgres } from '../../server/src/platform/private-postgres/private-postgres.ts'
import { postgresUser } from '../../server/src/platform/private-postgres/user.ts'
import { StartFailure } from '../../server/src/platform/process/start-failure.ts'
import { masterKey } from '../../server/src/platform/secrets/master-key.ts'
import { closeTemplate, createCitusDatabase, onCitus } from '../support/citus.ts'
import { testMasterKey } from '../support/keys.ts'
import { createManagedPostgres, hostRules } from '../support/managed-postgres.ts'

export interface Postgres {
  url: string
  stop(): Promise<void>
}

/** Set by test/previous-release/main.ts: the tests of a release run on the schema of the next one. */
const newerSchema = process.env.LANDBRIDGE_TEST_MIGRATIONS

interface OwnPostgres {
  /** As managed services demand it: thousands of connections and all that they send cost a tenth more with it. */
  tls?: boolean
  settings?: Record<string, string>
}

/** The given one, or a private one in that folder. */
export async function preparePostgres(
  folder: string,
  given: string | undefined,
  options: OwnPostgres = {},
): Promise<Postgres> {
  const postgres = given ? { url: given, stop: async () => {} } : await startOwn(folder, options)
  try {
    await createTemplate(postgres.url)
  } catch (error) {
    await postgres.stop()
    throw error
  }
  return postgres
}

/** On a machine without a packaged Postgres: what to do, without a stack trace. */
export function reportFailure(error: unknown): void {
  if (!(error instanceof StartFailure)) console.error(error)
  else console.error(`${error.message} For the tests, that is LANDBRIDGE_TEST_POSTGRES=postgres://…/postgres.`)
}

async function createTemplate(url: string): Promise<void> {
  if (onCitus) await createCitusDatabase(url, 'landbridge_template', 4)
  else {
    const admin = openDatabase({ url, max: 1 })
    await admin`drop database if exists landbridge_template`
    await admin`create database landbridge_template`
    await admin.end()
  }
  const address = Object.assign(new URL(url), { pathname: '/landbridge_template' }).href
  const template = openDatabase({ url: address, max: 2, distributed: onCitus })
  await migrate(template, newerSchema ? await readMigrations(newerSchema) : undefined, prepareDistribution)
  // An RSA key takes a while to generate: one per run, older than any test's clock.
  const ancient = () => new Date('2026-01-01T00:00:00.000Z')
  await ensureSigningKeys({ sql: template, now: ancient, masterKey: masterKey(testMasterKey) })
  await template.end()
  if (onCitus) await closeTemplate(url, 'landbridge_template')
}

async function startOwn(folder: string, { tls = false, settings = {} }: OwnPostgres): Promise<Postgres> {
  const managed = await createManagedPostgres(folder, await postgresUser('/nowhere'), { mayCreateDatabases: true })
  const hbaFile = join(folder, 'pg_hba.conf')
  const rules = tls ? hostRules(superuser) : ['host all all 127.0.0.1/32 scram-sha-256']
  await writeFile(hbaFile, `${rules.join('\n')}\n`)
  const { url, stop } = await startPrivatePostgres({
    folder: join(folder, 'postgres'),
    log: createLog('error'),
    onLost: () => process.exit(1),
    // Tests may lose their data to a power cut; what must survive one is tested on a separate Postgres.
    // Connections: up to sixteen processes at once, and a few dozen for each file.
    settings: {
      ...(tls ? managed.settings : {}),
      // A connection is opened for every file, many times: its password need not be slow to guess.
      scram_iterations: '1',
      hba_file: hbaFile,
      ...{ fsync: 'off', full_page_writes: 'off', max_connections: '700', shared_buffers: '256MB' },
      // It would visit hundreds of databases in turn, none of which lives long enough to need it.
      autovacuum: 'off',
      ...settings,
    },
  })
  const admin = openDatabase({ url, max: 1 })
  await admin.unsafe(managed.createRole)
  await admin.end()
  const address = new URL(managed.url(new URL(url).host, 'postgres'))
  if (!tls) address.search = ''
  return { url: address.href, stop }
}
