import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { until } from '../../../../test/support/until.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import type { Context } from '../context.ts'
import { createLiveInterest } from './interest.ts'

const { context, sql } = await startHarness()

describe('interest in live devices', () => {
  it('an interest that could not be published does not count; the next one is published, and ends with its watcher', async () => {
    const customerId = newId()
    const watched = async () => (await sql`select 1 from live_interests where customer_id = ${customerId}`).length === 1
    let unavailable = true
    const failing: Context = {
      ...context,
      notifications: {
        ...context.notifications,
        publish: async (...call) => {
          if (unavailable) throw new Error('the database is unavailable')
          await context.notifications.publish(...call)
        },
      },
    }
    const interest = createLiveInterest(failing)
    const [first, second] = await Promise.allSettled([interest.watch(customerId), interest.watch(customerId)])
    assert.deepEqual([first.status, second.status], ['rejected', 'rejected'])
    assert.equal(await watched(), false)
    unavailable = false
    const stop = await interest.watch(customerId)
    assert.equal(await watched(), true)
    stop()
    await until(async () => !(await watched()))
  })

  it('interests that could not be read are read by the next who needs them', async () => {
    let reads = 0
    const failingOnce = Object.assign((...call: Parameters<typeof sql>) => {
      reads += 1
      if (reads === 1) throw new Error('the database is unavailable')
      return sql(...call)
    }, sql)
    const interest = createLiveInterest({ ...context, sql: failingOnce as typeof sql })
    await assert.rejects(interest.ready())
    await interest.ready()
    assert.equal(reads, 2)
  })
})
