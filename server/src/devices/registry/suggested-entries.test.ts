import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SeenDataPoint } from '../telemetry-store/telemetry-store.ts'
import { firstInChart, suggestEntry } from './suggested-entries.ts'

const seen = (key: string, change: Partial<SeenDataPoint>): SeenDataPoint => ({
  key,
  devices: 10,
  numbers: 0,
  booleans: 0,
  texts: 0,
  min: null,
  max: null,
  scale: null,
  examples: [],
  ...change,
})
const numbers = (key: string, min: number, max: number, scale: number) =>
  suggestEntry(seen(key, { numbers: 10, min, max, scale }))
const booleans = (key: string) => suggestEntry(seen(key, { booleans: 10 }))
const texts = (key: string, examples: string[]) => suggestEntry(seen(key, { texts: 10, examples }))

describe('suggested entries of a data dictionary', () => {
  const cases: [string, object][] = [
    ['temperature_c', { label: 'Temperature', unit: '°C' }],
    ['supplyTemp_c', { label: 'Supply temp', unit: '°C' }],
    ['energy.total-kwh', { label: 'Energy total', unit: 'kWh' }],
    ['room temperature', { label: 'Room temperature', unit: '°C' }],
    ['co2', { label: 'CO₂', unit: 'ppm' }],
    ['c', { label: 'C' }],
    ['setpoint', { label: 'Setpoint' }],
    ['constructor', { label: 'Constructor' }],
    ['a_toString', { label: 'A to string' }],
    ['größe_m', { label: 'Größe', unit: 'm' }],
    ['🌡️', {}],
  ]
  for (const [key, expected] of cases) {
    it(`${key}: label and unit by its words`, () => {
      assert.deepEqual(numbers(key, -1, 5000, 0), { key, type: 'number', decimals: 0, ...expected })
    })
  }

  const units = {
    '°C': 'c celsius',
    '°F': 'f fahrenheit',
    '%': 'percent pct',
    s: 's sec seconds',
    min: 'min minutes',
    h: 'h hours',
    lx: 'lux lx',
    L: 'l',
    '°': 'deg',
    'm³': 'm3',
    'm³/h': 'm3h',
  }
  const asWritten = 'W kW MW Wh kWh MWh VA kVA V mV A mA Hz ppm ppb dB dBm Pa hPa kPa bar mm cm m km kg g rpm ms'
  for (const [unit, ends] of [...Object.entries(units), ...asWritten.split(' ').map((unit) => [unit, unit] as const)]) {
    it(`${unit} by the end of a key, which the label then lacks`, () => {
      for (const end of ends.toLowerCase().split(' ')) {
        const { unit: found, label } = numbers(`main_${end}`, -1, 5000, 0)
        assert.deepEqual([found, label], [unit, 'Main'], end)
      }
    })
  }

  const usual = {
    '°C': 'temperature temp',
    '%': 'humidity battery',
    W: 'power',
    kWh: 'energy',
    V: 'voltage',
    A: 'current',
  }
  const others = { Hz: 'frequency', ppm: 'co2', lx: 'illuminance', dBm: 'rssi' }
  for (const [unit, words] of Object.entries({ ...usual, ...others })) {
    it(`${unit} by the last word of a key`, () => {
      for (const word of words.split(' ')) {
        assert.equal(numbers(word, -1, 5000, 0).unit, unit, word)
        assert.match(numbers(`main_${word}`, -1, 5000, 0).label!, /^Main ./)
      }
    })
  }

  it('abbreviations are written as such, and a label has up to 100 characters', () => {
    const labels = ['co2', 'rssi', 'voc', 'tvoc', 'id', 'ip'].map((word) => booleans(`room_${word}`).label)
    assert.deepEqual(labels, ['Room CO₂', 'Room RSSI', 'Room VOC', 'Room TVOC', 'Room ID', 'Room IP'])
    assert.equal(booleans('a'.repeat(101)).label!.length, 100)
    assert.equal(booleans('room2Temp9A').label, 'Room2 temp9 a')
  })

  it('the chart opens with two measurements, or else two numbers', () => {
    const [watts, volts, amperes] = ['w', 'v', 'a'].map((end) => numbers(`main_${end}`, 0, 5, 0))
    const [speed, level] = ['speed', 'level'].map((key) => numbers(key, 0, 5, 0))
    const door = booleans('door')
    assert.deepEqual(firstInChart([door, speed!, watts!, volts!, amperes!]), [watts, volts])
    assert.deepEqual(firstInChart([door, speed!, watts!]), [watts])
    assert.deepEqual(firstInChart([door, speed!, level!]), [speed, level])
    assert.deepEqual(firstInChart([door]), [])
  })

  it('decimals are those of the values, without the noise of floating-point numbers', () => {
    assert.equal(numbers('x', 1, 2, 3).decimals, 3)
    assert.equal(numbers('x', 1, 2, 4).decimals, 4)
    assert.equal(numbers('x', 1, 2, 5).decimals, 2)
    assert.equal(numbers('x', 0.5, 1, 5).decimals, 2)
    assert.equal(numbers('x', -3, 0.5, 5).decimals, 2)
    assert.equal(suggestEntry(seen('x', { numbers: 10, min: 1, max: 2 })).decimals, undefined)
    assert.equal(numbers('x', 20.1, 21.299999237, 9).decimals, 2)
    assert.equal(numbers('x', 0.00001, 0.00002, 6).decimals, undefined)
  })

  it('a share has a range; other ranges are for the partner to say', () => {
    assert.deepEqual([numbers('battery_percent', 3, 90, 0).min, numbers('battery_percent', 3, 90, 0).max], [0, 100])
    assert.equal(numbers('load_percent', 3, 140, 0).max, undefined)
    assert.deepEqual([numbers('load_percent', 0, 100, 0).min, numbers('load_percent', 0, 100, 0).max], [0, 100])
    assert.equal(numbers('load_percent', -1, 100, 0).max, undefined)
    assert.equal(numbers('load_percent', 0, 101, 0).max, undefined)
    assert.equal(booleans('load_percent').unit, undefined)
    assert.equal(numbers('temperature_c', 18, 22, 0).max, undefined)
  })

  it('only a boolean that is named like an alarm has an alarm', () => {
    assert.deepEqual(booleans('smoke_detected').values, [
      { value: true, label: 'Alarm', alarm: true },
      { value: false, label: 'OK' },
    ])
    assert.deepEqual(booleans('occupied'), { key: 'occupied', type: 'boolean', label: 'Occupied' })
  })

  it('a few shared texts are states, many are free text', () => {
    assert.deepEqual(texts('mode', ['cool', 'fault', 'heat']).values, [
      { value: 'cool' },
      { value: 'fault', alarm: true },
      { value: 'heat' },
    ])
    assert.equal(texts('note', 'abcdefghi'.split('')).values, undefined)
    assert.equal(texts('note', 'abcdefgh'.split('')).values?.length, 8)
    assert.equal(texts('note', []).values, undefined)
    assert.equal(suggestEntry(seen('note', { devices: 2, texts: 1, examples: ['hello'] })).values?.length, 1)
    assert.equal(suggestEntry(seen('note', { devices: 2, texts: 2, examples: ['a', 'b'] })).values, undefined)
    assert.equal(suggestEntry(seen('note', { devices: 1, texts: 1, examples: ['hello'] })).values, undefined)
  })

  it('the type is what most devices send', () => {
    const entry = suggestEntry(seen('level', { numbers: 7, texts: 3, min: 1, max: 2, scale: 0 }))
    assert.equal(entry.type, 'number')
    const type = (change: Partial<SeenDataPoint>) => suggestEntry(seen('x', { min: 1, max: 2, ...change })).type
    assert.equal(type({ numbers: 5, texts: 5, booleans: 5 }), 'number')
    assert.equal(type({ numbers: 4, texts: 5 }), 'text')
    assert.equal(type({ numbers: 4, booleans: 5 }), 'boolean')
    assert.equal(type({ texts: 5, booleans: 5 }), 'boolean')
    assert.equal(type({ texts: 6, booleans: 5 }), 'text')
  })
})
