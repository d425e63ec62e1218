import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { inEvenTime } from './even-time.ts'

const timed = async (work: () => Promise<unknown>) => {
  const start = performance.now()
  const [outcome] = await Promise.allSettled([inEvenTime(200, work)])
  return { ...outcome, milliseconds: performance.now() - start }
}

it('what takes less than the interval takes the interval, a failure too; what takes longer, a multiple', async () => {
  const [quick, slow, failed, long] = await Promise.all([
    timed(async () => 'quick'),
    timed(async () => await sleep(100, 'slow')),
    timed(async () => Promise.reject(new Error('no'))),
    timed(async () => await sleep(250, 'long')),
  ])
  for (const { milliseconds } of [quick, slow, failed]) assert.ok(milliseconds > 198)
  assert.ok(long.milliseconds > 398)
  // On a busy machine all of them are late.
  assert.ok(quick.milliseconds < long.milliseconds)
  assert.deepEqual([quick.status, slow.status, failed.status], ['fulfilled', 'fulfilled', 'rejected'])
})
