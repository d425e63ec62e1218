import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { until } from '../../../../test/support/until.ts'
import type { QueueItem } from './ingest-batch.ts'
import { type IngestQueueOptions, ingestQueue } from './ingest-queue.ts'

const bounds = {
  atOnce: 2,
  maxInRun: 3,
  enoughDevices: 3,
  fewMessages: 2,
  maxCharactersInRun: 40,
  maxHeld: 10,
  maxCharacters: 100,
  maxPerDevice: 4,
}
const item = (key: string, telemetries = '', in_call = true) => ({ key_digest: key, telemetries, in_call })

/** A queue whose statements the test finishes. */
function setUp(options: Partial<IngestQueueOptions<QueueItem>> = {}) {
  const runs: { items: QueueItem[]; finish(without?: string): void }[] = []
  const done: string[] = []
  const queue = ingestQueue<QueueItem, string>(
    (items) => {
      const { promise, resolve } = Promise.withResolvers<(string | undefined)[]>()
      // Without the items of that key, which have to run again.
      const finish = (without?: string) =>
        resolve(items.map(({ key_digest, telemetries }) => (key_digest === without ? undefined : telemetries)))
      runs.push({ items, finish })
      return promise
    },
    { ...bounds, ...options },
  )
  const push = (key: string, telemetries = '', inCall = true) =>
    queue.push(item(key, telemetries, inCall), (result) => done.push(result))
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

  it('also when devices of several lanes send the same key, which is wrong for most of them', async () => {
    const { push, queue, settled, runs } = setUp({ laneOf: ({ telemetries }) => Number(telemetries) })
    for (const lane of ['0', '1', '0', '1']) push('wrong', lane)
    await settled()
    const lanes = runs.map(({ items }) => items.map(({ telemetries }) => telemetries).join(''))
    assert.deepEqual(lanes, ['00', '11'])
    // And they count together.
    assert.equal(queue.hasRoom(1, 'wrong'), false)
    for (const { finish } of runs) finish()
    await settled()
    assert.equal(queue.held(), 0)
    assert.equal(queue.hasRoom(1, 'wrong'), true)
  })

  it('a statement has messages of one lane only, and a lane that waits holds up no other', async () => {
    const { push, runs, settled, keys } = setUp({ laneOf: ({ key_digest }) => (key_digest < 'e' ? 0 : 1) })
    for (const key of 'aebfcgdhxyz') push(key)
    await settled()
    assert.deepEqual(keys(), ['abc', 'd', 'efg', 'hxy'])
    runs[2]!.finish()
    await settled()
    assert.deepEqual(keys(), ['abc', 'd', 'efg', 'hxy', 'z'])
  })

  it('an acknowledgement may wait for more than its statement, and the next statement does not wait for it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { push, runs, done, settled, keys } = setUp({
      delayOf: ({ key_digest }) => (key_digest === 'a' ? promise : undefined),
    })
    for (const key of 'ab') push(key, key)
    await settled()
    push('a', 'a2')
    runs[0]!.finish()
    await settled()
    assert.deepEqual([keys(), done], [['ab', 'a'], ['b']])
    resolve()
    await settled()
    assert.deepEqual(done, ['b', 'a'])
  })

  it('a statement has several messages of each device or one of each, and a device has one under way', async () => {
    const { push, runs, done, settled, keys } = setUp()
    for (const turn of [1, 2, 3, 4]) push('a', `a${turn}`)
    push('b', 'b1')
    await settled()
    assert.deepEqual(keys(), ['aaa', 'b'])
    push('a', 'a5')
    for (const key of 'cdd') push(key, `${key}1`)
    runs[1]!.finish()
    await settled()
    assert.deepEqual(keys(), ['aaa', 'b', 'c'])
    runs[0]!.finish()
    await settled()
    assert.deepEqual(keys(), ['aaa', 'b', 'c', 'dda'])
    for (const _ of [1, 2]) {
      for (const run of runs) run.finish()
      await settled()
    }
    assert.deepEqual(done, ['b1', 'a1', 'a2', 'a3', 'c1', 'd1', 'd1', 'a4', 'a5'])
  })

  it('while enough devices are ready, those with a few messages send one of them', async () => {
    const { push, runs, settled, keys } = setUp()
    for (const key of 'aabcdddd') push(key)
    await settled()
    assert.deepEqual(keys(), ['abc', 'ddd'])
    runs[0]!.finish()
    runs[1]!.finish()
    await settled()
    assert.deepEqual(keys(), ['abc', 'ddd', 'ad'])
  })

  it('messages that are acknowledged by themselves go together, however many devices are ready', async () => {
    const { push, settled, keys } = setUp()
    for (const key of 'aabbc') push(key, '', false)
    await settled()
    assert.deepEqual(keys(), ['aab', 'c'])
  })

  it('messages of a device that cannot be stored together run again in their order, half as many at a time', async () => {
    const { queue, push, runs, done, settled, keys } = setUp()
    for (const turn of [1, 2, 3]) push('a', `a${turn}`)
    await settled()
    push('a', 'a4')
    push('b', 'b1')
    runs[0]!.finish('a')
    await settled()
    assert.deepEqual([keys(), done, queue.held()], [['aaa', 'ba'], [], 5])
    runs[1]!.finish()
    await settled()
    assert.deepEqual(
      [keys(), done],
      [
        ['aaa', 'ba', 'aa'],
        ['b1', 'a1'],
      ],
    )
    runs[2]!.finish()
    await settled()
    runs[3]!.finish()
    await settled()
    assert.deepEqual(
      [keys(), done],
      [
        ['aaa', 'ba', 'aa', 'a'],
        ['b1', 'a1', 'a2', 'a3', 'a4'],
      ],
    )
    assert.deepEqual([queue.held(), queue.hasRoom(10)], [0, true])
  })

  it('a statement is bounded by number and by size; a message larger than that has one of its own', async () => {
    const { push, runs, settled, keys } = setUp()
    for (const [key, size] of [
      ['a', 30],
      ['a', 10],
      ['a', 10],
      ['b', 50],
      ['c', 1],
    ] as const)
      push(key, 'x'.repeat(size))
    await settled()
    assert.deepEqual(keys(), ['aa', 'b'])
    runs[0]!.finish()
    await settled()
    assert.deepEqual(keys(), ['aa', 'b', 'ca'])
  })

  it('is bounded by number, by size and by device, and has room again when statements return', async () => {
    const { queue, push, runs, settled } = setUp()
    for (const _ of [1, 2, 3, 4]) push('a')
    assert.equal(queue.hasRoom(1, 'a'), false)
    assert.equal(queue.hasRoom(1, 'b'), true)
    assert.deepEqual([queue.hasRoom(6), queue.hasRoom(7)], [true, false])
    push('b', 'x'.repeat(100))
    assert.equal(queue.hasRoom(1), false)
    await settled()
    runs[0]!.finish()
    await settled()
    assert.deepEqual([queue.held(), queue.hasRoom(1, 'a')], [2, false])
    runs[1]!.finish()
    await settled()
    assert.deepEqual([queue.hasRoom(3, 'a'), queue.hasRoom(4, 'a'), queue.hasRoom(5, 'c')], [true, false, false])
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

describe('decision 9.18: statements of a writer begin some milliseconds apart', () => {
  const pace = { milliseconds: 200, maxMilliseconds: 1_000, apart: 100, enough: 3 }

  it('the first message never waits, the next ones gather, and so many that are enough wait no longer', async () => {
    const { push, runs, settled, keys } = setUp({ atOnce: 9, pace })
    push('a')
    await settled()
    assert.deepEqual(keys(), ['a'])
    const began = performance.now()
    runs[0]!.finish()
    push('b')
    await settled()
    push('c')
    await settled()
    assert.deepEqual(keys(), ['a'])
    push('d')
    await settled()
    assert.deepEqual(keys(), ['a', 'bcd'])
    push('e')
    push('f')
    await until(() => runs.length === 3, 'the next statement')
    assert.deepEqual(keys(), ['a', 'bcd', 'ef'])
    assert.ok(performance.now() - began >= 200)
  })

  it('statements of other lanes begin apart too, and each lane has its turn', async () => {
    const laneOf = ({ key_digest }: QueueItem) => (key_digest < 'm' ? 0 : 1)
    const { push, runs, keys } = setUp({ laneOf, pace: { ...pace, milliseconds: 1, enough: 9 } })
    const began = performance.now()
    for (const key of 'aby') push(key)
    await until(() => runs.length === 1, 'the first statement')
    push('c')
    await until(() => runs.length === 3, 'three statements')
    assert.deepEqual(keys(), ['ab', 'y', 'c'])
    assert.ok(performance.now() - began >= 2 * pace.apart)
  })
})
