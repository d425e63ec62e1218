import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { createDatabase } from './support/database.ts'
import { endWithParent } from './support/end-with-parent.ts'
import {
  onDatabase,
  privateDatabaseUrl,
  privatePostmaster,
  spawnService,
  startService,
  temporaryDataDir,
} from './support/service.ts'
import { until } from './support/until.ts'

/** `npm run test:kill` goes ten rounds; every test run goes one. */
const killRounds = Number(process.env.LANDBRIDGE_KILL_ROUNDS ?? 1)

/** One cluster for all: creating one takes longer than any of these tests. Each leaves it stopped. */
const dataDir = await temporaryDataDir()
await (await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir } })).stop()

/** Pids of every process whose command line names this data folder. */
async function processesOf(dataDir: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const commands = pids.map(async (pid) => ({
    pid,
    text: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
  }))
  return (await Promise.all(commands)).filter(({ text }) => text.includes(dataDir)).map(({ pid }) => pid)
}

async function untilGone(dataDir: string): Promise<void> {
  await until(async () => (await processesOf(dataDir)).length === 0, `every process on ${dataDir} gone`)
}

async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const refused = await once(socket, 'connect').then(
    () => false,
    () => true,
  )
  socket.destroy()
  return refused
}

describe('starting and stopping the process', () => {
  it('of two starts on one data folder the second says so in one line and exits 1', async () => {
    const first = await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir } })
    const second = spawnService({ LANDBRIDGE_DATA_DIR: dataDir })
    let output = ''
    second.stderr!.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    await once(second, 'exit')
    assert.equal(second.exitCode, 1)
    assert.match(output, /^.+ is in use by another Landbridge\. [^\n]+\n$/)
    first.child.kill('SIGHUP')
    await until(() => first.output().includes('SIGHUP ignored'), 'the warning that one process cannot be replaced')
    assert.equal((await fetch(`${first.ready.public_url}/readyz`)).status, 200)
    await first.stop()
  })

  it('a kill that reaches only `npm start` stops the service and its Postgres', async () => {
    const npm = spawn('npm', ['start'], {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: {
        ...{ ...process.env, LANDBRIDGE_DATA_DIR: dataDir, LANDBRIDGE_LAB: 'false' },
        ...{ PORT: '0', LANDBRIDGE_MQTTS_PORT: '0', LANDBRIDGE_STATIC_CERT_PORT: '0' },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    for await (const [text] of on(npm.stdout.setEncoding('utf8'), 'data')) if (text.includes('"msg":"ready"')) break
    npm.kill('SIGTERM')
    await untilGone(dataDir)
  })

  it('a port that is taken is named with its variable', async () => {
    const env = onDatabase(await createDatabase())
    const first = await startService({ env })
    const port = new URL(first.ready.public_url).port
    await assert.rejects(
      startService({ env: { ...env, PORT: port } }),
      new RegExp(`Port ${port} is in use by another program. Set PORT`),
    )
    await first.stop()
  })

  it('a wrong environment is reported whole, variable by variable, and exits 2', async () => {
    const child = spawnService({ PORT: 'x', LANDBRIDGE_LAB: 'maybe', DATABASE_URL: 'mysql://x' })
    let output = ''
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    await once(child, 'exit')
    assert.equal(child.exitCode, 2)
    for (const variable of [
      'PORT',
      'LANDBRIDGE_LAB',
      'DATABASE_URL',
      'LANDBRIDGE_MASTER_KEY',
      'LANDBRIDGE_OPERATOR_KEY',
    ]) {
      assert.match(output, new RegExp(`^${variable} .+`, 'm'))
    }
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`${signal} finishes the request under way, refuses new ones, and leaves nothing behind`, async () => {
      const service = await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir } })
      // A body that arrives slowly keeps a request under way for as long as we like.
      const operatorKey = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim()
      const body = JSON.stringify({
        name: 'Late',
        portal_domain: null,
        admin: { name: 'A', email: 'a@b.co', password: '0123456789' },
      })
      const slow = request(`${service.ready.public_url}/core/v1/operator/partners`, {
        method: 'POST',
        agent: new Agent({ keepAlive: true }),
        headers: {
          ...{ authorization: operatorKey, 'content-type': 'application/json', 'content-length': body.length },
          // The service sends 100 as soon as the request is under way.
          expect: '100-continue',
        },
      })
      slow.write(body.slice(0, 10))
      const responded = once(slow, 'response')
      await once(slow, 'continue')
      const exited = once(service.child, 'exit')
      service.child.kill(signal)
      await until(() => isRefused(service.ready.public_url), 'new requests are refused')
      slow.end(body.slice(10))
      const [response] = await responded
      assert.equal(response.statusCode, 201)
      response.resume()
      await exited
      assert.equal(service.child.exitCode, 0)
      await untilGone(dataDir)
    })
  }

  it(`kill -9 ${killRounds} times: no orphan, no lost row, and each start recovers by itself`, async () => {
    const env = { LANDBRIDGE_DATA_DIR: dataDir }
    const names: string[] = []
    for (let round = 0; round < killRounds; round += 1) {
      const service = await startService({ env })
      const authorization = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim()
      const partners = `${service.ready.public_url}/core/v1/operator/partners`
      const read = await fetch(`${partners}?limit=100`, { headers: { authorization } })
      const list = (await read.json()) as { items: { name: string }[] }
      const stored = list.items.map(({ name }) => name).filter((name) => name.startsWith('P'))
      assert.deepEqual(stored, names, `round ${round}`)
      for (let n = 0; n < 3; n += 1) {
        const name = `P${round}-${n}`
        const admin = { name, email: `${name}@example.com`, password: 'correct horse' }
        const created = await fetch(partners, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ name, portal_domain: null, admin }),
        })
        assert.equal(created.status, 201)
        names.push(name)
      }
      await service.kill()
      // Half of the rounds start again at once, on the heels of a Postgres that is still going down.
      if (round % 2 === 0) await untilGone(dataDir)
    }
    await untilGone(dataDir)
  })

  it('a Postgres that dies is started again, and the service goes on', async () => {
    const service = await startService({ env: { LANDBRIDGE_DATA_DIR: dataDir } })
    const { pid } = await privatePostmaster(dataDir)
    process.kill(pid, 'SIGKILL')
    const isBack = async () => {
      const { pid: now } = await privatePostmaster(dataDir).catch(() => ({ pid }))
      return now !== pid && (await fetch(`${service.ready.public_url}/readyz`)).status === 200
    }
    await until(isBack, 'Postgres is back', 120).catch((error) => assert.fail(`${error.message}\n${service.output()}`))
    assert.equal(await service.stop(), 0)
    await untilGone(dataDir)
  })

  it('a pid file that names an unrelated process neither ends that process nor stops the start', async () => {
    const env = { LANDBRIDGE_DATA_DIR: dataDir }
    const bystander = spawn(process.execPath, [...endWithParent(), '--eval', 'setInterval(() => {}, 1000)'])
    const lines = [bystander.pid, join(dataDir, 'postgres/cluster'), 1, 5432, '', '127.0.0.1', ' 1 1', 'ready   ']
    await writeFile(join(dataDir, 'postgres/cluster/postmaster.pid'), `${lines.join('\n')}\n`)
    const service = await startService({ env })
    assert.equal(bystander.exitCode, null)
    bystander.kill()
    await service.stop()
  })

  it('a cluster of another major version is refused in one line that says what to do', async () => {
    const env = { LANDBRIDGE_DATA_DIR: dataDir }
    const versionFile = join(dataDir, 'postgres/cluster/PG_VERSION')
    const version = await readFile(versionFile)
    await writeFile(versionFile, '12\n')
    await assert.rejects(
      startService({ env }),
      /was created by Postgres 12, and this release brings .+docs\/operate\.md/,
    )
    await writeFile(versionFile, version)
  })

  it('a setup that was cut off half-way is not taken for a cluster', async () => {
    const dataDir = await temporaryDataDir()
    const env = { LANDBRIDGE_DATA_DIR: dataDir }
    const cut = spawnService(env)
    const drafts = async () =>
      (await readdir(join(dataDir, 'postgres')).catch(() => [])).some((name) => /^draft-\d+$/.test(name))
    await until(drafts, 'a cluster in the making')
    cut.kill('SIGKILL')
    await once(cut, 'exit')
    const service = await startService({ env })
    const sql = openDatabase({ url: await privateDatabaseUrl(dataDir), max: 1 })
    const [fsync] = await sql`show fsync`
    assert.equal(fsync!.fsync, 'on')
    await sql.end()
    await service.stop()
    const left = await readdir(join(dataDir, 'postgres'))
    assert.deepEqual(left.toSorted(), ['cluster', 'lock', 'password'])
  })
})
