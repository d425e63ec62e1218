import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPublished, type KeyFacts, type SigningAlg, signingKey, stateOf } from './key-schedule.ts'

const start = new Date('2026-03-01T12:00:00.000Z')
const after = (seconds: number) => new Date(start.getTime() + seconds * 1000)

function key(
  kid: string,
  signsFrom: number,
  ends: { retired?: number; removed?: number; alg?: SigningAlg } = {},
): KeyFacts {
  return {
    kid,
    alg: ends.alg ?? 'RS256',
    created_at: after(signsFrom - 300),
    signs_from: after(signsFrom),
    retired_at: ends.retired === undefined ? null : after(ends.retired),
    removed_at: ends.removed === undefined ? null : after(ends.removed),
  }
}

describe('4.5 the schedule of signing keys', () => {
  const old = key('old', 0, { retired: 1000 })
  const next = key('next', 1000)

  it('the old key signs until the very instant the next one begins', () => {
    assert.equal(signingKey([old, next], 'RS256', after(999))?.kid, 'old')
    assert.equal(signingKey([old, next], 'RS256', after(1000))?.kid, 'next')
  })

  it('the next key is published before it signs', () => {
    assert.equal(isPublished(next, after(700)), true)
    assert.equal(stateOf(next, [old, next], after(700)), 'published')
  })

  it('the old key stays published until what it signed has expired', () => {
    assert.equal(stateOf(old, [old, next], after(1001)), 'retired')
    assert.equal(isPublished(old, after(1000 + 3600)), true)
    assert.equal(isPublished(old, after(1000 + 3600 + 300)), false)
  })

  it('a removed key does not sign, and stays published as long as a retired one', () => {
    const removed = key('removed', 0, { removed: 50 })
    assert.equal(signingKey([removed], 'RS256', after(51)), null)
    assert.equal(isPublished(removed, after(51)), true)
    assert.equal(isPublished(removed, after(50 + 3900)), false)
  })

  it('a key of the other kind never signs', () => {
    assert.equal(signingKey([key('ec', 0, { alg: 'ES256' })], 'RS256', after(1)), null)
  })
})
