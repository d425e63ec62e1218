import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { online, startScene } from '../../../../test/support/devices.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { removeFolder } from '../../../../test/support/remove-folder.ts'
import { until } from '../../../../test/support/until.ts'
import { createMetrics } from '../../platform/metrics.ts'
import { bucketOf } from '../bucket.ts'
import { laneOf, lockState } from '../telemetry-store/telemetry-store.ts'
import { ingest, ingestAll, keyDigest } from './ingest.ts'
import { MessageCounters } from './message-counters.ts'
import { createTelemetryPipeline } from './telemetry-pipeline.ts'

const { clock, context, registered, sql } = await startScene()
const folder = await mkdtemp(join(tmpdir(), 'landbridge-hand-over-'))
after(() => removeFolder(folder))

/** A process of a cell; `writer.name` is the one that stores for all. */
function startProcess(name: string, writer: { name: string | null }) {
  const path = (one: string) => join(folder, `${one}.sock`)
  const metrics = createMetrics()
  const messageCounters = new MessageCounters(metrics.registry)
  const handOver = { own: path(name), writer: () => (writer.name === null ? null : path(writer.name)) }
  const base = { ...context, metrics, messageCounters, siblings: { ...context.siblings, handOver } }
  const telemetry = createTelemetryPipeline(base, context.statuses)
  return {
    ...base,
    telemetry,
    statements: () => messageCounters.batchSizes.counts.reduce((sum, count) => sum + count, 0),
  }
}

type Device = Awaited<ReturnType<typeof registered>>
type Process = ReturnType<typeof startProcess>

const message = ({ id, access_key }: Device, telemetries: object, more: object = {}) => ({
  device_id: id,
  key_digest: keyDigest(access_key),
  body: online(telemetries, more),
})

/** Until the first connection is open, a process stores its messages itself. */
async function untilHandingOver(process: Process, device: Device): Promise<void> {
  await until(async () => {
    const before = process.statements()
    assert.equal((await ingest(process, message(device, { warm: 1 }))).status, 200)
    return process.statements() === before
  }, 'a message is handed over')
}

async function stored({ id }: Device): Promise<number[]> {
  const rows = await sql<{ n: number }[]>`
    select (telemetries ->> 'n')::int as n from history
    where device_number = (select number from device_states where device_id = ${id}) and telemetries ->> 'n' is not null
    order by sequence`
  return rows.map(({ n }) => n)
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('decision 9.17: processes of a cell hand their messages to one writer', () => {
  it('whose statements have the messages of all, and each caller gets its own outcome', async () => {
    const writer = { name: 'a' }
    const processes = ['a', 'b', 'c'].map((name) => startProcess(name, writer))
    const [a, b, c] = processes as [Process, Process, Process]
    const devices = await Promise.all(numbers(30).map(registered))
    for (const sender of [b, c]) await untilHandingOver(sender, devices[0]!)
    const [ofA, ofB, ofC] = processes.map(({ statements }) => statements())
    const outcomes = await Promise.all(devices.map((device, n) => ingest(processes[n % 3]!, message(device, { n }))))
    assert.ok(outcomes.every(({ status }) => status === 200))
    assert.deepEqual([b.statements(), c.statements()], [ofB, ofC])
    const lanes = new Set(devices.map(({ id }) => laneOf(sql, bucketOf(id)))).size
    assert.ok(a.statements() - ofA! <= 3 * lanes, `${a.statements() - ofA!} statements`)
    const [device] = devices
    const wrong = { ...message(device!, { n: 1 }), key_digest: keyDigest('wrong') }
    const mixed = await ingestAll(b, [message(device!, { n: 7 }), wrong], new Set(), { large: false })
    assert.deepEqual(
      mixed!.map(({ status }) => status),
      [200, 401],
    )
    assert.deepEqual(await stored(device!), [0, 7])
    for (const process of processes.toReversed()) await process.telemetry.close()
  })

  it('a device keeps its order while the writer changes, also when a writer leaves', async () => {
    const writer: { name: string | null } = { name: 'd' }
    const [d, e, f] = ['d', 'e', 'f'].map((name) => startProcess(name, writer)) as [Process, Process, Process]
    const device = await registered()
    for (const sender of [e, f]) await untilHandingOver(sender, device)
    const timestamp = clock.now().toISOString()
    const sent: Promise<{ status: number }>[] = []
    for (const n of numbers(300)) {
      sent.push(ingest(f, message(device, { n }, { timestamp })))
      if (n % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (n === 50) writer.name = 'e'
      if (n === 150) writer.name = null
      if (n === 200) writer.name = 'e'
      if (n === 100) sent.push(d.telemetry.close().then(() => ({ status: 200 })))
    }
    assert.ok((await Promise.all(sent)).every(({ status }) => status === 200))
    assert.deepEqual(await stored(device), numbers(300))
    assert.ok(e.statements() > 0)
    for (const process of [f, e]) await process.telemetry.close()
  })

  it('a writer that is asked to leave stores what it was sent before it closes', async () => {
    const writer = { name: 'g' }
    const [g, h] = ['g', 'h'].map((name) => startProcess(name, writer)) as [Process, Process]
    const device = await registered()
    await untilHandingOver(h, device)
    const release = await holdLocks(sql, (hold) => lockState(hold, device.id))
    const outcome = ingest(h, message(device, { n: 1 }))
    await untilWaiting(sql)
    const closed = g.telemetry.close()
    await release()
    assert.equal((await outcome).status, 200)
    await closed
    assert.equal((await ingest(h, message(device, { n: 2 }))).status, 200)
    assert.deepEqual(await stored(device), [1, 2])
    await h.telemetry.close()
  })

  it('a writer that is lost: what has a message id is stored once, of the rest nobody knows, and nothing waits', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const writer = { name: 'i' }
    const sockets: Socket[] = []
    let received = ''
    // As the kernel goes on for a process that was stopped after it said hello.
    const stopped = createServer((socket) => {
      sockets.push(socket)
      socket.write('{"kind":"hello","version":1}\n')
      socket.on('data', (data) => {
        received += data
      })
    }).listen(join(folder, 'i.sock'))
    await once(stopped, 'listening')
    const j = startProcess('j', writer)
    const device = await registered()
    const other = await registered()
    let [known, unknown]: Promise<{ status: number }>[] = []
    await until(async () => {
      if (sockets.length === 0) assert.equal((await ingest(j, message(device, { n: 0 }))).status, 200)
      return sockets.length > 0
    }, 'a connection')
    await until(async () => {
      known ??= ingest(j, message(device, { n: 1 }, { timestamp: clock.now().toISOString(), message_id: 'one' }))
      return received.includes('one')
    }, 'a message handed over')
    unknown = ingest(j, message(other, { n: 2 }))
    await until(() => received.split('\n').length === 3, 'two frames')
    t.mock.timers.tick(5_000)
    assert.deepEqual([(await known!).status, (await unknown).status], [200, 503])
    assert.deepEqual([await stored(device), await stored(other)], [[0, 1], []])
    // The next ones are stored here.
    assert.equal((await ingest(j, message(other, { n: 3 }))).status, 200)
    for (const socket of sockets) socket.destroy()
    stopped.close()
    await j.telemetry.close()
  })
})
