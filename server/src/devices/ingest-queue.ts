/** Messages on their way into few statements, in order for each device. Like `coalesce`, with two rules more: a device
 * has at most one message in a statement and at most one statement under way, and the queue is bounded. */
export interface IngestQueue<Item, Result> {
  (item: Item): Promise<Result>
  /** Whether so many more would be within the bounds. */
  hasRoom(count: number): boolean
}

export interface IngestQueueOptions {
  lanes: number
  mostInRun: number
  mostWaiting: number
}

interface Waiter<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

export function ingestQueue<Item extends { device_id: string }, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { lanes, mostInRun, mostWaiting }: IngestQueueOptions,
): IngestQueue<Item, Result> {
  let ready: Waiter<Item, Result>[] = []
  /** Every device that is ready or under way, with those of its messages that wait behind that one. */
  const behind = new Map<string, Waiter<Item, Result>[] | undefined>()
  let running = 0
  let held = 0

  function start(): void {
    while (running < lanes && ready.length > 0) {
      const batch = ready.length <= mostInRun ? ready : ready.slice(0, mostInRun)
      ready = ready.length <= mostInRun ? [] : ready.slice(mostInRun)
      running += 1
      void settle(batch)
    }
  }

  async function settle(batch: Waiter<Item, Result>[]): Promise<void> {
    const tell = await run(batch.map(({ item }) => item)).then(
      (results) => (waiter: Waiter<Item, Result>, index: number) => waiter.resolve(results[index]!),
      (error) => (waiter: Waiter<Item, Result>) => waiter.reject(error),
    )
    for (const { item } of batch) release(item.device_id)
    running -= 1
    held -= batch.length
    // The next statement leaves before this one's replies are written.
    start()
    batch.forEach(tell)
  }

  function release(deviceId: string): void {
    const waiters = behind.get(deviceId)
    const next = waiters?.shift()
    if (next) ready.push(next)
    else behind.delete(deviceId)
  }

  const call = (item: Item) =>
    new Promise<Result>((resolve, reject) => {
      const waiter = { item, resolve, reject }
      held += 1
      if (behind.has(item.device_id)) {
        const waiters = behind.get(item.device_id)
        if (waiters) waiters.push(waiter)
        else behind.set(item.device_id, [waiter])
        return
      }
      behind.set(item.device_id, undefined)
      ready.push(waiter)
      // Callers of the same turn of the event loop share the first statement too.
      if (running < lanes) queueMicrotask(start)
    })
  return Object.assign(call, { hasRoom: (count: number) => held + count <= mostWaiting })
}
