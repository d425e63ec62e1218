import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Settles at a whole multiple of the interval after the start: how long it takes does not tell what had to be done. A
 * longer work than one interval waits for the end of the next.
 */
export async function inEvenTime<T>(intervalMilliseconds: number, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const [outcome] = await Promise.allSettled([work()])
  const taken = performance.now() - start
  const until = Math.max(1, Math.ceil(taken / intervalMilliseconds)) * intervalMilliseconds
  await sleep(until - taken)
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}
