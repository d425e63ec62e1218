/**
 * Messages on their way into few statements. Like `coalesce`, with three rules more: a device has at most one message
 * in a statement and one statement under way, so that its messages stay in order; the queue is bounded; and whoever
 * brings many messages is told with one call each instead of a promise each.
 */
export interface IngestQueue<Item, Result> {
  /** `done` is called once, after the item's statement. */
  push(item: Item, done: (result: Result, item: Item) => void): void
  /** Whether so many more would be within the bounds; with a device, also whether that one has not too many already. */
  hasRoom(count: number, deviceId?: string): boolean
  /** Items that wait or are under way. */
  held(): number
}

export interface IngestQueueOptions {
  lanes: number
  mostInRun: number
  mostHeld: number
  /** Characters of all items held. */
  mostCharacters: number
  /** Of one device: a device that talks without end must not fill the queue for all. */
  mostOfADevice: number
}

interface Waiter<Item, Result> {
  item: Item
  done(result: Result, item: Item): void
}

/** `run` answers one result an item, in the same order, and never throws. */
export function ingestQueue<Item extends { device_id: string; telemetries: string }, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { lanes, mostInRun, mostHeld, mostCharacters, mostOfADevice }: IngestQueueOptions,
): IngestQueue<Item, Result> {
  let ready: Waiter<Item, Result>[] = []
  /** Every device that is ready or under way, with those of its messages that wait behind that one. */
  const behind = new Map<string, Waiter<Item, Result>[] | undefined>()
  let running = 0
  let held = 0
  let characters = 0

  function start(): void {
    while (running < lanes && ready.length > 0) {
      const batch = ready.length <= mostInRun ? ready : ready.slice(0, mostInRun)
      ready = ready.length <= mostInRun ? [] : ready.slice(mostInRun)
      running += 1
      void settle(batch)
    }
  }

  async function settle(batch: Waiter<Item, Result>[]): Promise<void> {
    const results = await run(batch.map(({ item }) => item))
    for (const { item } of batch) release(item)
    running -= 1
    held -= batch.length
    // The next statement leaves before this one's replies are written.
    start()
    for (const [index, { item, done }] of batch.entries()) done(results[index]!, item)
  }

  function release({ device_id, telemetries }: Item): void {
    characters -= telemetries.length
    const next = behind.get(device_id)?.shift()
    if (next) ready.push(next)
    else behind.delete(device_id)
  }

  return {
    push(item, done) {
      const waiter = { item, done }
      held += 1
      characters += item.telemetries.length
      if (behind.has(item.device_id)) {
        const waiters = behind.get(item.device_id)
        if (waiters) waiters.push(waiter)
        else behind.set(item.device_id, [waiter])
        return
      }
      behind.set(item.device_id, undefined)
      ready.push(waiter)
      // Callers of the same turn of the event loop share the first statement too.
      if (running < lanes && ready.length === 1) queueMicrotask(start)
    },
    hasRoom: (count, deviceId) =>
      held + count <= mostHeld &&
      characters < mostCharacters &&
      (deviceId === undefined || (behind.get(deviceId)?.length ?? 0) < mostOfADevice),
    held: () => held,
  }
}
