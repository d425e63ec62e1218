import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { delayAfterLimit, delayOf, sleep, usualBackoff } from './backoff.ts'

const backoff = { attempts: 5, firstDelayMs: 500, longestDelayMs: 30_000 }

describe('partner kit: back-off', () => {
  it('five attempts, from half a second to half a minute apart', () => assert.deepEqual(usualBackoff, backoff))

  it('doubles up to the longest, with full jitter', (t) => {
    const random = t.mock.method(Math, 'random', () => 0.5)
    assert.deepEqual(
      [0, 1, 2, 5, 6, 50].map((attempt) => delayOf(backoff, attempt)),
      [250, 500, 1_000, 8_000, 15_000, 15_000],
    )
    random.mock.mockImplementation(() => 0)
    assert.equal(delayOf(backoff, 3), 0)
  })

  it('decision 8.41: after 429 it goes on for a minute, or for as long as the service asks within it', (t) => {
    t.mock.method(Math, 'random', () => 0.5)
    for (const [refusals, waitedMs, askedMs, expected] of [
      [0, 0, 0, 250],
      [3, 0, 0, 2_000],
      [9, 0, 0, 15_000],
      [9, 59_000, 0, 1_250],
      [9, 59_999, 0, 251],
      [0, 60_000, 0, null],
      [0, 60_001, 0, null],
      [0, 0, 1, 251],
      [0, 0, 10_000, 10_250],
      [0, 50_000, 10_000, 10_250],
      [0, 50_000, 10_001, null],
    ] as const)
      assert.equal(
        delayAfterLimit(backoff, refusals, waitedMs, askedMs),
        expected,
        `${refusals} ${waitedMs} ${askedMs}`,
      )
    assert.equal(delayAfterLimit({ ...backoff, limitedMs: 1_000 }, 0, 1_000, 0), null)
    assert.equal(delayAfterLimit({ ...backoff, limitedMs: 1_000 }, 0, 999, 0), 250)
  })

  it('a pause ends when it is over, or when the caller gives up', async () => {
    const giveUp = new AbortController()
    const listeners = () => getEventListeners(giveUp.signal, 'abort').length
    const began = performance.now()
    await sleep(20, giveUp.signal)
    assert.ok(performance.now() - began >= 19)
    assert.equal(listeners(), 0, 'it listens no longer')
    const long = sleep(60_000, giveUp.signal)
    giveUp.abort(new Error('given up'))
    await assert.rejects(long, /given up/)
    await assert.rejects(sleep(60_000, giveUp.signal), /given up/)
  })
})
