import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, send, startScene } from '../../../../test/support/devices.ts'
import { type HistoryQuery, readHistory } from './history.ts'
import { writeHistoryCsv } from './history-csv.ts'
import { ingestAll, keyDigest } from './ingest.ts'
import { createTelemetryPipeline } from './telemetry-pipeline.ts'

const { clock, context, partner, registered, service } = await startScene()

async function readAll(deviceId: string, query: HistoryQuery): Promise<unknown[]> {
  const read: unknown[] = []
  let { after } = query
  do {
    const page = await readHistory(context, partner, deviceId, { ...query, after })
    read.push(...page.items.map(({ telemetries }) => telemetries.n))
    after = page.next ?? undefined
  } while (after)
  return read
}

async function readCsv(deviceId: string): Promise<number[]> {
  let text = ''
  for await (const part of await writeHistoryCsv(context, partner, deviceId, { keys: ['n'] })) text += part
  const lines = text.split('\r\n').slice(1, -1)
  return lines.map((line) => Number(line.split(',')[4]))
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe('decision 7.12: history is in the order of timestamp and then a sequence per device', () => {
  it('300 messages of one millisecond without ids, in pages of 10: each once, in the order of arrival', async () => {
    const device = await registered()
    await Promise.all(numbers(300).map((n) => send(service, device, online({ n }))))
    assert.deepEqual(await readAll(device.id, { limit: 10 }), numbers(300))
    assert.deepEqual(await readAll(device.id, { limit: 7, newest_first: true }), numbers(300).toReversed())
    assert.deepEqual(await readCsv(device.id), numbers(300))
  })

  it('with and without ids in any mixture, and a message that arrives between two pages shifts nothing', async () => {
    const device = await registered()
    const timestamp = clock.now().toISOString()
    // The ids sort in the opposite order of the arrivals.
    for (const n of numbers(40)) {
      await send(service, device, online({ n }, n % 3 ? { timestamp, message_id: `m${99 - n}` } : { timestamp }))
    }
    assert.deepEqual(await readAll(device.id, { limit: 3 }), numbers(40))
    const first = await readHistory(context, partner, device.id, { limit: 20, newest_first: true })
    await send(service, device, online({ n: 40 }, { timestamp, message_id: 'a0' }))
    await send(service, device, online({ n: 41 }, { timestamp: new Date(clock.now().getTime() - 1).toISOString() }))
    const rest = await readHistory(context, partner, device.id, { limit: 50, newest_first: true, after: first.next! })
    const read = [...first.items, ...rest.items].map(({ telemetries }) => telemetries.n)
    assert.deepEqual(read, [...numbers(40).toReversed(), 41])
  })

  it('many messages of one device in one mass call keep their order; a repeat gets no sequence', async () => {
    const device = await registered()
    const timestamp = clock.now().toISOString()
    const entry = (n: number) => ({
      device_id: device.id,
      key_digest: keyDigest(device.access_key),
      body: online({ n }, { timestamp, message_id: `m${99 - n}` }),
    })
    const outcomes = await ingestAll(context, [...numbers(50), 3, 3, 7].map(entry), new Set(), { large: false })
    assert.ok(outcomes!.every(({ status }) => status === 200))
    assert.deepEqual(await readAll(device.id, { limit: 4 }), numbers(50))
  })

  it('two connections that store messages of one device at once never give one sequence twice', async () => {
    const device = await registered()
    const timestamp = clock.now().toISOString()
    const metrics = { ...context.metrics, gauge: () => {} }
    const other = createTelemetryPipeline({ ...context, metrics }, context.statuses)
    const digest = keyDigest(device.access_key)
    const elsewhere = (n: number) =>
      new Promise((resolve) => {
        const message = {
          device_id: device.id,
          key_digest: digest,
          arrived_at: clock.now().getTime(),
          status: 'online',
        }
        const id = n % 2 ? `m${n % 1_000}` : null
        const at = clock.now().getTime()
        other.queue.push(
          {
            ...message,
            status: 'online',
            telemetries: `{"n":${n}}`,
            keys: 1,
            key_count: 1,
            timestamp: at,
            message_id: id,
            firmware_version: null,
            in_call: false,
          },
          resolve,
        )
      })
    try {
      await Promise.all(
        numbers(100).flatMap((n) => [
          elsewhere(1_000 + n),
          send(service, device, online({ n }, n % 2 ? { timestamp, message_id: `m${n}` } : { timestamp })),
        ]),
      )
    } finally {
      await other.close()
    }
    const read = (await readAll(device.id, { limit: 9 })) as number[]
    // Of the same id the first one is stored.
    assert.equal(read.length, 150)
    assert.equal(new Set(read).size, 150)
    const evens = read.filter((n) => n % 2 === 0)
    assert.deepEqual(
      evens.filter((n) => n < 1_000),
      evens.filter((n) => n < 1_000).toSorted((a, b) => a - b),
    )
    const [{ sequences }] = await service.sql<[{ sequences: number }]>`
      select count(distinct sequence)::int as sequences from history
      where device_number = (select number from devices where id = ${device.id})`
    assert.equal(sequences, 150)
  })

  it('?after= with a position that no page returned reads on from there; anything else is refused', async () => {
    const device = await registered()
    for (const n of numbers(3)) await send(service, device, online({ n }))
    const at = clock.now().getTime()
    assert.deepEqual(await readAll(device.id, { after: `${at}.2147483647` }), [])
    await assert.rejects(readHistory(context, partner, device.id, { after: `${at}.2147483648` }), { status: 422 })
  })
})
