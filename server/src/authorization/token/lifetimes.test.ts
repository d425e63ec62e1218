import assert from 'node:assert/strict'
import { it } from 'node:test'
import { accessTokenSeconds, idTokenSeconds, refreshTokenSeconds, secondsAfter } from './lifetimes.ts'

it('8, decision 6.16: access tokens and id_tokens live for an hour, refresh tokens for 90 days', () => {
  const issued = new Date('2026-03-01T12:00:00.250Z')
  assert.deepEqual(secondsAfter(issued, accessTokenSeconds), new Date('2026-03-01T13:00:00.250Z'))
  assert.deepEqual(secondsAfter(issued, idTokenSeconds), new Date('2026-03-01T13:00:00.250Z'))
  assert.deepEqual(secondsAfter(issued, refreshTokenSeconds), new Date('2026-05-30T12:00:00.250Z'))
})
