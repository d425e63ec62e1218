import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choicesOf, settingProblem, settingValue } from '../../portal/src/components/setting/setting-values.ts'

describe('a setting', () => {
  const entry = { key: 'setpoint', type: 'number' as const, min: 5, max: 35, values: [{ value: -1, label: 'Off' }] }

  it('may be out of range where the value has a meaning', () => {
    assert.equal(settingProblem(entry, 4), 'Enter 5 or more')
    assert.equal(settingProblem(entry, -1), undefined)
    assert.equal(settingProblem(entry, ''), undefined)
  })

  it('is chosen where its values are known, and typed where it is a scale', () => {
    assert.equal(choicesOf(entry), undefined)
    assert.deepEqual(choicesOf({ key: 'lock', type: 'boolean', values: [{ value: true, label: 'Locked' }] }), [
      { value: 'true', label: 'Locked' },
      { value: 'false', label: 'No' },
    ])
  })

  it('wants nothing while it is empty', () => {
    assert.equal(settingValue(entry, ''), null)
    assert.equal(settingValue({ key: 'lock', type: 'boolean' }, 'false'), false)
  })
})
