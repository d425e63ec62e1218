import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { problemSentence } from '../../portal/src/partner/dictionary-problems.ts'
import { drifted, SimulatedModel, usualValue } from '../../portal/src/partner/simulated-model.ts'

describe('a simulated device of a model with a dictionary', () => {
  it('starts in the middle of the range and without an alarm', () => {
    assert.equal(usualValue({ key: 'x', type: 'number', min: 5, max: 35 }), 20)
    assert.equal(usualValue({ key: 'x', type: 'number', max: 3 }), 3)
    assert.equal(usualValue({ key: 'x', type: 'number', min: 4 }), 4)
    assert.equal(usualValue({ key: 'x', type: 'number' }), 20)
    assert.equal(usualValue({ key: 'x', type: 'text' }), 'text')
    assert.equal(usualValue({ key: 'x', type: 'boolean', values: [{ value: true, alarm: true }] }), false)
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
    assert.equal(drifted({ ...entry, values: [] }, 5, 0), 4.5, 'a twentieth of the range to each side')
    assert.equal(drifted(entry, 5, 1), 5.5)
    assert.equal(drifted(entry, 0, 0), 0)
    assert.equal(drifted({ ...entry, min: -10, max: -4 }, -7, 1), -6.7)
    assert.equal(drifted({ key: 'x', type: 'number' }, 200, 0), 190, 'without a range, of the value')
    assert.equal(drifted({ key: 'x', type: 'number', min: 0 }, 0, 1), 0.05, 'and of 1 at least')
    assert.equal(drifted({ key: 'x', type: 'number', max: 0 }, 0, 0), -0.05)
    assert.equal(drifted({ key: 'x', type: 'number', min: 0 }, -100, 0), -105)
    assert.equal(drifted({ key: 'x', type: 'number', min: 1 / 3, max: 1 / 3 }, 1 / 3, 0.5), 0.33, 'two decimals')
  })

  it('sends what it has, with numbers that vary unless it is told not to', () => {
    const model = new SimulatedModel([
      { key: 'n', type: 'number', min: 0, max: 1_000, decimals: 6 },
      { key: 't', type: 'text' },
    ])
    assert.deepEqual([model.get('n'), model.get('t'), model.failing], [500, 'text', false])
    const sent = () => (model.message() as { telemetries: { n: number } }).telemetries.n
    assert.equal(new Set([sent(), sent(), sent()]).size, 3)
    model.varies = false
    model.failing = true
    model.set('t', 'open')
    assert.deepEqual(model.message(), { status: 'error', telemetries: { n: 500, t: 'open' } })
    model.failing = false
    assert.deepEqual(model.message(), { status: 'online', telemetries: { n: 500, t: 'open' } })
  })
})

describe('problems of a dictionary', () => {
  it('name the key', () => {
    const entries = [{ key: 'door' }, {}, { key: '' }]
    const sentence = (field: string) => problemSentence(entries, { field, message: 'is wrong' })
    assert.equal(sentence('data_points.0.label'), 'door: label is wrong.')
    assert.equal(sentence('data_points.0.values.2.value'), 'door: value 3 is wrong.')
    assert.equal(sentence('data_points.1.key'), 'Data point 2: key is wrong.')
    assert.equal(sentence('data_points'), 'data_points is wrong.')
    assert.equal(sentence('data_points.0'), 'door: is wrong.')
    assert.equal(sentence('data_points.2'), 'Data point 3: is wrong.')
    assert.equal(sentence('data_points.9.label'), 'Data point 10: label is wrong.')
    assert.equal(sentence('data_points.0.values.0.label'), 'door: label of value 1 is wrong.')
    assert.equal(sentence('data_points.0.values.0.a.b'), 'door: values.0.a.b is wrong.')
    assert.equal(sentence('data_points.0.x.values.0.value'), 'door: x.values.0.value is wrong.')
    assert.equal(sentence('old.data_points.0'), 'old.data_points.0 is wrong.')
    assert.equal(sentence('data_points.0x'), 'data_points.0x is wrong.')
  })
})
