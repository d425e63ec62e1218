import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Asks until the answer is yes. How long that takes on a busy machine says nothing: only a wait in vain fails. */
export async function until(condition: () => unknown, what = 'what was waited for', seconds = 30): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`)
    await sleep(20)
  }
}

/** Each try answers its milliseconds. On a noisy machine the best of several tells what the work itself takes. */
export async function requireWithin(limit: number, attempt: (n: number) => Promise<number>, tries = 5): Promise<void> {
  const times: number[] = []
  while (times.length < tries && !times.some((time) => time < limit)) times.push(await attempt(times.length))
  assert.ok(Math.min(...times) < limit, `took ${times.map(Math.round).join(', ')} ms; at most ${limit} are allowed`)
}
