import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Telemetry } from '../../devices/telemetry/telemetry-schemas.ts'
import { partValidator } from '../../platform/http/validation.ts'
import { allKinds, deviceAt } from './believable-devices.ts'
import { type KindName, kinds } from './kinds.ts'
import { peopleAt } from './room.ts'

const fleet = Array.from({ length: 200 }, (_, position) => deviceAt('test', position))
const hours = (day: number) => Array.from({ length: 24 * 4 }, (_, n) => new Date(Date.UTC(2026, 2, day, 0, n * 15)))
/** A Wednesday. */
const day = hours(4)

function only(kind: KindName) {
  return fleet.filter(({ kindName }) => kindName === kind)
}

/** Pearson's: 1 when two series rise and fall together. */
function correlation(a: number[], b: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanA, meanB] = [mean(a), mean(b)]
  const product = (x: number[], y: number[], mx: number, my: number) =>
    x.reduce((sum, value, n) => sum + (value - mx) * (y[n]! - my), 0)
  return product(a, b, meanA, meanB) / Math.sqrt(product(a, a, meanA, meanA) * product(b, b, meanB, meanB))
}

function series(kind: KindName, key: string, device = only(kind)[0]!): number[] {
  return day.map((at) => Number(device.readingAt(at).telemetries[key]))
}

describe('believable devices', () => {
  it('are the same for the same seed, and others for another', () => {
    const describe = (seed: string) =>
      [0, 1, 2, 3].map((position) => {
        const { mac, sn, name, spacePath, readingAt } = deviceAt(seed, position)
        return { mac, sn, name, spacePath, reading: readingAt(day[40]!) }
      })
    assert.deepEqual(describe('test'), describe('test'))
    assert.notDeepEqual(describe('test'), describe('Test'))
  })

  it('have identities of their own, also those that replace others', () => {
    const replaced = fleet.map((_, position) => deviceAt('test', position, { generation: 1 }))
    const all = [...fleet, ...replaced]
    assert.equal(new Set(all.map(({ mac }) => mac)).size, all.length)
    assert.equal(new Set(all.map(({ sn }) => sn)).size, all.length)
    for (const { mac } of all) assert.match(mac, /^02(:[0-9a-f]{2}){5}$/)
  })

  it('report what the service takes, at any instant', () => {
    const problems = partValidator(Telemetry)
    for (const at of [...hours(1), ...hours(4)]) {
      for (const { readingAt } of fleet.slice(0, 40)) assert.deepEqual(problems(readingAt(at)), [])
    }
    for (const { firmware } of Object.values(kinds)) for (const text of firmware) assert.match(text, /^\d+\.\d+\.\d+$/)
  })

  it('follow the hours of the day: warmer at noon, idle at night and at weekends', () => {
    const temperature = series('thermostat', 'temperature')
    assert.ok(temperature[12 * 4]! > temperature[3 * 4]! + 1.5, temperature.join(' '))
    const meetings = (instants: Date[]) =>
      only('display').flatMap(({ readingAt }) => instants.filter((at) => readingAt(at).telemetries.in_meeting)).length
    assert.ok(meetings(day) > 200, String(meetings(day)))
    assert.ok(meetings(hours(7)) < meetings(day) / 4, 'Saturday')
    assert.equal(meetings(day.slice(0, 4 * 4)), 0, 'before four in the morning')
  })

  it('agree with each other: people bring carbon dioxide, a warm amplifier turns its fan, power is the slope of energy', () => {
    const rooms = only('thermostat').slice(0, 20)
    const breath = rooms.map((device) => {
      const display = fleet[fleet.indexOf(device) - 1]!
      return correlation(series('thermostat', 'co2', device), series('display', 'people', display))
    })
    assert.ok(breath.reduce((sum, value) => sum + value, 0) / breath.length > 0.5, breath.join(' '))
    assert.ok(correlation(series('amplifier', 'temperature'), series('amplifier', 'fan')) > 0.9)
    const [power, energy] = [series('meter', 'power'), series('meter', 'energy')]
    for (let n = 4; n < power.length; n += 1) {
      const mean = (power[n - 4]! + power[n - 3]! + power[n - 2]! + power[n - 1]! + power[n]!) / 5
      assert.ok(Math.abs(energy[n]! - energy[n - 4]! - mean) < 0.5, `${energy[n]} ${energy[n - 4]} ${mean}`)
    }
  })

  it('move without jumps, with noise', () => {
    const { readingAt } = only('thermostat')[0]!
    let last = Number.NaN
    let changes = 0
    for (let second = 0; second < 86_400; second += 45) {
      const { temperature } = readingAt(new Date(Date.UTC(2026, 2, 4) + second * 1000)).telemetries
      assert.ok(!(Math.abs(Number(temperature) - last) > 0.6), `${last} → ${temperature}`)
      if (temperature !== last) changes += 1
      last = Number(temperature)
    }
    assert.ok(changes > 500, String(changes))
  })

  it('have faults now and then, and are away as often as asked', () => {
    const readings = fleet.flatMap(({ readingAt }) => day.map((at) => readingAt(at)))
    const faulty = readings.filter(({ status }) => status === 'error')
    assert.ok(faulty.length > 0 && faulty.length < readings.length / 50, String(faulty.length))
    for (const { telemetries } of faulty) assert.notEqual(telemetries.fault, 'none')
    const away = (share: number) =>
      fleet.reduce((sum, { isAwayAt }) => sum + day.filter((at) => isAwayAt(at, share)).length, 0) / readings.length
    assert.equal(away(0), 0)
    const hoursAway = (2 + 15) / 2 / 60
    assert.ok(Math.abs(away(0.5) - 0.5 * hoursAway) < 0.02, String(away(0.5)))
  })

  it('stand in rooms, one of each kind in a room', () => {
    const [first, second] = [fleet.slice(0, 4), fleet.slice(4, 8)]
    assert.equal(new Set(first.map(({ spacePath }) => spacePath.join())).size, 1)
    assert.deepEqual(
      first.map(({ kindName }) => kindName),
      allKinds,
    )
    assert.notDeepEqual(first[0]!.spacePath, second[0]!.spacePath)
    assert.ok(peopleAt({ seed: 1, seats: 4 }, day[40]!.getTime()) <= 4)
  })
})
