// `npx landbridge simulate` against the lab of a real service, over every protocol.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { deviceAt } from '../server/src/cli/simulate/believable-devices.ts'
import { kinds } from '../server/src/cli/simulate/kinds.ts'
import { PortalSession } from '../server/src/cli/simulate/portal-session.ts'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { createDatabase } from './support/database.ts'
import { onDatabase, startService, temporaryDataDir } from './support/service.ts'
import { until } from './support/until.ts'

const databaseUrl = await createDatabase()
const dataDir = await temporaryDataDir()
const env = { ...onDatabase(databaseUrl), LANDBRIDGE_LAB: 'true', LANDBRIDGE_DATA_DIR: dataDir }
const { ready } = await startService({ env })
const url = ready.public_url
const sql = openDatabase({ url: databaseUrl, max: 2 })
after(() => sql.end({ timeout: 1 }))
const firstVersions = Object.values(kinds).map(({ firmware }) => firmware[0])
const program = fileURLToPath(new URL('../server/landbridge.js', import.meta.url))

interface Run {
  child: ChildProcess
  err(): string
  ended: Promise<{ code: number | null; out: string; err: string }>
}

function start(args: string[], more: Record<string, string> = {}): Run {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(process.execPath, [program, 'simulate', ...args], {
    env: { PATH, NODE_COMPILE_CACHE, LANDBRIDGE_DATA_DIR: dataDir, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => child.kill('SIGKILL'))
  let [out, err] = ['', '']
  child.stdout!.setEncoding('utf8').on('data', (text) => (out += text))
  child.stderr!.setEncoding('utf8').on('data', (text) => (err += text))
  return { child, err: () => err, ended: once(child, 'close').then(([code]) => ({ code, out, err })) }
}

async function run(args: string[], more: Record<string, string> = {}) {
  return await start(args, more).ended
}

describe('npx landbridge simulate', { concurrency: true }, () => {
  for (const protocol of ['http', 'mass', 'mqtt']) {
    it(`lets devices live over ${protocol}: claimed, with a past, outages, new firmware and removals`, async () => {
      // At these rates each of them happens to about half of the devices at once.
      const events = ['--outages', '300', '--updates', '3000', '--removals', '3000']
      const more = ['--claim', '--history', '1', '--json']
      const args = ['--devices', '16', '--protocol', protocol, '--seed', protocol, '--url', url, '--every', '1']
      const running = start([...args, ...events, ...more])
      const happened = async () => {
        const [row] = await sql`
          select count(*)::int as registered,
                 count(*) filter (where removed_at is not null)::int as removed,
                 count(*) filter (where sn like '%-R1' and customer_id is not null and space_id is not null)::int as replaced,
                 -- Also of those that were removed since, which are all of them on a busy machine.
                 count(*) filter (where sn not like '%-R1' and firmware_version <> all(${firstVersions}))::int as updated
          from devices where sn like ${`__-${letters(protocol)}%`}`
        const { registered, removed, replaced, updated } = row!
        return registered > 16 && removed > 0 && replaced > 0 && updated > 0
      }
      await Promise.race([until(happened, `everything over ${protocol}`, 120), running.ended])
      running.child.kill('SIGINT')
      const { code, out, err } = await running.ended
      assert.equal(code, 0, err)
      const totals = JSON.parse(out)
      assert.deepEqual([totals.protocol, totals.devices, totals.failed], [protocol, 16, 0], out)
      for (const what of ['messages', 'history', 'outages', 'updates', 'removed']) assert.ok(totals[what] > 0, out)
    })
  }

  for (const protocol of ['http', 'mqtt']) {
    it(`its devices obey over ${protocol}: reboot, set point, slow, failing, silent; and follow their settings`, async () => {
      const seed = `obeys ${protocol}`
      const args = ['--devices', '2', '--kind', 'thermostat', '--protocol', protocol, '--seed', seed, '--url', url]
      const quiet = ['--outages', '0', '--updates', '0', '--removals', '0', '--every', '30', '--claim', '--json']
      const running = start([...args, ...quiet])
      const lab = JSON.parse(await readFile(join(dataDir, 'lab.json'), 'utf8'))
      const session = await PortalSession.signIn(url, lab.email, lab.password)
      const as = { 'landbridge-customer': lab.customer_id }
      const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
        session.call(method, `/core/v1/organization/devices/${path}`, body, as)
      const serials = [0, 1].map((position) => deviceAt(seed, position, { kinds: ['thermostat'], generation: 0 }).sn)
      const online = () => sql`select id from devices where sn = any(${serials}) and status = 'online' order by sn`
      await until(async () => (await online()).length === 2, 'both are online', 120)
      const [one, two] = (await online()).map(({ id }) => String(id))
      const command = async (id: string, name: string, parameters: object = {}) =>
        (await call('POST', `${id}/commands`, { name, parameters })).id as string
      const silent = await command(two!, 'sleep')
      const ids = [
        await command(one!, 'set_point', { celsius: 24.5 }),
        await command(one!, 'calibrate', { reference: 7 }),
        await command(one!, 'set_pin', { pin: '1234' }),
        await command(one!, 'self_test'),
        await command(one!, 'reboot'),
      ]
      // Before the command behind it begins: between two of its reports it is nothing else.
      const slow = `${one}/commands/${ids[3]}`
      await until(async () => (await call('GET', slow)).state === 'in_progress', 'the slow one is under way', 90)
      const point = async (key: string) => (await call('GET', one!)).state[key]?.value
      await until(async () => (await point('setpoint')) === 24.5, 'the set point', 60)
      await until(async () => (await call('GET', one!)).status === 'offline', 'it restarts', 90)
      await until(async () => (await call('GET', one!)).status === 'online', 'it is back', 90)
      const outcomes = await Promise.all(ids.map((id) => call('GET', `${one}/commands/${id}?wait=25`)))
      assert.deepEqual(
        outcomes.map(({ state, message }) => [state, message]),
        [
          ['done', null],
          ['failed', 'The sensor does not reach 7.'],
          ['done', null],
          ['done', null],
          ['done', null],
        ],
      )
      await call('PATCH', `${one}/settings`, { values: { setpoint: 18 } })
      await until(async () => (await call('GET', `${one}/settings`)).state === 'in_sync', 'the setting', 120)
      assert.equal(await point('setpoint'), 18)
      const { state, attempts, started_at } = await call('GET', `${two}/commands/${silent}`)
      assert.ok(['sent', 'queued', 'expired', 'unknown'].includes(state), state)
      assert.ok(attempts >= 1, 'the silent one was handed nothing')
      assert.equal(started_at, null)
      running.child.kill('SIGINT')
      const { code, out, err } = await running.ended
      assert.equal(code, 0, err)
      assert.equal(JSON.parse(out).commands, 5, out)
    })
  }

  it('tells its progress in plain lines without a terminal, ends with Ctrl-C, and continues with the same devices', async () => {
    const args = ['--devices', '8', '--seed', 'stopped', '--url', url, '--every', '1']
    const first = start(args)
    await until(() => /sending/.test(first.err()), 'the first report', 120)
    first.child.kill('SIGINT')
    const { code, out, err } = await first.ended
    assert.equal(code, 0, err)
    assert.match(
      out,
      /^[\d,]+ messages? of 8 devices over mass in 0:\d\d \(\d+\/s\)\.\n\d+ outages?, .+ removed and replaced, \d+ commands? executed\.\n$/,
    )
    assert.match(err, /Registered 8 devices\.\n/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor of a terminal
    assert.doesNotMatch(err, /[\r\x1b]| at /)
    const again = await run([...args, '--duration', '1'])
    assert.match(again.err, /Registered 0 devices, 8 known from an earlier run\./)
    for (const name of await readdir(join(dataDir, 'simulated'))) {
      const found = await stat(join(dataDir, 'simulated', name)).catch(() => null)
      if (found) assert.equal(found.mode & 0o777, 0o600)
    }
  })

  it('takes any model, with its key from the environment or a file, and then removes nothing', async () => {
    const lab = JSON.parse(await readFile(join(dataDir, 'lab.json'), 'utf8'))
    const args = ['--devices', '3', '--model', lab.model_id, '--kind', 'meter', '--url', url, '--outages', '0']
    const given = await run([...args, '--seed', 'a', '--duration', '1'], { LANDBRIDGE_HARDWARE_KEY: lab.hardware_key })
    assert.equal(given.code, 0, given.err)
    assert.match(given.err, /No devices are removed without LANDBRIDGE_PARTNER_KEY/)
    const file = join(dataDir, 'hardware.key')
    await writeFile(file, `${lab.hardware_key}\n`)
    const second = start([...args, '--seed', 'b', '--hardware-key-file', file])
    const sent = async () => {
      const [row] = await sql`
        select count(*)::int as count from devices
        where model_id = ${lab.model_id} and sn like ${`E3-${letters('b')}%`} and status <> 'never_seen'`
      return row!.count === 3
    }
    await Promise.race([until(sent, 'a message of each', 120), second.ended])
    second.child.kill('SIGTERM')
    const fromFile = await second.ended
    assert.equal(fromFile.code, 0, fromFile.err)
    const [row] =
      await sql`select count(*)::int as count from devices where model_id = ${lab.model_id} and sn like 'E3-%'`
    assert.equal(row!.count, 6)
    // Each has used its key, so without the file nobody can send for them.
    const elsewhere = await temporaryDataDir()
    const lost = await run([...args, '--seed', 'b', '--hardware-key-file', file], { LANDBRIDGE_DATA_DIR: elsewhere })
    assert.deepEqual([lost.code, /use another --seed/.test(lost.err)], [1, true], lost.err)
  })

  const misuses: [string, string[], number, RegExp][] = [
    ['an unknown protocol', ['--protocol', 'smtp'], 2, /--protocol must be http, mass, mqtt/],
    ['a model without its key', ['--model', 'x', '--url', url], 1, /set LANDBRIDGE_HARDWARE_KEY/],
    ['a wrong key', ['--model', 'x', '--url', url], 1, /\w+/],
    ['no service', ['--url', 'http://127.0.0.1:1'], 1, /Is the service running\?/],
    ['no lab', ['--data-dir', '/nowhere', '--url', url], 1, /There is no lab in \/nowhere/],
  ]
  for (const [what, args, code, message] of misuses) {
    it(`explains ${what} in one line`, async () => {
      const key: Record<string, string> = what === 'a wrong key' ? { LANDBRIDGE_HARDWARE_KEY: 'wrong' } : {}
      const result = await run(args, key)
      assert.deepEqual([result.code, result.out], [code, ''], result.err)
      assert.match(result.err, message)
      assert.equal(
        result.err
          .trimEnd()
          .split('\n')
          .filter((line) => !line.startsWith('Registering')).length,
        1,
      )
    })
  }
})

/** The serial numbers of a seed have them in front of their number. */
function letters(seed: string): string {
  return deviceAt(seed, 0).sn.slice(3, 5)
}
