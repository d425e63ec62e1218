import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { DictionaryEntry } from '../store/dictionaries.ts'
import { problemsOf, typeOf } from './dictionary-rules.ts'

const number = (key: string, more: Partial<DictionaryEntry> = {}): DictionaryEntry => ({ key, type: 'number', ...more })
const charted = (count: number) => Array.from({ length: count }, (_, index) => number(`k${index}`, { chart: true }))

describe('what is wrong between the fields of a dictionary', () => {
  const table: [title: string, DictionaryEntry[], string[]][] = [
    ['nothing', [number('a', { unit: 'W', decimals: 1, min: 0, max: 9 }), { key: 'b', type: 'boolean' }], []],
    ['a key twice', [number('a'), number('b'), number('a')], ['data_points.2.key must not be listed twice']],
    [
      'fields of numbers at a text',
      [number('a'), { key: 'b', type: 'text', unit: 'W', decimals: 0, min: 0, max: 0 }],
      ['unit', 'decimals', 'min', 'max'].map((field) => `data_points.1.${field} is only for numbers`),
    ],
    ['min above max', [number('a', { min: 2, max: 1 })], ['data_points.0.max must not be less than min']],
    ['min equal to max', [number('a', { min: 1, max: 1 })], []],
    ['max alone', [number('a', { max: -1 })], []],
    ['min alone', [number('a', { min: 1 })], []],
    [
      'a value of another type',
      [
        number('a', { values: [{ value: 1, label: 'x' }, { value: true }, { value: '1' }] }),
        { key: 'b', type: 'boolean', values: [{ value: 1 }] },
        { key: 'c', type: 'text', values: [{ value: false }] },
      ],
      [
        'data_points.0.values.1.value must be a number, as the type says',
        'data_points.0.values.2.value must be a number, as the type says',
        'data_points.1.values.0.value must be true or false, as the type says',
        'data_points.2.values.0.value must be text, as the type says',
      ],
    ],
    [
      'a value twice',
      [{ key: 'a', type: 'text', values: [{ value: 'on' }, { value: 'on' }] }],
      ['data_points.0.values.1.value must not be listed twice'],
    ],
    ['as many in the chart as may be', charted(20), []],
    ['many that are not', Array.from({ length: 30 }, (_, index) => number(`k${index}`)), []],
    [
      'one more in the chart',
      [...charted(21), number('other')],
      ['data_points must not have more than 20 data points with chart'],
    ],
  ]
  for (const [title, entries, expected] of table) {
    it(title, () => {
      assert.deepEqual(
        problemsOf(entries).map(({ field, message }) => `${field} ${message}`),
        expected,
      )
    })
  }

  it('the type of a value', () => assert.deepEqual([1, true, 'a'].map(typeOf), ['number', 'boolean', 'text']))
})
