// `npm run bench:commands [-- --quick]`: what commands to devices cost, and how soon devices have them. Two processes on
// one database: commands are created on one, and devices are connected to the other.
import { request } from 'node:http'
import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IPublishPacket } from 'mqtt-packet'
import { openDatabase } from '../server/src/platform/database/database.ts'
import type { Pool } from '../server/src/platform/database/sql.ts'
import { commandLimits } from '../server/src/platform/own-limits.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { WireDevice } from '../test/support/mqtt.ts'
import { collectingFlags, heldMemory, startBareServer } from './commands/held-memory.ts'
import { createFleet, type FleetDevice } from './devices/fleet.ts'
import {
  type BenchPostgres,
  median,
  portOf,
  type RunningService,
  spreadOf,
  startBenchPostgres,
  startService,
} from './environment.ts'
import { toMegabytes } from './memory.ts'
import { type Row, runAlone } from './table.ts'

const size = 10_000
const perSecond = 200
/** As many as may wait for a device. */
const perDevice = commandLimits.waitingPerDevice

export async function measure(quick: boolean): Promise<Row[]> {
  const postgres = await startBenchPostgres()
  const url = await postgres.createDatabase()
  const fleet = await createFleet(url, size)
  const sql = openDatabase({ url, max: 2, statementSeconds: 3_600 })
  const key = await prepare(sql)
  const [creating, serving] = await Promise.all([startService(url), startService(url, collectingFlags)])
  // First those that wait: a thousand connections that end keep both processes busy for a while.
  const rows = await polled(sql, creating, serving, key, quick ? fleet.slice(0, 2_000) : fleet, quick)
  await sql`delete from device_commands`
  await sql`update device_states set has_command = false`
  rows.push(await pushed(creating, serving, key, fleet.slice(0, quick ? 200 : 1_000), quick ? 3 : 10))
  await sql.end()
  await Promise.all([creating.stop(), serving.stop()])
  rows.push(await longQueue(postgres, quick ? 100_000 : 1_000_000))
  await postgres.stop()
  return rows
}

/** All devices belong to one customer with an API key that may command them, and the model declares a command. */
async function prepare(sql: Pool): Promise<string> {
  const [customerId, key] = [newId(), mintSecret('api_key')]
  await sql`insert into customers (id, partner_id, name, created_at) select ${customerId}, id, 'Customer', now() from partners`
  await sql`update devices set customer_id = ${customerId}, name = sn, claimed_at = now()`
  await sql`update device_states set customer_id = ${customerId}`
  await sql`update models set commands = ${JSON.stringify([{ name: 'identify' }])}::jsonb`
  const permissions = { devices: 'command', spaces: 'none', people: 'none', audit: 'none' }
  await sql`insert into api_keys ${sql({
    ...{ id: newId(), name: 'bench', customer_id: customerId, permissions: JSON.stringify(permissions) },
    ...{ digest: digest(key), hint: hint(key), created_at: new Date() },
  })}`
  await sql`vacuum analyze`
  return key
}

async function create(service: RunningService, key: string, path: string, body: object): Promise<void> {
  const payload = JSON.stringify(body)
  const headers = {
    authorization: key,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
  }
  await new Promise<void>((resolve, reject) => {
    const call = request(`${service.url}/core/v1/organization${path}`, { method: 'POST', headers }, (response) => {
      const text: Buffer[] = []
      response.on('data', (bytes) => text.push(bytes))
      response.on('end', () => {
        if (response.statusCode === 202) resolve()
        else reject(new Error(`${response.statusCode} ${Buffer.concat(text).toString().slice(0, 200)}`))
      })
    })
    call.on('error', reject)
    call.end(payload)
  })
}

/** From the POST on one process until the device on the other has the command, at a fixed rate. */
async function pushed(
  creating: RunningService,
  serving: RunningService,
  key: string,
  devices: FleetDevice[],
  seconds: number,
): Promise<Row> {
  const sentAt = new Map<string, number>()
  const times: number[] = []
  const port = portOf(serving.mqttUrl)
  const wires: WireDevice[] = []
  for (let from = 0; from < devices.length; from += 50) {
    const some = await Promise.all(
      devices.slice(from, from + 50).map((device) => subscribed(port, device, sentAt, times)),
    )
    wires.push(...some)
  }
  const send = async (commands: number) => {
    times.length = 0
    const began = performance.now()
    const created: Promise<void>[] = []
    for (let sent = 0; sent < commands; sent += 1) {
      const due = began + (sent / perSecond) * 1000
      if (due > performance.now()) await sleep(due - performance.now())
      const device = devices[sent % devices.length]!
      sentAt.set(device.id, performance.now())
      created.push(create(creating, key, `/devices/${device.id}/commands`, { name: 'identify' }))
    }
    await Promise.all(created)
    for (let waited = 0; times.length < commands && waited < 10_000; waited += 50) await sleep(50)
    if (times.length < commands) throw new Error(`${commands - times.length} commands did not arrive`)
  }
  // Until its code is compiled, a process takes several times as long.
  await send(perSecond * 3)
  await send(perSecond * seconds)
  for (const { socket } of wires) socket.destroy()
  const sorted = times.toSorted((one, other) => one - other)
  const [p50, p99] = [median(sorted), sorted[Math.floor(sorted.length * 0.99)]!]
  return {
    what: `commands, ${perSecond}/s, from POST to an MQTT device on another process: p99`,
    ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    peer: 'limit: 300 ms',
    ratio: p99 / 300,
    bar: 1,
    better: 'lower',
    spread: '–',
  }
}

async function subscribed(port: number, device: FleetDevice, sentAt: Map<string, number>, times: number[]) {
  const wire = new WireDevice(port, 5)
  await wire.connect(device)
  const topic = `v1/devices/${device.id}/command`
  wire.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 1 }] })
  await wire.next()
  const receive = async () => {
    for (let packet = await wire.next(600); packet !== 'closed'; packet = await wire.next(600)) {
      if (packet.cmd !== 'publish') continue
      times.push(performance.now() - sentAt.get(device.id)!)
      const { payload, messageId } = packet as IPublishPacket
      wire.send({ cmd: 'puback', messageId: messageId! })
      const id = JSON.parse(String(payload)).id
      const report = { topic: `${topic}/${id}`, payload: '{"status":"done"}', qos: 1, messageId: 2 } as const
      wire.send({ cmd: 'publish', dup: false, retain: false, ...report })
    }
  }
  void receive()
  return wire
}

/** Devices that wait for a command over HTTP: what they cost while nothing happens, and until all have one. */
async function polled(
  sql: Pool,
  creating: RunningService,
  serving: RunningService,
  key: string,
  devices: FleetDevice[],
  quick: boolean,
): Promise<Row[]> {
  const bare = await startBareServer()
  const { polls: held, memory: ofConnections } = await hold(bare, devices)
  for (const { socket } of held) socket.destroy()
  await bare.stop()
  let idle = 0
  const server = { pid: serving.child.pid!, port: portOf(serving.url) }
  const { polls, memory } = await hold(server, devices, async () => {
    idle = await afterTheRest(sql)
  })
  // Longer than a poll waits, so that all come again.
  const waiting = await statementsPerSecond(sql, quick ? 30 : 60)
  const began = performance.now()
  const calls: Promise<void>[] = []
  for (let from = 0; from < devices.length; from += 1_000) {
    const device_ids = devices.slice(from, from + 1_000).map(({ id }) => id)
    calls.push(create(creating, key, '/devices/commands', { device_ids, name: 'identify' }))
  }
  await Promise.all(calls)
  const responses = await Promise.all(polls.map(({ response }) => response))
  const took = performance.now() - began
  for (const { socket } of polls) socket.destroy()
  const missed = responses.filter((text) => !text.startsWith('HTTP/1.1 200')).length
  if (missed > 0) throw new Error(`${missed} devices were not told`)
  const count = devices.length.toLocaleString('en')
  const row = (what: string, ours: string, peer: string, ratio: number): Row => ({
    ...{ what, ours, peer, ratio, bar: 1, better: 'lower', spread: '–' },
  })
  const statements = waiting - idle
  return [
    row(
      `memory of ${count} long polls on one process, beyond that of their connections`,
      `${toMegabytes(memory - ofConnections)} (${toMegabytes(memory)}; Node's own HTTP server: ${toMegabytes(ofConnections)})`,
      'limit: 100 MB',
      (memory - ofConnections) / (100 * 1024 * 1024),
    ),
    row(
      `transactions/s of ${count} long polls, again and again, while nothing happens`,
      `${statements.toFixed(1)} (both processes without polls: ${idle.toFixed(1)})`,
      'limit: 2',
      Math.max(0, statements) / 2,
    ),
    row(
      `a command to ${count} devices until all have it`,
      `${(took / 1000).toFixed(1)} s`,
      'limit: 15 s',
      took / 15_000,
    ),
  ]
}

interface Polls {
  polls: { response: Promise<string>; socket: Socket }[]
  /** What they hold. */
  memory: number
}

async function hold(
  { pid, port }: { pid: number; port: number },
  devices: FleetDevice[],
  beforeThey: () => Promise<void> = async () => {},
): Promise<Polls> {
  // A process that has served before has compiled its code: that is no memory of the polls.
  await inSlices(devices, async (some) => {
    const short = some.map((device) => poll(port, device, 0))
    await Promise.all(short.map(({ response }) => response))
    for (const { socket } of short) socket.destroy()
  })
  await beforeThey()
  const before = await heldMemory(pid)
  const polls: Polls['polls'] = []
  await inSlices(devices, async (some) => {
    polls.push(...some.map((device) => poll(port, device, 25)))
    await sleep(20)
  })
  await sleep(3_000)
  return { polls, memory: (await heldMemory(pid)) - before }
}

async function inSlices(devices: FleetDevice[], work: (some: FleetDevice[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < devices.length; from += 200) await work(devices.slice(from, from + 200))
}

/** One that waits polls again and again, until it gets something. */
function poll(port: number, { id, access_key }: FleetDevice, wait: number) {
  const socket = connectTcp({ port, host: '127.0.0.1' })
  const { promise: response, resolve } = Promise.withResolvers<string>()
  socket.on('data', (bytes) => {
    const text = bytes.toString('latin1')
    if (wait > 0 && text.startsWith('HTTP/1.1 204')) send()
    else resolve(text)
  })
  socket.on('error', (error) => resolve(String(error)))
  socket.on('close', () => resolve('closed'))
  const send = () => {
    const head = `GET /v1/devices/${id}/command?wait=${wait} HTTP/1.1\r\nhost: localhost\r\n`
    socket.write(`${head}authorization: ${access_key}\r\n\r\n`)
  }
  send()
  return { response, socket }
}

/** Without the two that ask for it. */
async function statementsPerSecond(sql: Pool, seconds: number): Promise<number> {
  const committed = async () => {
    const [row] = await sql<[{ count: number }]>`
      select xact_commit::float8 as count from pg_stat_database where datname = current_database()`
    return row.count
  }
  const before = await committed()
  await sleep(seconds * 1000)
  return ((await committed()) - before - 1) / seconds
}

/** What a process writes after requests, as when it was used last, goes on for a while: until it no longer falls. */
async function afterTheRest(sql: Pool): Promise<number> {
  let rate = Number.POSITIVE_INFINITY
  for (let windows = 0; windows < 12; windows += 1) {
    const next = await statementsPerSecond(sql, 5)
    if (next >= rate) return rate
    rate = next
  }
  return rate
}

interface Queue {
  service: RunningService
  fleet: FleetDevice[]
  stop: () => Promise<void>
}

/** A poll of a device with one command, in turns in a table with few commands and in one with many. */
async function longQueue(postgres: BenchPostgres, commands: number): Promise<Row> {
  const [few, many] = [await queue(postgres, size, 1), await queue(postgres, commands / perDevice, perDevice)]
  const [devicesPerTurn, warmUp] = [100, 5]
  const ratios: number[] = []
  const times: Record<'few' | 'many', number[]> = { few: [], many: [] }
  for (let turn = 0; turn < Math.min(size, commands / perDevice) / devicesPerTurn; turn += 1) {
    const from = turn * devicesPerTurn
    const turnOf = ({ service, fleet }: Queue) => pollTimes(service, fleet.slice(from, from + devicesPerTurn))
    const of = { few: await turnOf(few), many: await turnOf(many) }
    if (turn < warmUp) continue
    times.few.push(...of.few)
    times.many.push(...of.many)
    ratios.push(median(of.many) / median(of.few))
  }
  await Promise.all([few.stop(), many.stop()])
  return {
    what: `a poll with ${commands.toLocaleString('en')} commands in the queue, beside ${size.toLocaleString('en')}`,
    ours: `p50 ${median(times.many).toFixed(2)} ms`,
    peer: `p50 ${median(times.few).toFixed(2)} ms`,
    ratio: median(ratios),
    bar: 1.25,
    better: 'lower',
    spread: spreadOf(ratios),
  }
}

/** A service with as many commands for each of its devices. */
async function queue(postgres: BenchPostgres, devices: number, commands: number): Promise<Queue> {
  const url = await postgres.createDatabase()
  const fleet = await createFleet(url, devices)
  const sql = openDatabase({ url, max: 1, statementSeconds: 3_600 })
  await prepare(sql)
  await fill(sql, commands)
  await sql`vacuum analyze device_commands, device_states`
  await sql.end()
  const service = await startService(url)
  return { service, fleet, stop: () => service.stop() }
}

/** So many commands for every device, all of which wait. */
async function fill(sql: Pool, commands: number): Promise<void> {
  await sql`
    insert into device_commands (bucket, device_id, number, id, partner_id, customer_id, name, state, head, source,
      created_at, expires_at, timeout_seconds, due_at)
    select device_bucket(device.id), device.id, nth,
      (left(gen_random_uuid()::text, 24) || right(device.id::text, 12))::uuid, device.partner_id, device.customer_id,
      'identify', 'queued', nth = 1, 'api_key', now(), now() + interval '1 day',
      300, now() + interval '1 day'
    from devices device cross join generate_series(1, ${commands}::int) as nth`
  await sql`update device_states set has_command = true, command_number = ${commands}`
}

async function pollTimes(serving: RunningService, devices: FleetDevice[]): Promise<number[]> {
  const times: number[] = []
  for (const { id, access_key } of devices) {
    const began = performance.now()
    const response = await fetch(`${serving.url}/v1/devices/${id}/command`, { headers: { authorization: access_key } })
    await response.text()
    if (response.status !== 200) throw new Error(`${response.status}`)
    times.push(performance.now() - began)
  }
  return times
}

if (import.meta.main) await runAlone(measure)
