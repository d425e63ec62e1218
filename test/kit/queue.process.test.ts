// An outbox whose process is killed loses nothing: with every queue that promises it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, it } from 'node:test'
import { fileQueue } from '../../client/src/file-queue.ts'
import { DeviceModel, memoryQueue, type OutboxQueue, TelemetryOutbox } from '../../client/src/index.ts'
import { sqliteQueue } from '../../client/src/sqlite-queue.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { until } from '../support/until.ts'

const { service, url } = await startKitService()
const model = await newModel(service)
const folder = await mkdtemp(join(tmpdir(), 'landbridge-queue-'))
after(() => rm(folder, { recursive: true, force: true }))

const kit = new DeviceModel({ entryUrl: url, modelId: model.id, hardwareKey: model.hardware_key })
const message = (n: number) => ({
  device: { id: 'd', access_key: 'k', hub_url: 'h' },
  telemetry: { status: 'online' as const, telemetries: { n } },
})

const durable: Record<string, { module: string; name: string; open(path: string): Promise<OutboxQueue> }> = {
  file: { module: 'file-queue', name: 'fileQueue', open: fileQueue },
  sqlite: { module: 'sqlite-queue', name: 'sqliteQueue', open: async (path) => sqliteQueue(path) },
}

describe('partner kit: queues', () => {
  for (const [kind, open] of Object.entries({
    memory: async () => memoryQueue(),
    file: () => fileQueue(join(folder, 'order')),
    sqlite: async () => sqliteQueue(join(folder, 'order.sqlite')),
  })) {
    it(`${kind}: first in, first out; what is removed is gone, wherever it stood`, async () => {
      const queue = await open()
      await Promise.all(Array.from({ length: 12_000 }, (_, n) => queue.push(message(n))))
      const numbers = async (count: number) =>
        (await queue.oldest(count)).map(({ telemetry }) => telemetry.telemetries.n)
      assert.deepEqual(await numbers(3), [0, 1, 2])
      const oldest = await queue.oldest(8_000)
      await queue.remove(oldest.filter((_, index) => index !== 1).map(({ key }) => key))
      assert.deepEqual(await numbers(3), [1, 8_000, 8_001])
      assert.equal(queue.size, 4_001)
      await queue.remove((await queue.oldest(5_000)).map(({ key }) => key))
      assert.deepEqual([queue.size, await numbers(1)], [0, []])
      // Each in the same moment in which the one before is told that it is kept.
      for (const n of [7, 8, 9]) await queue.push(message(n))
      assert.deepEqual(await numbers(9), [7, 8, 9])
      await queue.close()
      await assert.rejects(queue.push(message(8)), { code: 'closed' })
    })
  }

  for (const [kind, { module, name, open }] of Object.entries(durable)) {
    it(`${kind}: a process that is killed leaves every message it was told is kept, and the next one sends them`, async () => {
      const device = await kit.register({ mac: newMac(), sn: newMac(), firmware_version: '1.0.0' })
      const path = join(folder, `killed-${kind}`)
      const script = `
        import { ${name} } from ${JSON.stringify(new URL(`../../client/src/${module}.ts`, import.meta.url).href)}
        import { DeviceModel, TelemetryOutbox } from ${JSON.stringify(new URL('../../client/src/index.ts', import.meta.url).href)}
        const dead = async () => { throw new Error('down') }
        const model = new DeviceModel({ entryUrl: '${url}', modelId: 'm', hardwareKey: 'k', fetch: dead })
        const outbox = new TelemetryOutbox(model, { queue: await ${name}(${JSON.stringify(path)}) })
        for (let n = 0; ; n += 1) {
          await outbox.add(${JSON.stringify(device)}, { status: 'online', telemetries: { n } })
          console.log(n)
        }`
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      )
      let kept = 0
      for await (const line of createInterface(child.stdout)) {
        kept = Number(line) + 1
        if (kept === 50) child.kill('SIGKILL')
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      assert.ok(kept >= 50, String(kept))
      const outbox = new TelemetryOutbox(kit, { queue: await open(path) })
      assert.ok(outbox.waiting >= kept, `${outbox.waiting} of ${kept}`)
      await outbox.flushed()
      await outbox.stop()
      const [row] = await service.sql`
        select count(distinct telemetries ->> 'n')::int as different, count(*)::int as all
        from history where device_number = (select number from devices where id = ${device.id})
          and (telemetries ->> 'n')::int < ${kept}`
      assert.deepEqual(row, { different: kept, all: kept })
    })
  }

  it('file: half a line after a power cut is cut off, only its owner can read it, and one process uses it', async () => {
    const path = join(folder, 'torn')
    const queue = await fileQueue(path)
    await assert.rejects(fileQueue(path), /used by another process/)
    await queue.push(message(1))
    await queue.close()
    const [name] = (await readdir(path)).filter((each) => each.endsWith('.jsonl'))
    assert.equal((await stat(join(path, name!))).mode & 0o077, 0)
    await appendFile(join(path, name!), '{"device":')
    const again = await fileQueue(path)
    assert.equal(again.size, 1)
    await again.push(message(2))
    assert.deepEqual(
      (await again.oldest(9)).map(({ telemetry }) => telemetry.telemetries.n),
      [1, 2],
    )
    await again.close()
  })

  it('file: a lock of a process that was killed is broken by one only, and a live one is not, whatever its number', async () => {
    const path = join(folder, 'locked')
    await mkdir(path)
    const long = new Date(Date.now() - 60_000)
    // A number that another process has by now, as after a restart of the machine.
    await writeFile(join(path, 'lock'), `${process.ppid} former ${hostname()}`)
    await utimes(join(path, 'lock'), long, long)
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => fileQueue(path)))
    const queues = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.equal(queues.length, 1)
    // Broken by another because this process stood still: its lock is not ours to delete.
    await writeFile(join(path, 'lock'), 'another')
    await queues[0]!.close()
    assert.equal(await readFile(join(path, 'lock'), 'utf8'), 'another')
  })

  it('file: what was delivered makes room even where nothing can be written, as on a full disk', async () => {
    const path = join(folder, 'full')
    const queue = await fileQueue(path)
    await Promise.all(Array.from({ length: 11_000 }, (_, n) => queue.push(message(n))))
    // In its way, so that the position cannot be written.
    await mkdir(join(path, 'position.new'))
    await queue.remove((await queue.oldest(10_500)).map(({ key }) => key))
    assert.equal((await readdir(path)).filter((name) => name.endsWith('.jsonl')).length, 1)
    assert.equal(queue.size, 500)
    await queue.close()
  })

  it('a queue that fails once while it is full: the message is kept, the fault reported, and the next one drops again', async () => {
    const queue = memoryQueue()
    let faults = 1
    const remove = async (keys: number[]) => {
      if (faults-- > 0) throw new Error('disk')
      await queue.remove(keys)
    }
    const errors: string[] = []
    const outbox = new TelemetryOutbox(unreachable(), {
      queue: {
        ...queue,
        get size() {
          return queue.size
        },
        remove,
      },
      max: 2,
      onError: (error) => errors.push((error as Error).message),
    })
    for (let n = 0; n < 5; n += 1) await outbox.add(message(n).device, message(n).telemetry)
    assert.ok(errors.includes('disk'))
    assert.equal(outbox.waiting, 2)
    await outbox.stop()
  })

  it('many who wait for room come in one by one; a response without results takes nothing out of the queue', async () => {
    let taken = false
    const results = () => (taken ? [{ id: 'd', status: 200 }] : [])
    const fetch = async () => Response.json({ results: results() })
    const model = new DeviceModel({ ...unreachable().options, fetch })
    const errors: unknown[] = []
    const outbox = new TelemetryOutbox(model, { max: 1, whenFull: 'wait', onError: (error) => errors.push(error) })
    let most = 0
    const adding = Array.from({ length: 10 }, async (_, n) => {
      await outbox.add(message(n).device, message(n).telemetry)
      most = Math.max(most, outbox.waiting)
    })
    await until(() => errors.length > 0, 'a response without results')
    assert.equal(outbox.waiting, 1)
    taken = true
    await Promise.all(adding)
    await outbox.flushed()
    assert.deepEqual([most, outbox.waiting], [1, 0])
    await outbox.stop()
  })
})

const unreachable = () =>
  new DeviceModel({
    entryUrl: url,
    modelId: 'm',
    hardwareKey: 'k',
    backoff: { attempts: 1, firstDelayMs: 1, longestDelayMs: 5 },
    fetch: async () => {
      throw new Error('down')
    },
  })
