import assert from 'node:assert/strict'
import { it } from 'node:test'
import { dayBefore, isInReach } from './instants.ts'

for (const [at, expected] of [
  ['0000-12-31T23:59:59.999Z', false],
  ['0001-01-01T00:00:00.000Z', true],
  ['2026-03-01T12:00:00.000Z', true],
  ['9999-12-31T23:59:59.999Z', true],
  ['+010000-01-01T00:00:00.000Z', false],
  ['no date', false],
] as const) {
  it(`Postgres reads ${at}: ${expected}`, () => assert.equal(isInReach(new Date(at)), expected))
}

it('a day before an instant is within reach too', () => {
  assert.equal(dayBefore(new Date('2026-03-01T12:00:00Z')).toISOString(), '2026-02-28T12:00:00.000Z')
  assert.equal(dayBefore(new Date('0001-01-01T00:00:00.039Z')).toISOString(), '0001-01-01T00:00:00.000Z')
})
