import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { register, startScene } from '../../../../test/support/devices.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { authenticateDevice, keyDigest } from './ingest.ts'

const { service, context, sql, model } = await startScene()

describe('devices are locked in order of id, so that no two statements wait for each other', () => {
  it('also when their keys are first used, in whichever order they arrive', async () => {
    const low = await register(service, model)
    const high = await register(service, model)
    const release = await holdLocks(
      sql,
      (hold) => hold`select from device_states where device_id = ${low.id} for update`,
    )
    const used = [high, low].map(({ id, access_key }) =>
      authenticateDevice(context, { device_id: id, key_digest: keyDigest(access_key) }),
    )
    await untilWaiting(sql)
    const free = await sql`select from device_states where device_id = ${high.id} for update skip locked`
    await release()
    assert.equal(free.length, 1)
    assert.deepEqual(await Promise.all(used), [{ status: 200 }, { status: 200 }])
  })
})
