import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { problemSentence } from '../../portal/src/partner/dictionary-problems.ts'
import { drifted, usualValue } from '../../portal/src/partner/simulated-model.ts'

describe('a simulated device of a model with a dictionary', () => {
  it('starts in the middle of the range and without an alarm', () => {
    assert.equal(usualValue({ key: 'x', type: 'number', min: 5, max: 35 }), 20)
    assert.equal(usualValue({ key: 'x', type: 'number', max: 3 }), 3)
    assert.equal(usualValue({ key: 'x', type: 'boolean' }), false)
    assert.equal(usualValue({ key: 'x', type: 'boolean', values: [{ value: false, alarm: true }] }), true)
    assert.equal(usualValue({ key: 'x', type: 'text', values: [{ value: 'a', alarm: true }, { value: 'b' }] }), 'b')
  })

  it('drifts within the range and its decimals; a code, and a value out of range, stay where they are', () => {
    const entry = { key: 'x', type: 'number', min: 0, max: 10, decimals: 1 } as const
    for (const random of [0, 0.3, 1]) {
      const value = drifted(entry, 10, random)
      assert.ok(value >= 9.5 && value <= 10 && Number(value.toFixed(1)) === value, String(value))
      assert.ok(drifted(entry, 50, random) > 40)
    }
    assert.equal(drifted({ ...entry, values: [{ value: 7, label: 'Hot' }] }, 7, 0), 7)
  })
})

describe('problems of a dictionary', () => {
  it('name the key', () => {
    const entries = [{ key: 'door' }, {}]
    const sentence = (field: string) => problemSentence(entries, { field, message: 'is wrong' })
    assert.equal(sentence('data_points.0.label'), 'door: label is wrong.')
    assert.equal(sentence('data_points.0.values.2.value'), 'door: value 3 is wrong.')
    assert.equal(sentence('data_points.1.key'), 'Data point 2: key is wrong.')
    assert.equal(sentence('data_points'), 'data_points is wrong.')
  })
})
