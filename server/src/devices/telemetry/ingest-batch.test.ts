import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BatchBounds, chooseBatch, type Line, type QueueItem, settleLine } from './ingest-batch.ts'

const bounds: BatchBounds = { maxInRun: 4, enoughDevices: 3, fewMessages: 2, maxCharactersInRun: 10 }

/** Of each message how many characters it has. */
function lineOf(key: string, lengths: number[], { in_call = false, maxInRun = 4 } = {}): Line<QueueItem, number> {
  const waiting = lengths.map((length) => ({
    item: { key_digest: key, telemetries: 'x'.repeat(length), in_call },
    done: () => {},
  }))
  return { key, waiting, underWay: 0, maxInRun }
}

/** How many messages of each key are in the statement. */
function chosenOf(lines: Line<QueueItem, number>[], others: Partial<BatchBounds> = {}): Record<string, number> {
  const { batch, chosen, others: left } = chooseBatch(lines, { ...bounds, ...others })
  assert.equal(chosen.length + left.length, lines.length)
  assert.equal(
    batch.length,
    chosen.reduce((sum, { underWay }) => sum + underWay, 0),
  )
  return Object.fromEntries(chosen.map(({ key, underWay }) => [key, underWay]))
}

describe('decision 7.29: which messages are in a statement', () => {
  it('one of each device while the first has one', () => {
    assert.deepEqual(chosenOf([lineOf('a', [1]), lineOf('b', [1, 1]), lineOf('c', [1])]), { a: 1, c: 1 })
  })

  it('several of each while the first has several', () => {
    assert.deepEqual(chosenOf([lineOf('a', [1, 1]), lineOf('b', [1]), lineOf('c', [1, 1])]), { a: 2, c: 2 })
  })

  it('with many devices ready, a few messages of a call go one by one', () => {
    const call = () => [1, 2, 3].map((key) => lineOf(String(key), [1, 1], { in_call: true }))
    assert.deepEqual(chosenOf(call()), { 1: 1, 2: 1, 3: 1 })
    assert.deepEqual(chosenOf(call().slice(1)), { 2: 2, 3: 2 })
  })

  it('no more than the statement holds', () => {
    assert.deepEqual(chosenOf([lineOf('a', [1, 1, 1]), lineOf('b', [1, 1, 1])]), { a: 3, b: 1 })
  })

  it('no more characters than it holds, but one message at least', () => {
    assert.deepEqual(chosenOf([lineOf('a', [11]), lineOf('b', [1])]), { a: 1 })
    assert.deepEqual(chosenOf([lineOf('a', [6]), lineOf('b', [5]), lineOf('c', [4])]), { a: 1 })
  })

  it('exactly as many characters as it holds', () => {
    assert.deepEqual(chosenOf([lineOf('a', [6]), lineOf('b', [4]), lineOf('c', [1])]), { a: 1, b: 1 })
    assert.deepEqual(chosenOf([lineOf('a', [9]), lineOf('b', [1])]), { a: 1, b: 1 })
    assert.deepEqual(chosenOf([lineOf('a', [6, 4, 1])]), { a: 2 })
  })

  it('what does not go stays, in its order', () => {
    const line = lineOf('a', [1, 2, 3], { maxInRun: 2 })
    chosenOf([line])
    assert.deepEqual(
      line.waiting.map(({ item }) => item.telemetries.length),
      [3],
    )
  })

  it('a device that may send one at a time goes with those that have one', () => {
    assert.deepEqual(chosenOf([lineOf('a', [1, 1], { maxInRun: 1 }), lineOf('b', [1])]), { a: 1, b: 1 })
  })

  it('a device that failed with several has as many as it is allowed', () => {
    assert.deepEqual(chosenOf([lineOf('a', [1, 1, 1], { maxInRun: 2 })]), { a: 2 })
    assert.deepEqual(chosenOf([lineOf('a', [1, 1, 1], { maxInRun: 1 })]), { a: 1 })
  })
})

describe('decision 7.29: after the statement', () => {
  const settle = (line: Line<QueueItem, number>, results: (number | undefined)[]) => {
    const { batch } = chooseBatch([line], bounds)
    return settleLine(line, { batch, results, end: batch.length }, bounds.maxInRun)
  }

  it('all were stored: the next ones may be twice as many', () => {
    const line = lineOf('a', [1, 1, 1], { maxInRun: 2 })
    assert.equal(settle(line, [1, 1]), 2)
    assert.deepEqual([line.waiting.length, line.underWay, line.maxInRun], [1, 0, 4])
    const most = lineOf('a', [1, 1])
    settle(most, [1, 1])
    assert.equal(most.maxInRun, 4, 'but no more than the statement holds')
    const one = lineOf('a', [1, 1], { maxInRun: 1 })
    settle(one, [1])
    assert.equal(one.maxInRun, 2)
  })

  it('none was stored: all wait again, one at a time at last', () => {
    const four = lineOf('a', [1, 1, 1, 1])
    assert.equal(settle(four, [undefined, undefined, undefined, undefined]), 0)
    assert.deepEqual([four.waiting.length, four.maxInRun], [4, 2])
    const one = lineOf('a', [1])
    assert.equal(settle(one, [undefined]), 0)
    assert.deepEqual([one.waiting.length, one.maxInRun], [1, 1])
  })

  it('those without a result at the end wait again, in their order, half as many at a time', () => {
    const line = lineOf('a', [1, 2, 3, 1])
    assert.equal(settle(line, [1, undefined, undefined, undefined]), 1)
    assert.deepEqual(
      line.waiting.map(({ item }) => item.telemetries.length),
      [2, 3, 1],
    )
    assert.deepEqual([line.underWay, line.maxInRun], [0, 1])
  })
})
