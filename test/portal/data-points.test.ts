import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  concernOf,
  firstChartKeys,
  formatNumber,
  formatValue,
  labelOf,
  meaningOf,
  rangeOf,
  sortKeys,
  titleOf,
  toDictionary,
} from '../../portal/src/components/data-points.ts'

const dictionary = toDictionary([
  { key: 'door', type: 'boolean', label: 'Door', values: [{ value: true, label: 'Open', alarm: true }] },
  { key: 'temperature_c', type: 'number', label: 'Temperature', unit: '°C', decimals: 1, min: 5, max: 35, chart: true },
  { key: 'humidity', type: 'number', unit: '%' },
  {
    key: 'mode',
    type: 'text',
    values: [
      { value: 'heat', label: 'Heating' },
      { value: 'fault', alarm: true },
    ],
  },
  {
    key: 'code',
    type: 'number',
    values: [
      { value: 0, label: 'OK' },
      { value: 7, label: 'Overheated', alarm: true },
    ],
  },
])
const nothing = toDictionary([])
/** Spaces that do not break, as spaces. */
const written = (...args: Parameters<typeof formatValue>) => formatValue(...args).replaceAll('\u00a0', ' ')

describe('data points', () => {
  it('a value is its meaning, or a number with its decimals and unit', () => {
    assert.equal(written(dictionary, 'temperature_c', 21.45), '21.5 °C')
    assert.equal(written(dictionary, 'temperature_c', -0.04), '0.0 °C')
    assert.equal(written(dictionary, 'humidity', 45), '45%')
    assert.equal(written(dictionary, 'door', true), 'Open')
    assert.equal(written(dictionary, 'door', false), 'false')
    assert.equal(written(dictionary, 'mode', 'heat'), 'Heating')
    assert.equal(written(dictionary, 'mode', 'cool'), 'cool')
    assert.equal(written(dictionary, 'code', 7), 'Overheated')
    assert.equal(meaningOf(dictionary, 'code', 1), undefined)
  })

  it('without an entry, and with a value of another type, it is shown as it came', () => {
    assert.equal(written(nothing, 'x', 1_235_590), '1,235,590')
    assert.equal(written(nothing, 'x', true), 'true')
    assert.equal(written(dictionary, 'temperature_c', 'broken'), 'broken')
    assert.equal(labelOf(nothing, '__proto__'), '__proto__')
    assert.equal(concernOf(nothing, 'constructor', true), null)
  })

  it('numbers keep every digit that was meant', () => {
    const shown: [number, string][] = [
      [0.1 + 0.2, '0.3'],
      [1234.56789012, '1,234.56789012'],
      [0.00012, '0.00012'],
      [1e-9, '1E-9'],
      [1.5e18, '1.5E18'],
      [0, '0'],
    ]
    for (const [value, text] of shown) assert.equal(formatNumber(value), text)
    assert.equal(formatNumber(1.005, 0), '1')
    assert.equal(formatNumber(2, 3), '2.000')
  })

  it('only the dictionary knows what an alarm is, and what is out of range', () => {
    assert.equal(concernOf(dictionary, 'door', true), 'alarm')
    assert.equal(concernOf(dictionary, 'door', false), null)
    assert.equal(concernOf(nothing, 'door', true), null)
    assert.equal(concernOf(dictionary, 'mode', 'fault'), 'alarm')
    assert.equal(concernOf(dictionary, 'temperature_c', 35), null)
    assert.equal(concernOf(dictionary, 'temperature_c', 35.1), 'out_of_range')
    assert.equal(concernOf(dictionary, 'temperature_c', -5), 'out_of_range')
    assert.equal(concernOf(dictionary, 'humidity', 1e9), null)
    assert.equal(rangeOf(dictionary, 'temperature_c').replaceAll('\u00a0', ' '), '5 to 35 °C')
    assert.equal(rangeOf(toDictionary([{ key: 'x', type: 'number', min: 0.5, unit: '%' }]), 'x'), '0.5% or more')
    assert.equal(rangeOf(dictionary, 'humidity'), '')
  })

  it('keys come in the partner’s order, then by name; the chart opens with the chosen ones', () => {
    assert.deepEqual(sortKeys(dictionary, ['zeta', 'mode', 'alpha', 'door']), ['door', 'mode', 'alpha', 'zeta'])
    assert.deepEqual(firstChartKeys(dictionary, { humidity: { value: 1 }, temperature_c: { value: 2 } }), [
      'temperature_c',
    ])
    assert.deepEqual(firstChartKeys(dictionary, { mode: { value: 'x' }, humidity: { value: 1 } }), ['humidity'])
    assert.deepEqual(firstChartKeys(nothing, { b: { value: 1 }, a: { value: 2 }, c: { value: true } }), ['a'])
    assert.equal(titleOf(dictionary, 'temperature_c'), 'Temperature (°C)')
    assert.equal(titleOf(dictionary, 'humidity'), 'humidity (%)')
    assert.equal(titleOf(nothing, 'x'), 'x')
  })
})
