import { AsyncLocalStorage } from 'node:async_hooks'
import { oncePerTick } from '../once-per-tick.ts'
import { transactions } from './nested-statements.ts'

/** A run serves many callers, so it must not inherit the async context of the one that started it. */
const outsideAnyRequest = AsyncLocalStorage.snapshot()

/**
 * Turns concurrent calls into few statements: while `atOnce` runs are under way, further calls gather and run together
 * when one returns. There are no timers, so a single call never waits.
 */
export interface Coalesced<Item, Result> {
  (item: Item): Promise<Result>
  /** Items that wait for a run; a bounded queue checks this before it accepts another. */
  waiting(): number
}

export interface CoalesceOptions {
  /** Max items per run. */
  max?: number
  /** Max runs at the same time. */
  atOnce?: number
}

interface Waiter<Item, Result> {
  item: Item
  /** A caller inside a transaction waits for this run with a connection in hand. */
  inside: ReturnType<typeof transactions.getStore>
  resolve(result: Result): void
  reject(error: unknown): void
}

/** `run` returns one result per item, in the same order; when it throws, every call of that run rejects. */
export function coalesce<Item, Result>(
  run: (items: Item[]) => Promise<readonly Result[]>,
  { max = 1_000, atOnce = 1 }: CoalesceOptions = {},
): Coalesced<Item, Result> {
  let waiters: Waiter<Item, Result>[] = []
  let running = 0
  const gather = oncePerTick(start)

  function start(): void {
    while (running < atOnce && waiters.length > 0) {
      const batch = waiters.length <= max ? waiters : waiters.slice(0, max)
      waiters = waiters.length <= max ? [] : waiters.slice(max)
      running += 1
      void settle(batch)
    }
  }

  async function settle(batch: Waiter<Item, Result>[]): Promise<void> {
    let results: readonly Result[]
    try {
      const inside = batch.find((waiter) => waiter.inside !== undefined)?.inside
      const items = batch.map(({ item }) => item)
      results = await outsideAnyRequest(() => (inside ? transactions.run(inside, run, items) : run(items)))
      if (results.length !== batch.length) throw new Error(`${batch.length} items, ${results.length} results`)
    } catch (error) {
      running -= 1
      start()
      for (const { reject } of batch) reject(error)
      return
    }
    // The next run starts at the end of this tick, with every call that has come by then: larger runs cost less per call.
    running -= 1
    if (waiters.length > 0) gather()
    for (const [index, { resolve }] of batch.entries()) resolve(results[index]!)
  }

  const call = (item: Item) =>
    new Promise<Result>((resolve, reject) => {
      waiters.push({ item, inside: transactions.getStore(), resolve, reject })
      // Calls of the same tick of the event loop share a run.
      if (running < atOnce) gather()
    })
  return Object.assign(call, { waiting: () => waiters.length })
}
