import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  describeNextAttempt,
  judgeAttempt,
  nextAttempt,
  type Outcome,
  typePauseSeconds,
  type Waiting,
} from './schedule.ts'

const firstAt = new Date('2026-03-01T12:00:00Z')
const later = (seconds: number) => new Date(firstAt.getTime() + seconds * 1000)

describe('webhook back-off', () => {
  it('delays triple up to eight hours, and the last attempt is within a day of the first', () => {
    const delays: number[] = []
    let now = firstAt
    for (let attempts = 1; ; attempts += 1) {
      const next = nextAttempt(attempts, firstAt, now, 0.5)
      if (!next) break
      delays.push((next.getTime() - now.getTime()) / 1000)
      now = next
    }
    assert.deepEqual(delays, [5, 15, 45, 135, 405, 1_215, 3_645, 10_935, 28_800, 28_800])
  })

  it('jitter is a tenth to each side, and an attempt may be exactly a day after the first', () => {
    const delay = (spread: number) => (nextAttempt(1, firstAt, firstAt, spread)!.getTime() - firstAt.getTime()) / 1000
    assert.deepEqual(
      [0, 0.5, 1].map((spread) => Math.round(delay(spread) * 100) / 100),
      [4.5, 5, 5.5],
    )
    assert.deepEqual(nextAttempt(1, firstAt, later(86_395), 0.5), later(86_400))
    assert.equal(nextAttempt(1, firstAt, later(86_395.001), 0.5), null)
  })

  const outcome = (status: number | null): Outcome => ({
    status,
    failure: status && status < 300 ? null : 'no',
    duration_ms: 1,
  })
  const table: [string, Outcome, { attempts: number; failing_since: Date | null }, Date, string][] = [
    ['2xx', outcome(204), { attempts: 1, failing_since: firstAt }, later(1), 'delivered'],
    ['500', outcome(500), { attempts: 1, failing_since: null }, later(1), 'retry'],
    ['302', outcome(302), { attempts: 1, failing_since: null }, later(1), 'retry'],
    ['no response', outcome(null), { attempts: 3, failing_since: later(1) }, later(70), 'retry'],
    [
      'the first attempt weeks after another was given up',
      outcome(500),
      { attempts: 1, failing_since: later(-30 * 86_400) },
      later(1),
      'retry',
    ],
    [
      'no response for the rest of the day',
      outcome(null),
      { attempts: 9, failing_since: later(9) },
      later(86_000),
      'give_up',
    ],
    [
      'nothing accepted for a whole day',
      outcome(500),
      { attempts: 2, failing_since: firstAt },
      later(86_400),
      'disable',
    ],
    ['a first failure after a day', outcome(500), { attempts: 9, failing_since: null }, later(86_400), 'give_up'],
    ['410', outcome(410), { attempts: 1, failing_since: null }, later(1), 'gone'],
  ]
  for (const [title, outcome, delivery, now, verdict] of table) {
    it(`${title} → ${verdict}`, () => {
      assert.equal(judgeAttempt(outcome, { ...delivery, first_attempted_at: firstAt }, now, 0.5).kind, verdict)
    })
  }
})

describe('decision 8.6: the delivery log says when the next attempt is and why it waits', () => {
  const now = later(100)
  const pending: Waiting = {
    state: 'pending',
    attempting: false,
    by_person: false,
    next_attempt_at: now,
    paused_until: null,
  }
  const table: [string, Partial<Waiting>, Date | null, string | null][] = [
    ['delivered', { state: 'delivered', next_attempt_at: null }, null, null],
    ['given up', { state: 'failed', next_attempt_at: null, paused_until: later(110) }, null, null],
    ['due', {}, now, 'queued'],
    ['being sent', { attempting: true, next_attempt_at: later(220) }, null, 'under_way'],
    ['abandoned by a process that died', { attempting: true, next_attempt_at: later(99) }, later(99), 'queued'],
    ['given up while its lease lasts', { attempting: true, next_attempt_at: now }, now, 'queued'],
    ['pending without a time', { next_attempt_at: null }, null, null],
    ['delivered, though a time is left', { state: 'delivered' }, null, null],
    [
      'after a failure, while its type fails for as long',
      { next_attempt_at: later(110), paused_until: later(110) },
      later(110),
      'retry_delay',
    ],
    ['after a failure', { next_attempt_at: later(105) }, later(105), 'retry_delay'],
    ['while its type fails', { paused_until: later(110) }, later(110), 'event_type_failing'],
    [
      'after a failure, while its type fails for a shorter time',
      { next_attempt_at: later(145), paused_until: later(110) },
      later(145),
      'retry_delay',
    ],
    ['once the pause of its type is over', { paused_until: now }, now, 'queued'],
    ['asked for by a person', { by_person: true, paused_until: later(110) }, now, 'queued'],
  ]
  for (const [title, facts, at, reason] of table) {
    it(`${title} → ${reason}`, () => {
      const expected = { next_attempt_at: at, next_attempt_reason: reason }
      assert.deepEqual(describeNextAttempt({ ...pending, ...facts }, now), expected)
    })
  }

  it('an event type pauses from its third consecutive failure on, for at most 30 s', () => {
    assert.deepEqual([1, 2, 3, 4, 5, 8, 9, 10_000].map(typePauseSeconds), [0, 0, 1, 2, 4, 30, 30, 30])
  })
})
