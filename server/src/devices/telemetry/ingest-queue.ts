import { oncePerTick } from '../../platform/once-per-tick.ts'

/**
 * Gathers messages into few statements. Like `coalesce`, with three more rules: a device has at most one message per
 * statement and one statement under way, so that its messages stay in order; the queue is bounded; and each message has
 * a callback instead of a promise, which is cheaper for calls with many messages.
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

export interface IngestQueueOptions {
  lanes: number
  maxInRun: number
  maxHeld: number
  /** Characters of all items held. */
  maxCharacters: number
  /** A device that sends without pause must not fill the queue for all. */
  maxPerDevice: number
}

/**
 * The share of the queue for messages that wait behind one of their own device: they leave one per statement, so a few
 * keys, right or wrong, could otherwise keep the queue full for all other devices.
 */
const shareOfWaiting = 0.5

interface Waiter<Item, Result> {
  item: Item
  done(result: Result): void
}

/** `run` returns one result per item, in the same order, and never throws. */
export function ingestQueue<Item extends { key_digest: string; telemetries: string }, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { lanes, maxInRun, maxHeld, maxCharacters, maxPerDevice }: IngestQueueOptions,
): IngestQueue<Item, Result> {
  let ready: Waiter<Item, Result>[] = []
  /** Every device that is ready or under way, with its messages that wait behind that one. */
  const behind = new Map<string, Waiter<Item, Result>[] | undefined>()
  let running = 0
  let held = 0
  let characters = 0
  const gather = oncePerTick(start)

  function start(): void {
    while (running < lanes && ready.length > 0) {
      const batch = ready.length <= maxInRun ? ready : ready.slice(0, maxInRun)
      ready = ready.length <= maxInRun ? [] : ready.slice(maxInRun)
      running += 1
      void settle(batch)
    }
  }

  async function settle(batch: Waiter<Item, Result>[]): Promise<void> {
    const results = await run(batch.map(({ item }) => item))
    for (const { item } of batch) release(item)
    running -= 1
    held -= batch.length
    if (ready.length > 0) gather()
    for (const [index, { done }] of batch.entries()) done(results[index]!)
  }

  function release({ key_digest, telemetries }: Item): void {
    characters -= telemetries.length
    const next = behind.get(key_digest)?.shift()
    if (next) ready.push(next)
    else behind.delete(key_digest)
  }

  return {
    push(item, done) {
      const waiter = { item, done }
      held += 1
      characters += item.telemetries.length
      if (behind.has(item.key_digest)) {
        const waiters = behind.get(item.key_digest)
        if (waiters) waiters.push(waiter)
        else behind.set(item.key_digest, [waiter])
        return
      }
      behind.set(item.key_digest, undefined)
      ready.push(waiter)
      if (running < lanes) gather()
    },
    hasRoom(count, keyDigest) {
      const waits = keyDigest !== undefined && (count > 1 || behind.has(keyDigest))
      const share = waits ? shareOfWaiting : 1
      if (held + count > maxHeld * share || characters >= maxCharacters * share) return false
      return !waits || (behind.get(keyDigest)?.length ?? 0) + count <= maxPerDevice
    },
    held: () => held,
  }
}
