import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, send, startScene } from '../../../../test/support/devices.ts'
import { getDevice } from '../registry/devices.ts'
import { replaceDictionary } from '../registry/dictionary.ts'
import { suggestDictionary } from '../registry/dictionary-suggestions.ts'
import { readHistory, readSeries, readTimelines } from './history.ts'
import { writeHistoryCsv } from './history-csv.ts'
import { listDataPoints, readAggregate } from './space-series.ts'

const scene = await startScene()
const { claimed, clock, context, customer, customerId, model, newSpace, partner, service } = scene
type Device = Awaited<ReturnType<typeof claimed>>

const whole = { override: true }

async function say(device: Device, telemetries: object, more: object = {}): Promise<void> {
  const { status, body } = await send(service, device, online(telemetries, more))
  assert.equal(status, 200, JSON.stringify(body))
  clock.forward(1)
}

describe('readers of removed data points', () => {
  const text = async (device: Device, query: object = {}) => {
    const csv = await writeHistoryCsv(context, customer, device.id, query)
    const lines = (await Array.fromAsync(csv)).join('').trim().split('\r\n')
    return lines.map((line) => line.split(',').slice(3))
  }

  it('the history has null and override as they were sent, and the export every data point of its range', async () => {
    const device = await claimed()
    await say(device, { a: 1, b: 2 })
    await say(device, { a: null })
    await say(device, { c: 3 }, whole)
    const { items } = await readHistory(context, customer, device.id, {})
    assert.deepEqual(
      items.map(({ telemetries, override }) => [telemetries, override]),
      [
        [{ a: 1, b: 2 }, undefined],
        [{ a: null }, undefined],
        [{ c: 3 }, true],
      ],
    )
    assert.deepEqual(await text(device), [
      ['status', 'a', 'b', 'c'],
      ['online', '1', '2', ''],
      ['online', '', '', ''],
      ['online', '', '', '3'],
    ])
  })

  it('charts leave null out, and the period of a value ends with its removal', async () => {
    const device = await claimed()
    const from = clock.now()
    await say(device, { n: 4, mode: 'heat' })
    clock.forward(9)
    await say(device, { n: null, mode: null })
    clock.forward(9)
    await say(device, { n: 6, mode: 'cool' })
    clock.forward(9)
    await say(device, { n: 8 }, whole)
    clock.forward(9)
    await say(device, { n: 8, mode: 'heat' })
    const query = { from, to: clock.now(), keys: ['n', 'mode'] }
    const { series } = await readSeries(context, customer, device.id, { ...query, intervals: 1 })
    assert.deepEqual(
      series.n!.map(({ min, max, count }) => [min, max, count]),
      [[4, 8, 4]],
    )
    const { timelines } = await readTimelines(context, customer, device.id, query)
    const seconds = (at: Date) => (at.getTime() - from.getTime()) / 1_000
    assert.deepEqual(
      timelines.mode!.map((period) => [seconds(period.from), seconds(period.to), period.value]),
      [
        [0, 10, 'heat'],
        [20, 30, 'cool'],
        [40, 40, 'heat'],
      ],
    )
  })

  it('a space offers and suggests only what is there, and its chart still has the past', async () => {
    const space = await newSpace(customerId)
    const device = await claimed({ space_id: space })
    const from = clock.now()
    await say(device, { kept: 1, gone: 2, on: true })
    await say(device, { gone: null })
    await say(device, { kept: 3 }, whole)
    const { items } = await listDataPoints(context, customerId, [space])
    assert.deepEqual(
      items.map(({ key }) => key),
      ['kept'],
    )
    for (const [key, expected] of [
      ['gone', [2]],
      ['on', [1]],
      ['kept', [3]],
    ] as const) {
      const range = { key, from, to: clock.now(), intervals: 1 }
      const { series } = await readAggregate(context, customerId, [space], range)
      assert.deepEqual(
        series.map(({ max }) => max),
        expected,
        key,
      )
    }
    await say(device, { extra: 'x' })
    const { items: after } = await listDataPoints(context, customerId, [space])
    assert.deepEqual(
      after.map(({ key }) => key),
      ['kept'],
    )
    const suggested = JSON.stringify(await suggestDictionary(context, partner.partner_id, model.id))
    assert.match(suggested, /"kept"/)
    assert.doesNotMatch(suggested, /"gone"|"on"|"key":""/)
  })

  it('an alarm ends when its data point is removed, and begins again later', async () => {
    const data_points = [{ key: 'leak', type: 'boolean' as const, values: [{ value: true, alarm: true }] }]
    await replaceDictionary(context, { kind: 'operator' }, model.partner_id, model.id, { data_points })
    for (const removal of [{ telemetries: { leak: null } }, { telemetries: { n: 1 }, override: true }]) {
      const device = await claimed()
      await say(device, { leak: true })
      const alarmOf = async () => (await getDevice(context, customer, device.id)).alarm
      assert.equal((await alarmOf())?.key, 'leak')
      clock.forward(60)
      await say(device, removal.telemetries, 'override' in removal ? whole : {})
      assert.equal(await alarmOf(), null)
      await say(device, { other: 1 })
      assert.equal(await alarmOf(), null)
      clock.forward(60)
      const again = clock.now()
      await say(device, { leak: true })
      assert.deepEqual((await alarmOf())?.since, again)
    }
  })
})
