import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ingestQueue } from './ingest-queue.ts'

interface Item {
  key_digest: string
  telemetries: string
}

const bounds = { lanes: 2, maxInRun: 3, maxHeld: 10, maxCharacters: 100, maxPerDevice: 2 }
const item = (key: string, telemetries = '') => ({ key_digest: key, telemetries })

/** A queue whose statements the test finishes. */
function setUp() {
  const runs: { items: Item[]; finish(): void }[] = []
  const done: string[] = []
  const queue = ingestQueue<Item, string>((items) => {
    const { promise, resolve } = Promise.withResolvers<string[]>()
    runs.push({ items, finish: () => resolve(items.map(({ telemetries }) => telemetries)) })
    return promise
  }, bounds)
  const push = (key: string, telemetries = '') => queue.push(item(key, telemetries), (result) => done.push(result))
  // What returned in this turn, and what gathered in it and left at its end.
  const settled = async () => {
    await turn()
    await turn()
  }
  const keys = () => runs.map(({ items }) => items.map(({ key_digest }) => key_digest).join(''))
  return { queue, runs, done, push, settled, keys }
}

describe('decision 9.1: messages gather while statements are under way', () => {
  it('callers of one tick share a statement, at most two are under way, and the rest follow when one returns', async () => {
    const { push, runs, settled, keys } = setUp()
    for (const key of 'abcdefgh') push(key)
    await settled()
    assert.deepEqual(keys(), ['abc', 'def'])
    runs[0]!.finish()
    await settled()
    assert.deepEqual(keys(), ['abc', 'def', 'gh'])
  })

  it('a device has one message in a statement and one statement under way, so that its messages stay in order', async () => {
    const { push, runs, done, settled, keys } = setUp()
    for (const turn of [1, 2, 3]) push('a', `a${turn}`)
    push('b', 'b1')
    await settled()
    assert.deepEqual(keys(), ['ab'])
    for (const expected of ['ab', 'a', 'a']) {
      assert.equal(keys().at(-1), expected)
      runs.at(-1)!.finish()
      await settled()
    }
    assert.deepEqual(done, ['a1', 'b1', 'a2', 'a3'])
  })

  it('is bounded by number, by size and by device, and has room again when statements return', async () => {
    const { queue, push, runs, settled } = setUp()
    for (const _ of [1, 2, 3]) push('a')
    assert.equal(queue.hasRoom(1, 'a'), false)
    assert.equal(queue.hasRoom(1, 'b'), true)
    assert.deepEqual([queue.hasRoom(2, 'b'), queue.hasRoom(3, 'b')], [true, false])
    assert.deepEqual([queue.hasRoom(7), queue.hasRoom(8)], [true, false])
    push('b', 'x'.repeat(100))
    assert.equal(queue.hasRoom(1), false)
    await settled()
    runs[0]!.finish()
    await settled()
    assert.equal(queue.hasRoom(1, 'a'), true)
    assert.equal(queue.held(), 2)
  })

  it('half of it is reserved for messages that wait behind none of their own device', () => {
    const { queue, push } = setUp()
    for (const key of 'aabb') push(key)
    assert.equal(queue.hasRoom(1, 'a'), true)
    push('a')
    assert.deepEqual([queue.hasRoom(1, 'b'), queue.hasRoom(2, 'c'), queue.hasRoom(1, 'c')], [false, false, true])
    const large = setUp()
    large.push('a', 'x'.repeat(50))
    assert.deepEqual([large.queue.hasRoom(1, 'a'), large.queue.hasRoom(1, 'b')], [false, true])
  })
})
