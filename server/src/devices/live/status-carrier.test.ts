// As server/src/platform/interleavings.test.ts: fast-check's scheduler decides in which order concurrent steps go on.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import pino from 'pino'
import type { BaseContext } from '../../platform/context.ts'
import type { NumberedStatus } from '../telemetry-store/telemetry-store.ts'
import { createStatusCarrier } from './status-carrier.ts'
import { statusChangedTopic } from './topics.ts'

/** Calls gather until the end of a turn of the event loop: without one after each step, all of them would gather at once. */
const scheduler = () => fc.scheduler({ act: (step) => step().then(() => turn()) })

describe('decision 7.53: every interleaving of statuses that are carried over', () => {
  const carries = fc.array(
    fc.record({
      devices: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 }),
      fails: fc.nat(9).map((number) => number === 9),
    }),
    { minLength: 1, maxLength: 10 },
  )

  it('when no status of a device is pending, the lists have its latest one, and the job is woken after each', async () => {
    const property = fc.asyncProperty(scheduler(), carries, async (scheduler, wanted) => {
      const lists = new Map<string, number>()
      const failed = new Set<number>()
      let woken = 0
      /** As Postgres: an older one never replaces a newer one, and a statement that fails changes nothing. */
      const sql = async (_: TemplateStringsArray, ids: string[], statuses: string[], numbers: number[]) => {
        await scheduler.schedule(Promise.resolve(), `the statement with ${statuses.join()}`)
        const carried = statuses.map(Number)
        if (carried.some((index) => wanted[index]!.fails)) {
          for (const index of carried) failed.add(index)
          throw new Error('lost')
        }
        for (const [at, id] of ids.entries()) lists.set(id, Math.max(lists.get(id) ?? 0, numbers[at]!))
      }
      const notifications = {
        publishHere(topic: string) {
          assert.equal(topic, statusChangedTopic)
          woken += 1
        },
      }
      const context = { sql, log: pino({ level: 'silent' }), notifications } as unknown as BaseContext
      // The order of the steps decides here, and not how long a busy machine takes for them.
      const carrier = createStatusCarrier(context, 60_000)
      const latest = new Map<string, number>()
      const all = wanted.map(async ({ devices }, index) => {
        await scheduler.schedule(Promise.resolve(), `changes ${index}`)
        const changes = devices.map((device_id): NumberedStatus => {
          const number = (latest.get(device_id) ?? 0) + 1
          latest.set(device_id, number)
          return { device_id, status: String(index), number, at: 0 } as NumberedStatus
        })
        const carrying = carrier.carry(changes)
        for (const { device_id } of changes) assert.notEqual(carrier.pending(device_id), undefined)
        await carrying
        for (const { device_id, number } of changes) {
          assert.ok((lists.get(device_id) ?? 0) >= number || failed.size > 0, 'acknowledged, and not in the lists')
          const isPending = carrier.pending(device_id) !== undefined
          assert.ok(isPending || failed.size > 0 || lists.get(device_id) === latest.get(device_id))
        }
      })
      await scheduler.waitFor(Promise.all(all))
      assert.equal(woken, wanted.length)
      for (const device of ['a', 'b', 'c']) {
        assert.equal(carrier.pending(device), undefined, 'nothing is left behind')
        if (failed.size === 0) assert.equal(lists.get(device), latest.get(device))
      }
    })
    await fc.assert(property, { numRuns: 200 })
  })
})
