// `npm run test:previous-release`: the release before, with data and under load, is upgraded to this tree and back, one
// process at a time, so that both versions run at once, and its keys and approvals may do what they might. Then the tests of
// that release run on the schema of this one.
// --if-migrations-changed: only if this tree has other migrations. --upgrade: without the tests of the release before.
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { kinds, startLoad } from '../failover/load.ts'
import { preparePostgres } from '../runner/postgres.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { onDatabase, type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { changedMigrations, newestRelease, root } from './release.ts'
import { giveRights, requireSameRights } from './rights.ts'
import { addColumn, checkOut } from './trees.ts'

const { values } = parseArgs({
  options: {
    'if-migrations-changed': { type: 'boolean', default: false },
    upgrade: { type: 'boolean', default: false },
  },
})
const release = newestRelease(root)
if (!release) end('There is no release in the history of this clone: nothing to compare with.')
const changed = changedMigrations(root, release).added.length > 0
if (values['if-migrations-changed'] && !changed) end(`The migrations are those of ${release.version}.`)

/** Of each state of the upgrade. */
const loadedSeconds = 5
const folder = mkdtempSync(join(tmpdir(), 'landbridge-release-'))
await chmod(folder, 0o711)
after(() => removeFolder(folder))
const before = await checkOut(release, join(folder, 'before'))
const now = changed ? root : await addColumn(join(folder, 'now'))

describe(`an upgrade from ${release.version} under load`, async () => {
  const postgres = await preparePostgres(folder, process.env.LANDBRIDGE_TEST_POSTGRES)
  after(() => postgres.stop())
  const admin = openDatabase({ url: postgres.url, max: 1, statementSeconds: 60 })
  await admin`create database upgrade`
  await admin.end()
  const url = Object.assign(new URL(postgres.url), { pathname: '/upgrade' }).href
  const sql = openDatabase({ url, max: 1, statementSeconds: 60 })
  after(() => sql.end({ timeout: 1 }))
  // Not synchronous: the load of this process goes on meanwhile.
  const node = async (tree: string, script: string, ...args: string[]) => {
    const flags = ['--disable-warning=ExperimentalWarning', join(tree, script), ...args]
    const env = { ...process.env, ...onDatabase(url) }
    return (await promisify(execFile)(process.execPath, flags, { cwd: tree, env })).stdout
  }
  const { fleet, chains } = JSON.parse(await node(before, 'test/previous-release/seed.ts', url))
  // Callers of the token endpoint come from many addresses, each with its own limit.
  const env = { ...onDatabase(url), LANDBRIDGE_TRUST_PROXY: '127.0.0.1' }
  const start = (tree: string) => startService({ tree, env })
  const services: Service[] = await Promise.all([start(before), start(before)])
  // Its connection is refreshed by no load.
  const rights = await giveRights(sql, services[0]!.ready.public_url, chains.pop(), fleet.at(-1))
  const load = startLoad(services, fleet, chains)
  const versions = async () =>
    await Promise.all(
      services.map(async ({ ready }) => {
        const health = (await (await fetch(`${ready.public_url}/healthz`)).json()) as { version: string }
        return health.version
      }),
    )

  async function requireSuccess(): Promise<void> {
    const since = performance.now()
    await until(() => load.hasSucceeded(since), 'every kind of request succeeds on both processes', 60)
    await sleep(loadedSeconds * 1000)
    console.log(`processes of ${(await versions()).join(' and ')}: requests of every kind succeed`)
  }

  async function replace(index: number, tree: string): Promise<void> {
    assert.equal(await services[index]!.stop(), 0)
    services[index] = await start(tree)
  }

  // One test: what a test starts ends with it.
  it('both versions serve at once, this one alone, both again, and the release before alone on the new schema', async () => {
    await requireSuccess()
    const began = performance.now()
    await node(now, 'server/landbridge.js', 'migrate')
    console.log(`migrated in ${Math.round(performance.now() - began)} ms`)
    await requireSuccess()
    await replace(1, now)
    const [old, current] = await versions()
    assert.equal(old, release.version)
    if (!changed) assert.notEqual(current, old)
    await requireSuccess()
    await replace(0, now)
    await requireSuccess()
    for (const { ready } of services) await requireSameRights(ready.public_url, rights)
    await replace(0, before)
    await requireSuccess()
    await replace(1, before)
    assert.deepEqual(await versions(), [release.version, release.version])
    await requireSuccess()
    await load.stop()
  })

  it('nothing acknowledged is lost or doubled, and no refresh token has two live children', async () => {
    for (const kind of kinds)
      console.log(`${kind}: ${load.count(kind, true)} succeeded, ${load.count(kind, false)} did not`)
    const { messages, tokens } = await load.requireNothingLost(sql)
    console.log(`acknowledged: ${messages} messages and ${tokens} refreshes; lost 0, doubled 0`)
    assert.ok(messages > 100 && tokens > 10)
  })
})

if (!values.upgrade) {
  it(`the tests of ${release.version} pass on the schema of this tree`, () => {
    // Tests of the schema itself are of its own release.
    execFileSync('npm', ['test', '--', 'server/src/{api,authorization,devices,directory,events}/**/*.test.ts'], {
      cwd: before,
      env: { ...process.env, LANDBRIDGE_TEST_MIGRATIONS: join(now, 'server', 'migrations') },
      stdio: 'inherit',
    })
  })
}

function end(reason: string): never {
  console.log(reason)
  process.exit(0)
}
