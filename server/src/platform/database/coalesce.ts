import { AsyncLocalStorage } from 'node:async_hooks'
import { oncePerTick } from '../once-per-tick.ts'

/** A run serves many callers: it must not act in the name of the one who happened to start it. */
const inNobodysName = AsyncLocalStorage.snapshot()

/**
 * Turns concurrent calls into few statements: while `lanes` runs are under way the next callers gather, and go
 * together when one returns. No timers, so a lone caller waits for nobody.
 */
export interface Coalesced<Item, Result> {
  (item: Item): Promise<Result>
  /** Items that wait for a run; what a bounded queue looks at before it accepts another. */
  waiting(): number
}

export interface CoalesceOptions {
  /** Items in one run at most. */
  max?: number
  /** Runs under way at once. */
  lanes?: number
}

interface Waiter<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** `run` answers one result an item, in the same order; when it throws, every caller of that run is told. */
export function coalesce<Item, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { max = 1_000, lanes = 1 }: CoalesceOptions = {},
): Coalesced<Item, Result> {
  let waiters: Waiter<Item, Result>[] = []
  let running = 0
  const gather = oncePerTick(start)

  function start(): void {
    while (running < lanes && waiters.length > 0) {
      const batch = waiters.length <= max ? waiters : waiters.slice(0, max)
      waiters = waiters.length <= max ? [] : waiters.slice(max)
      running += 1
      void settle(batch)
    }
  }

  async function settle(batch: Waiter<Item, Result>[]): Promise<void> {
    let results: readonly Result[]
    try {
      results = await inNobodysName(
        run,
        batch.map(({ item }) => item),
      )
      if (results.length !== batch.length) throw new Error(`${batch.length} items, ${results.length} results`)
    } catch (error) {
      running -= 1
      start()
      for (const { reject } of batch) reject(error)
      return
    }
    // The next run takes along whoever has arrived by the end of this turn: the larger a run, the less each part of it costs.
    running -= 1
    if (waiters.length > 0) gather()
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
  }

  const call = (item: Item) =>
    new Promise<Result>((resolve, reject) => {
      waiters.push({ item, resolve, reject })
      // Whoever asks in the same turn of the event loop goes along: everything that has arrived by now, on any socket.
      if (running < lanes) gather()
    })
  return Object.assign(call, { waiting: () => waiters.length })
}
