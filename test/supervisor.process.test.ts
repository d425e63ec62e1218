// Several serving processes under one supervisor, on the private Postgres, of one cell (decisions 4.13 to 4.15 and 9.17).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { Agent, type AgentOptions, request } from 'node:http'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { createDatabase } from './support/database.ts'
import { registration } from './support/devices.ts'
import { WireDevice } from './support/mqtt.ts'
import { onDatabase, privateDatabaseUrl, spawnService, startService, temporaryDataDir } from './support/service.ts'
import { until } from './support/until.ts'

const dataDir = await temporaryDataDir()
const env = {
  LANDBRIDGE_PROCESSES: '2',
  LANDBRIDGE_CELL: 'one',
  LANDBRIDGE_DATA_DIR: dataDir,
  LANDBRIDGE_LAB: 'true',
  // So that a test can have an address of its own.
  LANDBRIDGE_TRUST_PROXY: '127.0.0.1',
}
const service = await startService({ env })
const { port } = new URL(service.ready.public_url)
const operatorKey = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim()
const sql = openDatabase({ url: await privateDatabaseUrl(dataDir), max: 1 })
after(() => sql.end({ timeout: 1 }))

/** Pids of the serving processes, by the command line that they share with the supervisor. */
async function servingPids(): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
      const [stat, command] = [await read('stat'), await read('cmdline')]
      const parent = Number(stat.split(') ')[1]?.split(' ')[1])
      return parent === service.ready.pid && command.includes('main.') ? [pid] : []
    }),
  )
  return found.flat().toSorted()
}

interface Call {
  path?: string
  agent?: Agent
  headers?: Record<string, string>
  method?: string
  body?: string
}

/** The status and the body, or the error's code where there was no response. A connection of its own unless it has an agent. */
async function call({ path = '/healthz', agent = fresh(), body, ...options }: Call = {}): Promise<{
  result: number | string
  body: string
}> {
  return await new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path, agent, timeout: 30_000, ...options }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      resolve({ result: response.statusCode!, body: text })
    })
    sent.once('timeout', () => sent.destroy(new Error('no response')))
    sent.once('error', (error: NodeJS.ErrnoException) => resolve({ result: error.code ?? error.message, body: '' }))
    sent.end(body)
  })
}

const fresh = (options: AgentOptions = {}) => new Agent({ keepAlive: false, ...options })

async function metric(name: string): Promise<number> {
  const { body } = await call({ path: '/metrics', headers: { authorization: operatorKey } })
  const values = body.split('\n').flatMap((line) => (line.startsWith(name) ? [Number(line.split(' ').at(-1))] : []))
  return values.reduce((sum, value) => sum + value, 0)
}

/** Callers that go on until they are stopped, each on its connection or on a new one for each request. */
function startLoad(kind: 'kept alive' | 'new', callers: number): () => Promise<Map<number | string, number>> {
  const results = new Map<number | string, number>()
  let running = true
  const loops = Array.from({ length: callers }, async () => {
    const agent = fresh({ keepAlive: kind === 'kept alive' })
    while (running) {
      const { result } = await call({ agent })
      results.set(result, (results.get(result) ?? 0) + 1)
      await sleep(5)
    }
    agent.destroy()
  })
  return async () => {
    running = false
    await Promise.all(loops)
    return results
  }
}

async function registerDevice(): Promise<{ id: string; access_key: string }> {
  const lab = JSON.parse(await readFile(join(dataDir, 'lab.json'), 'utf8'))
  const body = JSON.stringify(registration({ id: lab.model_id, hardware_key: lab.hardware_key }))
  const headers = { 'content-type': 'application/json' }
  const registered = await call({ method: 'POST', path: '/v1/devices', headers, body })
  assert.equal(registered.result, 201, registered.body)
  return JSON.parse(registered.body)
}

/** Each device sends one message after the other, each once; stopped, it returns what became of each. */
async function startTelemetry(devices: number) {
  const sent: { device: string; n: number; result: number | string }[] = []
  let running = true
  const loops = Array.from({ length: devices }, async () => {
    const { id, access_key } = await registerDevice()
    const agent = fresh({ keepAlive: true })
    const headers = { 'content-type': 'application/json', authorization: access_key }
    for (let n = 0; running; n += 1) {
      const body = JSON.stringify({ status: 'online', telemetries: { n } })
      const { result } = await call({ method: 'POST', path: `/v1/devices/${id}/telemetry`, agent, headers, body })
      sent.push({ device: id, n, result })
      await sleep(5)
    }
    agent.destroy()
  })
  await until(() => sent.length > 10 * devices, 'messages of all devices')
  return async () => {
    running = false
    await Promise.all(loops)
    return sent
  }
}

/** Every message that was acknowledged is stored once, in order, and no other one twice. */
async function requireStoredOnce(sent: { device: string; n: number; result: number | string }[]): Promise<void> {
  for (const device of new Set(sent.map((message) => message.device))) {
    const rows = await sql<{ n: number }[]>`
      select (telemetries ->> 'n')::int as n from history
      where device_number = (select number from devices where id = ${device}) order by sequence`
    const stored = rows.map(({ n }) => n)
    const acknowledged = sent.flatMap(({ device: of, n, result }) => (of === device && result === 200 ? [n] : []))
    assert.deepEqual(
      acknowledged.filter((n) => !stored.includes(n)),
      [],
    )
    assert.deepEqual(
      stored,
      [...new Set(stored)].toSorted((one, other) => one - other),
    )
  }
}

const countOf = (text: string) => service.output().split(text).length - 1

async function untilBothServe(): Promise<void> {
  // A connection may have been handed to the process that ended, and is then reset.
  const isBack = async () => (await call({ path: '/readyz' })).body.includes('"processes_serving":2')
  await until(isBack, 'both processes serve', 120).catch((error) =>
    assert.fail(`${error.message}\n${service.output()}`),
  )
}

describe('two processes under a supervisor', () => {
  it('start together: one ready line, one lab, and requests go to both', async () => {
    assert.equal((await servingPids()).length, 2)
    assert.equal(countOf('"msg":"ready"'), 1)
    assert.equal(countOf('A lab is set up'), 1)
    const { body, result } = await call({ path: '/readyz' })
    assert.equal(result, 200)
    assert.deepEqual(JSON.parse(body), { status: 'ready', processes_serving: 2, processes_configured: 2 })
    for (let n = 0; n < 6; n += 1) assert.equal((await call({ path: '/unknown' })).result, 404)
    const refused = (process: number) => countOf(`"process":${process},"reqId"`)
    await until(() => refused(1) + refused(2) >= 6, 'the log of six refused requests')
    assert.ok(refused(1) > 0 && refused(2) > 0, service.output())
  })

  it('their metrics add up, and what all of them see is not multiplied', async () => {
    const series = 'landbridge_http_request_seconds_count{method="GET",route="/healthz"'
    const before = await metric(series)
    for (let n = 0; n < 20; n += 1) await call()
    assert.equal(await metric(series), before + 20)
    assert.equal(await metric('landbridge_processes_serving'), 2)
    assert.equal(await metric('landbridge_history_partitions_ahead'), 7)
    assert.ok((await metric('process_resident_memory_bytes')) > 150_000_000)
  })

  it('a limit is counted over both: of 80 requests exactly 60 pass', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7', 'content-type': 'application/x-www-form-urlencoded' }
    const requests = Array.from({ length: 80 }, () => call({ method: 'POST', path: '/oauth/token', headers, body: '' }))
    const results = (await Promise.all(requests)).map(({ result }) => result)
    assert.equal(results.filter((result) => result === 429).length, 20)
  })

  it('a device has one MQTT connection, on whichever process', async () => {
    const device = await registerDevice()
    const mqttPort = Number(new URL(service.ready.mqtt_url).port)
    const connect = async () => {
      const wire = new WireDevice(mqttPort, 5)
      const reply = await wire.connect(device)
      assert.ok(reply !== 'closed' && reply.cmd === 'connack' && reply.reasonCode === 0)
      return wire
    }
    // Connections go to one process after the other.
    const first = await connect()
    const second = await connect()
    const taken = await first.next()
    assert.ok(taken !== 'closed' && taken.cmd === 'disconnect' && taken.reasonCode === 0x8e, JSON.stringify(taken))
    second.socket.destroy()
  })

  it('the writer of all is killed: what it acknowledged is stored, nothing is stored twice, and another one writes', async () => {
    const stop = await startTelemetry(10)
    // The first that served.
    process.kill(Math.min(...(await servingPids())), 'SIGKILL')
    await until(() => countOf('a process ended by itself') === 1, 'its end')
    await untilBothServe()
    const sent = await stop()
    assert.ok(countOf('hand-over: the writer was lost') > 0)
    const results = new Set(sent.map(({ result }) => result))
    assert.deepEqual(
      [...results].filter((result) => ![200, 503, 'ECONNRESET', 'ECONNREFUSED'].includes(result)),
      [],
    )
    await requireStoredOnce(sent)
  })

  it('one that is killed fails only its own connections, is replaced, and what it counted stays', async () => {
    const series = 'landbridge_http_request_seconds_count{'
    const counted = await metric(series)
    const killed = (await servingPids())[0]!
    // Stopped, it takes one more connection and never confirms it.
    process.kill(killed, 'SIGSTOP')
    let succeeded = 0
    const calls = Array.from({ length: 8 }, async () => {
      const one = await call()
      if (one.result === 200) succeeded += 1
      return one
    })
    await until(() => succeeded === 7, 'seven responses')
    process.kill(killed, 'SIGKILL')
    const results = (await Promise.all(calls)).map(({ result }) => result)
    assert.deepEqual(
      results.filter((result) => result !== 200),
      ['ECONNRESET'],
    )
    await untilBothServe()
    assert.ok(!(await servingPids()).includes(killed))
    // Equal errors are written once per minute.
    assert.ok(countOf('a process ended by itself') > 0)
    assert.ok((await metric(series)) > counted)
  })

  it('what a killed process counted since the last scrape stays, but for its last seconds', async () => {
    const series = 'landbridge_http_request_seconds_count{method="GET",route="/healthz"'
    const before = await metric(series)
    // On connections of their own, so that both processes get some.
    const results = await Promise.all(Array.from({ length: 40 }, () => call({ path: '/healthz', agent: fresh() })))
    assert.ok(results.every(({ result }) => result === 200))
    // The supervisor asks every five seconds; a busy machine may be late twice.
    await sleep(16_000)
    const killed = (await servingPids())[0]!
    process.kill(killed, 'SIGKILL')
    await until(async () => !(await servingPids()).includes(killed), 'the end of the process')
    await untilBothServe()
    assert.ok((await metric(series)) >= before + 40)
  })

  it('a reload replaces both under load, and drops no request', async () => {
    const before = await servingPids()
    const series = 'landbridge_http_request_seconds_count{method="GET",route="/healthz"'
    const counted = await metric(series)
    const loads = [startLoad('kept alive', 6), startLoad('new', 4)]
    const stopTelemetry = await startTelemetry(4)
    service.child.kill('SIGHUP')
    await until(() => countOf('"msg":"reloaded"') === 1, 'the reload', 120)
    const [kept, fresh] = await Promise.all(loads.map((stop) => stop()))
    assert.deepEqual([...kept!.keys()], [200])
    assert.deepEqual([...fresh!.keys()], [200])
    const sent = await stopTelemetry()
    assert.deepEqual([...new Set(sent.map(({ result }) => result))], [200])
    await requireStoredOnce(sent)
    const now = await servingPids()
    assert.equal(now.length, 2)
    assert.ok(now.every((pid) => !before.includes(pid)))
    assert.equal(await metric(series), counted + kept!.get(200)! + fresh!.get(200)!)
  })

  it('a new process that cannot start ends the reload, and the old ones go on', async () => {
    const before = await servingPids()
    await sql`insert into migrations (name) values ('0000_of_another_build.sql')`
    service.child.kill('SIGHUP')
    await until(() => countOf('reload ended') === 1, 'the end of the reload', 120)
    await sql`delete from migrations where name = '0000_of_another_build.sql'`
    assert.deepEqual(await servingPids(), before)
    assert.equal((await call()).result, 200)
  })

  it('SIGTERM ends all of them, with exit code 0', async () => {
    const pids = await servingPids()
    assert.equal(await service.stop(), 0)
    for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/)
  })

  it('a port that is taken is named once, and kill -9 of the supervisor leaves nothing behind', async () => {
    const again = await startService({ env })
    const other = onDatabase(await createDatabase())
    const taken = new URL(again.ready.public_url).port
    const child = spawnService({ ...other, LANDBRIDGE_PROCESSES: '2', PORT: taken })
    let output = ''
    child.stderr!.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    await once(child, 'exit')
    assert.equal(child.exitCode, 1)
    assert.match(output, /^Port \d+ is in use by another program\. [^\n]+\n$/)
    await again.kill()
    const processes = async () => {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
      const read = (pid: string, name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')
      const environments = await Promise.all(pids.map((pid) => read(pid, 'environ')))
      const commands = await Promise.all(pids.map((pid) => read(pid, 'cmdline')))
      return [...environments, ...commands].filter((text) => text.includes(dataDir)).length
    }
    await until(async () => (await processes()) === 0, 'every process gone')
  })
})
