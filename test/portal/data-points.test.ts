import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  concernOf,
  firstChartKeys,
  formatValue,
  fullNumber,
  labelOf,
  meaningOf,
  rangeOf,
  sortKeys,
  titleOf,
  toDictionary,
  unitOf,
} from '../../portal/src/components/device/data-points.ts'
import { formatNumber, powerOfTen, withUnit } from '../../portal/src/components/page/numbers.ts'

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

  it('without a dictionary a number is grouped, has the digits that people read, and no exponent where it can be counted', () => {
    const shown: [number, string, string?][] = [
      [0.1 + 0.2, '0.3', '0.30000000000000004'],
      [1234.56789012, '1,234.56789', '1234.56789012'],
      [52.520008, '52.520008'],
      [0.00012, '0.00012'],
      [0.00001234567, '0.0000123457', '0.00001234567'],
      [1_795_878_935_980_000, '1,795,878,935,980,000'],
      [-9_007_199_254_740_991, '-9,007,199,254,740,991'],
      [1e-9, '1 × 10⁻⁹', '1e-9'],
      [1.5e18, '1.5 × 10¹⁸', '1500000000000000000'],
      [-1.23456789e21, '-1.23457 × 10²¹', '-1.23456789e+21'],
      [0, '0'],
    ]
    for (const [value, text, full] of shown) {
      assert.equal(formatNumber(value).replaceAll('\u00a0', ' '), text)
      assert.equal(fullNumber(value, formatNumber(value)), full)
    }
    assert.equal(formatNumber(1.005, 0), '1')
    assert.equal(formatNumber(2, 3), '2.000')
    assert.equal(formatNumber(2, 10), '2.0000000000')
    assert.equal(formatNumber(2, 11), '2', 'no dictionary may say so')
    assert.equal(formatNumber(1e-6), '0.000001')
    assert.equal(formatNumber(1e-9, 2), '0.00', 'as many decimals as it says')
    assert.equal(withUnit('5', 'x°'), '5\u00a0x°')
    assert.equal(withUnit('5', null), '5')
    assert.equal(unitOf(nothing, 'x'), '')
    assert.equal(powerOfTen(1.5e21, 3, true).replaceAll('\u00a0', ' '), '1.500 × 10²¹')
    assert.equal(fullNumber(21.45, formatValue(dictionary, 'temperature_c', 21.45)), '21.45')
    assert.equal(fullNumber(21.5, formatValue(dictionary, 'temperature_c', 21.5)), undefined)
    assert.equal(fullNumber('1,5', '1,5'), undefined)
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
    assert.equal(rangeOf(nothing, 'humidity'), '')
    assert.equal(rangeOf(toDictionary([{ key: 'x', type: 'number', max: 8, unit: '°' }]), 'x'), '8° or less')
    assert.equal(concernOf(dictionary, 'temperature_c', 5), null)
    assert.equal(concernOf(dictionary, 'temperature_c', '4'), null, 'no number, no range')
    assert.equal(concernOf(nothing, 'temperature_c', 4), null)
  })

  it('without a choice of the partner, the chart opens with the most telling number and not the first by alphabet', () => {
    const opensWith = (known: typeof dictionary, numbers: Record<string, number>) => {
      const values = Object.entries(numbers).map(([key, value]) => [key, { value }])
      return firstChartKeys(known, Object.fromEntries(values))[0]
    }
    assert.equal(opensWith(dictionary, { battery: 90, humidity: 40, altitude: 12.5 }), 'humidity', 'with a unit')
    assert.equal(
      opensWith(nothing, { battery: 90, boot_count: 3, rssi: -71, uptime: 5, temperature: 21.5 }),
      'temperature',
    )
    assert.equal(opensWith(nothing, { errorCount: 0, level: 7, msgSeq: 12.5 }), 'level', 'in camel case too')
    assert.equal(opensWith(nothing, { fan_speed: 3, power: 12.7 }), 'power', 'measured before counted')
    assert.equal(opensWith(nothing, { rssi: -71, battery: 3.7 }), 'battery', 'there is nothing better')
    assert.equal(opensWith(nothing, {}), undefined)
    const entries = toDictionary([
      { key: 'setting', type: 'number' },
      { key: 'power', type: 'number', unit: 'W' },
    ])
    assert.equal(opensWith(entries, { setting: 1, power: 2 }), 'power', 'one with a unit before one without')
    assert.equal(opensWith(entries, { setting: 1, altitude: 12.5 }), 'setting', 'a known one before others')
    assert.deepEqual(firstChartKeys(entries, { power: { value: 2 } }), ['power'])
    assert.equal(opensWith(toDictionary([{ key: 'zeta', type: 'number' }]), { alpha: 1.5, zeta: 1 }), 'zeta')
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
