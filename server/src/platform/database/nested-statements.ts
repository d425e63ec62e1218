import { AsyncLocalStorage } from 'node:async_hooks'
import type { WatchedPool } from './hosts.ts'
import type { Sql } from './pool-interface.ts'

/** A transaction, and the one around it. */
interface Inside {
  pool: WatchedPool
  open: boolean
  outer: Inside | undefined
}

/** The transactions that the current caller is inside of; only with `forbidNested`. */
export const transactions = new AsyncLocalStorage<Inside | undefined>()

const nestedText =
  'A statement was sent to a pool inside one of its transactions: in a small pool both would wait for each other.'

/** For tests: a statement to the pool inside its own transaction needs a second connection, which there may not be. */
export function requireOutside(pool: WatchedPool): void {
  for (let at = transactions.getStore(); at; at = at.outer) {
    if (at.pool === pool && at.open) throw new Error(nestedText)
  }
}

/** Remembers, while the transaction is open, that this code runs inside it. */
export async function inside<T>(
  pool: WatchedPool,
  work: (tx: Sql) => Promise<T>,
  begun: (work: (tx: Sql) => Promise<T>) => Promise<T>,
): Promise<T> {
  const marker: Inside = { pool, open: true, outer: transactions.getStore() }
  return await begun((tx) => transactions.run(marker, async () => await work(tx))).finally(() => {
    marker.open = false
  })
}
