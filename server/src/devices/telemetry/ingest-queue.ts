import { oncePerTick } from '../../platform/once-per-tick.ts'
import { type BatchBounds, chooseBatch, type Line, type QueueItem, settleLine, type Waiter } from './ingest-batch.ts'
import { type LaneTimes, laneTimes, type Pace, statementPace } from './statement-pace.ts'

/**
 * Gathers messages into few statements. Like `coalesce`, with three more rules: a device is in at most one statement at
 * a time, so that its messages stay in order; the queue is bounded; and each message has a callback instead of a
 * promise, which is cheaper for calls with many messages.
 * Devices are distinguished by key, not by id: messages with a wrong key must not delay those with the right one.
 */
export interface IngestQueue<Item, Result> {
  /** `done` is called once, after the item's statement. */
  push(item: Item, done: (result: Result) => void): void
  /** Whether `count` more items are within the bounds; with a key, `count` more of its device. */
  hasRoom(count: number, keyDigest?: string): boolean
  /** Items that wait or are under way. */
  held(): number
}

export interface IngestQueueOptions<Item> extends BatchBounds {
  /** Items of different lanes are never in one statement. */
  laneOf?: (item: Item) => number
  /** Statements of a lane that are under way at once. */
  atOnce: number
  /** What an acknowledgement waits for after the item's statement, if anything. */
  delayOf?: (item: Item) => Promise<void> | undefined
  maxHeld: number
  /** Characters of all items held. */
  maxCharacters: number
  /** A device that sends without pause must not fill the queue for all. */
  maxPerDevice: number
  /** Without it a statement begins as soon as one may. */
  pace?: Pace
}

/**
 * The share of the queue for messages that wait behind others of their own device: a few keys, right or wrong, could
 * otherwise keep the queue full for all other devices.
 */
const shareOfWaiting = 0.5

interface Lane<Item, Result> {
  /** By key, with messages. Of each lane its own: anybody can send one wrong key for devices of several lanes. */
  lines: Map<string, Line<Item, Result>>
  /** Each has messages that wait and none under way. */
  ready: Line<Item, Result>[]
  running: number
  times: LaneTimes
}

/**
 * `run` returns one result per item, in the same order, and never throws. A result of `undefined` means that the items
 * of this key, from this one on, could not be stored together: they run again, half as many at a time.
 */
export function ingestQueue<Item extends QueueItem, Result>(
  run: (items: Item[]) => Promise<readonly (Result | undefined)[]>,
  options: IngestQueueOptions<Item>,
): IngestQueue<Item, Result> {
  const { laneOf, atOnce, delayOf, maxInRun, maxHeld, maxCharacters, maxPerDevice, pace: wanted } = options
  const lanes = new Map<number, Lane<Item, Result>>()
  let held = 0
  let characters = 0
  const gather = oncePerTick(start)
  const pace = wanted && statementPace(wanted, start)

  function start(): void {
    const now = performance.now()
    for (const lane of pace ? leastRecentFirst() : lanes.values()) {
      while (
        lane.running < atOnce &&
        lane.ready.length > 0 &&
        (!pace || pace.mayBegin(lane.times, lane.ready.length, now))
      ) {
        const { batch, chosen, others } = chooseBatch(lane.ready, options)
        lane.ready = others
        lane.running += 1
        void settle(lane, batch, chosen)
      }
    }
  }

  /** Where statements of all lanes begin some time apart, each lane has its turn. */
  function leastRecentFirst(): Lane<Item, Result>[] {
    return [...lanes.values()].sort((one, other) => one.times.began - other.times.began)
  }

  function laneFor(item: Item): Lane<Item, Result> {
    const number = laneOf ? laneOf(item) : 0
    let lane = lanes.get(number)
    if (!lane) {
      lane = { lines: new Map(), ready: [], running: 0, times: laneTimes() }
      lanes.set(number, lane)
    }
    return lane
  }

  async function settle(
    lane: Lane<Item, Result>,
    batch: Waiter<Item, Result>[],
    chosen: Line<Item, Result>[],
  ): Promise<void> {
    const began = performance.now()
    const results = await run(batch.map(({ item }) => item))
    pace?.ended(lane.times, performance.now() - began)
    let end = 0
    for (const line of chosen) {
      const start = end
      end += line.underWay
      const settled = settleLine(line, { batch, results, end }, maxInRun)
      held -= settled - start
      for (let index = start; index < settled; index += 1) characters -= batch[index]!.item.telemetries.length
      if (line.waiting.length > 0) lane.ready.push(line)
      else lane.lines.delete(line.key)
    }
    lane.running -= 1
    if (lane.ready.length > 0) gather()
    for (const [index, { item, done }] of batch.entries()) {
      const result = results[index]
      if (result === undefined) continue
      const delay = delayOf?.(item)
      if (delay) void delay.then(() => done(result))
      else done(result)
    }
  }

  function heldOf(key: string): number {
    let count = 0
    for (const { lines } of lanes.values()) {
      const line = lines.get(key)
      if (line) count += line.waiting.length + line.underWay
    }
    return count
  }

  return {
    push(item, done) {
      held += 1
      characters += item.telemetries.length
      const lane = laneFor(item)
      const line = lane.lines.get(item.key_digest)
      if (line) {
        line.waiting.push({ item, done })
        return
      }
      const first = { key: item.key_digest, waiting: [{ item, done }], underWay: 0, maxInRun }
      lane.lines.set(item.key_digest, first)
      lane.ready.push(first)
      if (lane.running < atOnce) gather()
    },
    hasRoom(count, keyDigest) {
      const ofKey = keyDigest === undefined ? 0 : heldOf(keyDigest)
      const waits = ofKey > 0 || (keyDigest !== undefined && count > 1)
      const share = waits ? shareOfWaiting : 1
      if (held + count > maxHeld * share || characters >= maxCharacters * share) return false
      return !waits || ofKey + count <= maxPerDevice
    },
    held: () => held,
  }
}
