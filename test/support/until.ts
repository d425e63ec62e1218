import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until the condition holds. A busy machine may take long, so the limit is generous. */
export async function until(condition: () => unknown, what = 'what was waited for', seconds = 90): Promise<void> {
  const end = performance.now() + seconds * 1000
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${seconds} s`)
    await sleep(20)
  }
}

/** Each attempt returns its milliseconds. On a busy machine only the best of several shows what the work itself takes. */
export async function requireWithin(limit: number, attempt: (n: number) => Promise<number>, tries = 5): Promise<void> {
  const times: number[] = []
  while (times.length < tries && !times.some((time) => time < limit)) times.push(await attempt(times.length))
  assert.ok(Math.min(...times) < limit, `took ${times.map(Math.round).join(', ')} ms; at most ${limit} are allowed`)
}
