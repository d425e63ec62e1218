import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  isPublished,
  judgeRemoval,
  type KeyFacts,
  publishedAheadSeconds,
  publishedSince,
  publishedUntil,
  type SigningAlg,
  signingKey,
  stateOf,
} from './key-schedule.ts'

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

  it('the old key signs until the instant the next one starts', () => {
    assert.equal(signingKey([old, next], 'RS256', after(999))?.kid, 'old')
    assert.equal(signingKey([old, next], 'RS256', after(1000))?.kid, 'next')
  })

  it('the next key is published before it signs', () => {
    assert.equal(isPublished(next, after(700)), true)
    assert.equal(stateOf(next, [old, next], after(700)), 'published')
  })

  it('clients that keep the key set for five minutes have a key before it signs', () => {
    assert.equal(publishedAheadSeconds, 300)
    assert.deepEqual(publishedSince(after(3900)), start)
  })

  it('the state of a key follows the clock', () => {
    assert.equal(stateOf(old, [old, next], after(999)), 'signing')
    assert.equal(stateOf(next, [old, next], after(1000)), 'signing')
    const later = key('later', 1000)
    assert.equal(stateOf(later, [next, later], after(1000)), 'retired', 'of two that begin at once the first signs')
  })

  it('the newest signs, in whatever order they are listed', () => {
    assert.equal(signingKey([next, old], 'RS256', after(1001))?.kid, 'next')
    assert.equal(signingKey([next, key('later', 1000)], 'RS256', after(1001))?.kid, 'next')
  })

  it('a key that was retired and removed is published by the earlier of the two', () => {
    const both = key('both', 0, { retired: 100, removed: 200 })
    assert.deepEqual(publishedUntil(both), after(100 + 3900))
    assert.equal(publishedUntil(next), null)
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

  it('a key of the other algorithm never signs', () => {
    assert.equal(signingKey([key('ec', 0, { alg: 'ES256' })], 'RS256', after(1)), null)
  })
})

describe('decision 6.18 the last key that can sign is never removed', () => {
  const now = after(2000)
  const only = key('only', 0)
  const current = key('current', 0, { retired: 2200 })
  const waiting = key('waiting', 2200)
  const later = key('later', 2250)
  const retired = key('retired', 0, { retired: 1000 })
  const signing = key('signing', 1000)
  const es256 = key('es256', 0, { alg: 'ES256' })
  const cases: {
    title: string
    keys: KeyFacts[]
    remove: KeyFacts
    leaked?: boolean
    unreadable?: KeyFacts
    verdict: object
  }[] = [
    { title: 'the only one', keys: [only], remove: only, verdict: { action: 'refuse', successor: null } },
    {
      title: 'the only one that leaked',
      keys: [only],
      remove: only,
      leaked: true,
      verdict: { action: 'refuse', successor: null },
    },
    {
      title: 'beside one of the other kind',
      keys: [only, es256],
      remove: only,
      verdict: { action: 'refuse', successor: null },
    },
    {
      title: 'while its successor is only published',
      keys: [current, later, waiting],
      remove: current,
      verdict: { action: 'refuse', successor: waiting },
    },
    {
      title: 'leaked, while its successor is only published: the successor signs at once',
      keys: [current, later, waiting],
      remove: current,
      leaked: true,
      verdict: { action: 'delete', promote: 'waiting' },
    },
    {
      title: 'while its successor cannot be read',
      keys: [current, waiting],
      remove: current,
      leaked: true,
      unreadable: waiting,
      verdict: { action: 'refuse', successor: null },
    },
    {
      title: 'one that is only published',
      keys: [current, waiting],
      remove: waiting,
      verdict: { action: 'delete', promote: null },
    },
    {
      title: 'one that signs from this instant on',
      keys: [current, key('now', 2000)],
      remove: key('now', 2000),
      verdict: { action: 'retire', promote: null },
    },
    {
      title: 'one that was taken over from',
      keys: [retired, signing],
      remove: retired,
      verdict: { action: 'retire', promote: null },
    },
    {
      title: 'the one that signs, while the one before it is still published',
      keys: [retired, signing],
      remove: signing,
      verdict: { action: 'retire', promote: null },
    },
    {
      title: 'the one that signs, while the one before it cannot be read',
      keys: [retired, signing],
      remove: signing,
      unreadable: retired,
      verdict: { action: 'refuse', successor: null },
    },
    {
      title: 'one that cannot be read signs nothing anyway',
      keys: [only],
      remove: only,
      unreadable: only,
      verdict: { action: 'retire', promote: null },
    },
    {
      title: 'one that was removed already',
      keys: [signing, key('gone', 0, { removed: 1990 })],
      remove: key('gone', 0),
      verdict: { action: 'unknown' },
    },
    { title: 'one that does not exist', keys: [signing], remove: key('never', 0), verdict: { action: 'unknown' } },
  ]
  for (const { title, keys, remove, leaked = false, unreadable, verdict } of cases) {
    it(`${title} → ${JSON.stringify(verdict).slice(0, 60)}`, () => {
      const opens = ({ kid }: KeyFacts) => kid !== unreadable?.kid
      assert.deepEqual(judgeRemoval(keys, { kid: remove.kid, leaked, now, opens }), verdict)
    })
  }
})
