import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeRefresh, type RefreshVerdict } from './refresh-judgement.ts'

const issued = new Date('2026-03-01T12:00:00.000Z')
const days90 = 90 * 24 * 3600
const after = (seconds: number) => new Date(issued.getTime() + seconds * 1000)

describe('3 refresh token: judgement', () => {
  const cases: [title: string, at: number, rotated: number | null, revoked: number | null, verdict: RefreshVerdict][] =
    [
      ['a fresh token is rotated', 1, null, null, 'rotate'],
      ['a token in its last millisecond is rotated', days90 - 0.001, null, null, 'rotate'],
      ['after 90 days it has expired', days90, null, null, 'expired'],
      ['a token rotated this instant is a retry', 10, 10, null, 'retry'],
      ['59 s after rotation it is a retry', 69, 10, null, 'retry'],
      ['60 s after rotation it is still a retry', 70, 10, null, 'retry'],
      ['a millisecond later it is a replay', 70.001, 10, null, 'replay'],
      ['on the 89th day it is still a replay', 89 * 24 * 3600, 10, null, 'replay'],
      ['a rotated token of over 90 days has expired', days90, 10, null, 'expired'],
      ['another process whose clock is late sees a retry', 9, 10, null, 'retry'],
      ['a token of a revoked grant is revoked', 10, null, 5, 'revoked'],
      ['a replay ends a grant once', 100, 10, 90, 'revoked'],
    ]
  for (const [title, at, rotated, revoked, verdict] of cases) {
    it(title, () => {
      const token = {
        expires_at: after(days90),
        rotated_at: rotated === null ? null : after(rotated),
        revoked_at: revoked === null ? null : after(revoked),
      }
      assert.equal(judgeRefresh(token, after(at)), verdict)
    })
  }
})
