import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, send, startScene } from '../../../../test/support/devices.ts'
import { runJob } from '../../platform/jobs.ts'
import { claimDevice } from '../registry/claim.ts'
import { removeDevice } from '../registry/devices.ts'
import { readHistory, readSeries, readTimelines } from './history.ts'
import { createPartitionsJob, dropPartitionsJob } from './partitions.ts'

const { clock, context, customer, customerId, model, partner, registered, service, sql, user } = await startScene()

describe('history', () => {
  it('is read by range and keys, in either order, page by page, with several messages of one instant', async () => {
    const device = await registered()
    const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000)
    for (const [other, n] of [0, 1, 1, 1, 2, 3].entries()) {
      await send(service, device, online({ n, other }, { timestamp: at(n - 10).toISOString() }))
    }
    const read = async (query: object) => {
      const seen: unknown[] = []
      let after: string | undefined
      do {
        const page = await readHistory(context, partner, device.id, { ...query, limit: 2, after })
        seen.push(...page.items.map(({ telemetries }) => telemetries.n))
        after = page.next ?? undefined
      } while (after)
      return seen
    }
    assert.deepEqual(await read({}), [0, 1, 1, 1, 2, 3])
    assert.deepEqual(await read({ newest_first: true }), [3, 2, 1, 1, 1, 0])
    assert.deepEqual(await read({ from: at(-9), to: at(-8) }), [1, 1, 1, 2])
    const { items } = await readHistory(context, partner, device.id, { keys: ['n'] })
    assert.deepEqual(items[0]!.telemetries, { n: 0 })
  })

  it('is down-sampled to minimum, maximum and average', async () => {
    const device = await registered()
    const start = clock.now().getTime() - 100_000
    for (let n = 0; n < 10; n += 1) {
      const timestamp = new Date(start + n * 10_000).toISOString()
      await send(service, device, online({ n, big: 1e308, on: n % 2 === 0, text: 'x' }, { timestamp }))
    }
    const query = {
      from: new Date(start),
      to: new Date(start + 100_000),
      keys: ['n', 'big', 'on', 'text'],
      intervals: 2,
    }
    const { series, bucket_seconds } = await readSeries(context, partner, device.id, query)
    assert.equal(bucket_seconds, 50)
    assert.deepEqual(
      series.n!.map(({ min, max, avg, count }) => [min, max, avg, count]),
      [
        [0, 4, 2, 5],
        [5, 9, 7, 5],
      ],
    )
    assert.equal(series.big![0]!.avg, 1e308)
    assert.equal(series.on![0]!.avg, 0.6)
    assert.deepEqual(series.text, [])
  })

  it('values that are no numbers are read as periods, which end at a gap; too many to draw are one without a value', async () => {
    const device = await registered()
    const start = clock.now().getTime() - 10_000_000
    const values: [number, object][] = [
      [0, { mode: 'heat', on: true }],
      [10, { mode: 'heat', on: true }],
      [20, { mode: 'cool', on: true }],
      [30, { mode: 'cool', on: false }],
      [40, { mode: 'cool', on: 0 }],
      [9_000, { mode: 'cool', on: 0, __proto: 1 }],
      [9_010, { mode: 'heat' }],
    ]
    for (const [seconds, telemetries] of values) {
      await send(service, device, online(telemetries, { timestamp: new Date(start + seconds * 1000).toISOString() }))
    }
    const range = { from: new Date(start), to: new Date(start + 10_000_000), keys: ['mode', 'on', 'none'] }
    const read = async (intervals: number) => {
      const { timelines } = await readTimelines(context, partner, device.id, { ...range, intervals })
      const seconds = (at: Date) => (at.getTime() - start) / 1000
      const lines = Object.entries(timelines).map(([key, periods]) => [
        key,
        periods.map(({ from, to, value, changes }) => [seconds(from), seconds(to), value, changes]),
      ])
      return Object.fromEntries(lines)
    }
    assert.deepEqual(await read(2_000), {
      mode: [
        [0, 20, 'heat', 1],
        [20, 40, 'cool', 1],
        [9_000, 9_010, 'cool', 1],
        [9_010, 9_010, 'heat', 1],
      ],
      on: [
        [0, 30, true, 1],
        [30, 40, false, 1],
        [40, 40, 0, 1],
        [9_000, 9_000, 0, 1],
      ],
      none: [],
    })
    const { mode } = await read(10)
    assert.deepEqual(mode, [
      [0, 40, null, 2],
      [9_000, 9_010, null, 2],
    ])
  })

  it('decision 7.62: a customer sees what arrived since its own claim; the partner sees all of it', async () => {
    const device = await registered()
    await send(service, device, online({ when: 'before' }))
    clock.forward(60)
    await claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', { ...device, model_id: model.id })
    clock.forward(60)
    const late = new Date(clock.now().getTime() - 90_000).toISOString()
    await send(service, device, online({ when: 'sent late' }, { timestamp: late }))
    await send(service, device, online({ when: 'after' }))
    const values = async (owner: Parameters<typeof readHistory>[1]) =>
      (await readHistory(context, owner, device.id, { from: new Date(0) })).items.map(
        ({ telemetries }) => telemetries.when,
      )
    assert.deepEqual(await values(customer), ['sent late', 'after'])
    assert.deepEqual(await values(partner), ['before', 'sent late', 'after'])
    // Even after the device was removed, until retention.
    await removeDevice(context, user, customer, device.id)
    assert.deepEqual(await values(customer), ['sent late', 'after'])
  })

  it('a range that ends before the claim is empty, and `from` is never later than `to`', async () => {
    const device = await registered()
    await send(service, device, online({ n: 1 }))
    clock.forward(60)
    await claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', { ...device, model_id: model.id })
    const days = (count: number) => new Date(clock.now().getTime() - count * 86_400_000)
    for (const [from, to] of [
      [days(1), days(0.5)],
      [days(20), days(10)],
    ] as const) {
      const found = await readSeries(context, customer, device.id, { from, to, keys: ['n'] })
      assert.ok(found.from <= found.to, `${found.from.toISOString()} > ${found.to.toISOString()}`)
      assert.deepEqual(found.series, { n: [] })
    }
  })

  it('partitions are created ahead and dropped by retention; a day without one loses nothing', async () => {
    const device = await registered()
    const partitions = async () =>
      (await sql`select relname from pg_class where relname ~ '^history_[0-9]{8}$' and relkind = 'r' order by 1`).map(
        ({ relname }) => relname,
      )
    assert.deepEqual(await partitions(), [])
    await send(service, device, online({ n: 1 }))
    await send(
      service,
      device,
      online({ n: 0 }, { timestamp: new Date(clock.now().getTime() - 6 * 86_400_000).toISOString() }),
    )
    await runJob(sql, createPartitionsJob(context))
    await runJob(sql, createPartitionsJob(context))
    assert.equal((await partitions()).length, 16)
    const [strays] = await sql`select count(*)::int as count from only history_default`
    assert.equal(strays!.count, 0)
    const count = async () => (await readHistory(context, partner, device.id, { from: new Date(0) })).items.length
    assert.equal(await count(), 2)
    await send(service, device, online({ n: 2 }))
    assert.equal(await count(), 3)
    clock.forward(25 * 86_400)
    await runJob(sql, dropPartitionsJob(context))
    assert.equal(await count(), 3, 'announced first: so many days were never dropped at once')
    clock.forward(3_600)
    await runJob(sql, dropPartitionsJob(context))
    assert.equal(await count(), 2)
    clock.forward(7 * 86_400)
    for (let runs = 0; runs < 2; runs += 1) {
      await runJob(sql, dropPartitionsJob(context))
      clock.forward(3_600)
    }
    assert.equal(await count(), 0)
  })
})
