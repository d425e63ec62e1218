// As server/src/platform/interleavings.test.ts: fast-check's scheduler decides in which order concurrent steps go on.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import type { QueueItem } from './ingest-batch.ts'
import { ingestQueue } from './ingest-queue.ts'

interface Message extends QueueItem {
  number: number
  lane: number
}

const bounds = { maxInRun: 4, enoughDevices: 3, fewMessages: 2, maxCharactersInRun: 12 }
const limits = { maxHeld: 24, maxCharacters: 120, maxPerDevice: 8 }

/** Calls gather until the end of a turn of the event loop: without one after each step, all of them would gather at once. */
const scheduler = () => fc.scheduler({ act: (step) => step().then(() => turn()) })

describe('every interleaving of messages in the ingest queue', () => {
  const messages = fc.array(
    fc.record({
      key_digest: fc.constantFrom('a', 'a', 'a', 'b', 'c'),
      lane: fc.constantFrom(0, 0, 0, 1),
      telemetries: fc.constantFrom('', 'four', 'twelve chars'),
      in_call: fc.boolean(),
      delayed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  )
  /** Of each statement, how many messages of a device could be stored together: the others have to run again. */
  const together = fc.infiniteStream(fc.integer({ min: 1, max: 4 }))

  it('keeps the order of each device, its lanes apart and its bounds, and acknowledges each message once', async () => {
    const property = fc.asyncProperty(
      ...[scheduler(), messages, together, fc.integer({ min: 1, max: 2 })],
      async (scheduler, wanted, storable, atOnce) => {
        const underWay = new Map<number, Set<string>[]>()
        const stored: Message[] = []
        /** What goes wrong in a statement, which never throws. */
        const problems: string[] = []
        const demand = (holds: boolean, otherwise: string) => void (holds || problems.push(otherwise))
        const run = async (items: Message[]) => {
          const lane = items[0]!.lane
          const keys = new Set(items.map((item) => item.key_digest))
          const others = underWay.get(lane) ?? []
          underWay.set(lane, [...others, keys])
          demand(items.length <= bounds.maxInRun && others.length < atOnce, 'too many at once')
          demand(
            items.every((item) => item.lane === lane),
            'two lanes in one statement',
          )
          demand(
            others.every((other) => [...keys].every((key) => !other.has(key))),
            'a device in two statements at a time',
          )
          const characters = items.reduce((sum, { telemetries }) => sum + telemetries.length, 0)
          demand(items.length === 1 || characters <= bounds.maxCharactersInRun, 'too many characters')
          await scheduler.schedule(Promise.resolve(), 'the statement')
          underWay.set(
            lane,
            underWay.get(lane)!.filter((other) => other !== keys),
          )
          const max = storable.next().value
          const counts = new Map<string, number>()
          return items.map((item) => {
            const count = (counts.get(item.key_digest) ?? 0) + 1
            counts.set(item.key_digest, count)
            if (count > max) return undefined
            stored.push(item)
            return item.number
          })
        }
        const delayOf = ({ number }: Message) =>
          wanted[number]!.delayed ? scheduler.schedule(Promise.resolve(), `status of ${number}`) : undefined
        const laneOf = ({ lane }: Message) => lane
        const queue = ingestQueue<Message, number>(run, { ...bounds, ...limits, atOnce, laneOf, delayOf })
        const pushed: Message[] = []
        const done: number[] = []
        const all = wanted.map(async ({ delayed: _, ...message }, number) => {
          await scheduler.schedule(Promise.resolve(), `message ${number}`)
          if (!queue.hasRoom(1, message.key_digest)) return
          const item = { ...message, number }
          pushed.push(item)
          const { promise, resolve } = Promise.withResolvers<number>()
          queue.push(item, (result) => {
            done.push(result)
            resolve(result)
          })
          assert.ok(queue.held() <= limits.maxHeld)
          assert.equal(await promise, number)
        })
        await scheduler.waitFor(Promise.all(all))
        assert.deepEqual(problems, [])
        const orderOf = (items: Message[]) => Map.groupBy(items, ({ lane, key_digest }) => `${lane} ${key_digest}`)
        const numbers = (items: Message[] = []) => items.map(({ number }) => number)
        const [sent, kept] = [orderOf(pushed), orderOf(stored)]
        for (const [device, items] of sent) assert.deepEqual(numbers(kept.get(device)), numbers(items), 'in order')
        assert.deepEqual(done.toSorted(), numbers(pushed).toSorted(), 'each once')
        assert.equal(queue.held(), 0)
        assert.ok(pushed.length > 0 && queue.hasRoom(limits.maxHeld), 'nothing is left behind')
      },
    )
    await fc.assert(property, { numRuns: 200 })
  })
})
