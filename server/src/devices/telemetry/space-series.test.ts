import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, refused, send, startScene } from '../../../../test/support/devices.ts'
import { readSeries } from './history.ts'
import { readAggregate } from './space-series.ts'

const { clock, context, customer, customerId, claimed, newSpace, service } = await startScene()
const space = await newSpace(customerId)
const device = await claimed({ space_id: space })
const at = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000)

/** Sent after the claim, as by a device that recorded while nobody could take it: decision 7.62. */
async function sendPast(minutes: number, power: number): Promise<void> {
  const timestamp = at(minutes).toISOString()
  assert.equal((await send(service, device, online({ power }, { timestamp }))).status, 200)
}

await sendPast(-48 * 60, 1)
await sendPast(-30, 2)
await sendPast(0, 3)

const chart = (range: { from?: Date; to?: Date; intervals?: number }) =>
  readAggregate(context, customerId, [space], { key: 'power', ...range })
const values = async (range: Parameters<typeof chart>[0]) => (await chart(range)).series.map(({ max }) => max)

describe('a data point over the devices of a space: its range', () => {
  it('from is the first instant that counts, and to the first that does not', async () => {
    assert.deepEqual(await values({ from: at(-30), to: at(0) }), [2])
    assert.deepEqual(await values({ from: at(-30), to: at(1) }), [2, 3])
    assert.deepEqual(await values({ from: at(-29), to: at(0) }), [])
    assert.deepEqual(await values({ from: at(-48 * 60), to: at(1) }), [1, 2, 3], 'what was measured before the claim')
    assert.deepEqual(await values({}), [2], 'the last day, if nothing is said')
  })

  it('from may be to, and is then empty; later than to it is refused: as in a chart of one device', async () => {
    assert.deepEqual((await chart({ from: at(0), to: at(0) })).series, [])
    const query = { keys: ['power'], from: at(0), to: at(0) }
    assert.deepEqual((await readSeries(context, customer, device.id, query)).series.power ?? [], [])
    const late = { from: new Date(at(0).getTime() + 1), to: at(0) }
    const refusals = [
      await refused(chart(late)),
      await refused(readSeries(context, customer, device.id, { ...query, ...late })),
    ]
    for (const { status, details } of refusals) {
      assert.deepEqual([status, details], [422, [{ field: 'from', message: 'must not be later than to' }]])
    }
  })

  // Found by fuzzing, seed 2910.
  it('a century, and all of time, are ranges: as in a chart of one device', async () => {
    const ranges = [
      { from: new Date('1890-08-30T05:21:03.551Z') },
      { from: new Date('0001-01-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59.999Z') },
    ]
    for (const range of ranges) {
      for (const intervals of [1, 96, 200]) {
        const { series } = await chart({ ...range, intervals })
        assert.ok(series.length > 0 && series.every(({ max }) => max >= 2), JSON.stringify(series))
      }
      const query = { keys: ['power'], ...range }
      assert.ok((await readSeries(context, customer, device.id, query)).series.power!.length > 0)
    }
  })

  it('a range shorter than a second has one interval', async () => {
    const { bucket_seconds, series } = await chart({ from: at(0), to: new Date(at(0).getTime() + 1), intervals: 200 })
    assert.deepEqual([bucket_seconds, series.map(({ at: start, sum }) => [start, sum])], [1, [[at(0), 3]]])
  })
})
