import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  judgePrimary,
  type KnownPrimary,
  type Position,
  type PrimaryVerdict,
  type SeenPrimary,
} from './primary-memory.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
const position = (timeline: number, lsn: number, system = 'a'): Position => ({
  system,
  timeline: BigInt(timeline),
  lsn: BigInt(lsn),
})
const known: KnownPrimary = { term: 't', position: position(2, 500), seenAt: at(30) }
const seen: SeenPrimary = { hasTerm: true, position: position(2, 500), at: at(40), accepted: null }
const accepted = (second: number) => ({ term: 'u', at: at(second) })

const cases: [string, Partial<SeenPrimary>, PrimaryVerdict][] = [
  ['the same position', {}, 'same'],
  ['further on', { position: position(2, 900) }, 'same'],
  ['the same timeline, further back: an older state of its disk', { position: position(2, 499) }, 'behind'],
  ['an old timeline, even further on', { position: position(1, 900), hasTerm: false }, 'behind'],
  ['an old timeline with the term, which another process has just recorded', { position: position(1, 900) }, 'behind'],
  ['a newer timeline of what was written', { position: position(3, 600) }, 'newer'],
  ['a newer timeline that lacks the end of what was written asynchronously', { position: position(3, 400) }, 'newer'],
  ['a newer timeline of an old branch', { position: position(3, 900), hasTerm: false }, 'behind'],
  ['the same number of a timeline of another branch', { position: position(2, 900), hasTerm: false }, 'behind'],
  ['another cluster with a copy', { position: position(1, 10, 'b') }, 'newer'],
  ['another cluster without one', { position: position(9, 900, 'b'), hasTerm: false }, 'behind'],
  [
    'an old timeline that was accepted',
    { position: position(1, 9), hasTerm: false, accepted: accepted(35) },
    'accepted',
  ],
  ['one accepted before', { position: position(1, 9), hasTerm: false, accepted: accepted(20) }, 'behind'],
  ['one whose position cannot be read', { position: null }, 'same'],
  ['one whose position cannot be read, without the term', { position: null, hasTerm: false }, 'behind'],
]

describe('decision 3.41: judgePrimary', () => {
  for (const [name, difference, verdict] of cases)
    it(`${name} → ${verdict}`, () => assert.equal(judgePrimary(known, { ...seen, ...difference }), verdict))

  it('without a position of its own only the term counts', () => {
    assert.equal(judgePrimary({ ...known, position: null }, { ...seen, position: position(1, 1) }), 'same')
    assert.equal(judgePrimary({ ...known, position: null }, { ...seen, hasTerm: false }), 'behind')
  })
})
