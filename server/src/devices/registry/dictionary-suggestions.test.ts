import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SeenDataPoint } from '../telemetry-store/telemetry-store.ts'
import { suggestEntry } from './dictionary-suggestions.ts'

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

  it('decimals are those of the values, without the noise of floating-point numbers', () => {
    assert.equal(numbers('x', 1, 2, 3).decimals, 3)
    assert.equal(numbers('x', 20.1, 21.299999237, 9).decimals, 2)
    assert.equal(numbers('x', 0.00001, 0.00002, 6).decimals, undefined)
  })

  it('a share has a range; other ranges are for the partner to say', () => {
    assert.deepEqual([numbers('battery_percent', 3, 90, 0).min, numbers('battery_percent', 3, 90, 0).max], [0, 100])
    assert.equal(numbers('load_percent', 3, 140, 0).max, undefined)
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
    assert.equal(suggestEntry(seen('note', { devices: 1, texts: 1, examples: ['hello'] })).values, undefined)
  })

  it('the type is what most devices send', () => {
    const entry = suggestEntry(seen('level', { numbers: 7, texts: 3, min: 1, max: 2, scale: 0 }))
    assert.equal(entry.type, 'number')
  })
})
