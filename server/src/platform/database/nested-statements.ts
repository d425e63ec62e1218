import { AsyncLocalStorage } from 'node:async_hooks'
import type { WatchedPool } from './hosts.ts'

/** A transaction, and the one around it. */
export interface Inside {
  pool: WatchedPool
  open: boolean
  outer: Inside | undefined
}

/** The transactions that the current caller is inside of; only with `forbidNested`. */
export const transactions = new AsyncLocalStorage<Inside | undefined>()

export const nestedText =
  'A statement was sent to a pool inside one of its transactions: in a small pool both would wait for each other.'
