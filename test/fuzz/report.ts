import assert from 'node:assert/strict'
import type { Report } from './run.ts'
import { describeFault } from './tally.ts'

/** Below it, a process is still warming up in the middle of the run. */
const settledAfter = 200_000
const allowedGrowth = 1.2

export function assertSound({ tally, memory, missed }: Report): void {
  assert.equal(tally.faults.map(describeFault).join('\n\n'), '')
  assert.equal(tally.serverErrors, 0)
  if (tally.total >= settledAfter) {
    assert.ok(memory.end <= allowedGrowth * memory.middle, `memory grew from ${memory.middle} to ${memory.end} bytes`)
  }
  // A fuzzer whose requests are all refused proves nothing.
  if (tally.sentOf('api') > 0) assert.ok(tally.shareLetIn('api') > 0.2, `${tally.shareLetIn('api')} were let in`)
  if (tally.sentOf('api') >= 100_000) assert.deepEqual(missed, [])
}
