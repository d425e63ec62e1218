import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { onCitus } from '../../../../test/support/citus.ts'
import { online, register, send, startScene } from '../../../../test/support/devices.ts'
import { runJob } from '../../platform/jobs.ts'
import { packHistoryJob } from './packing.ts'
import { createPartitionsJob } from './partitions.ts'

const skip = onCitus ? false : 'only on a Citus: LANDBRIDGE_TEST_CITUS names none'

describe('decision 3.16: a day that is packed', { skip }, () => {
  it('takes late messages, once each, with or without an id', async () => {
    const scene = await startScene()
    const { service, sql, context, model } = scene
    await runJob(sql, createPartitionsJob(context))
    const device = await register(service, model)
    const timestamp = new Date(context.now().getTime() - 4 * 86_400_000).toISOString()
    const named = online({ temperature: 20 }, { timestamp, message_id: 'first' })
    assert.equal((await send(service, device, named)).status, 200)
    const job = packHistoryJob(context)
    for (let run = 0; run < 7; run += 1) await job.runShared()
    const day = `history_${timestamp.slice(0, 10).replaceAll('-', '')}`
    const [packed] = await sql`
      select amname from pg_class join pg_am on pg_am.oid = relam where pg_class.oid = ${day}::regclass`
    assert.equal(packed!.amname, 'columnar')

    const late = online({ temperature: 21 }, { timestamp, message_id: 'second' })
    const unnamed = online({ temperature: 22 }, { timestamp })
    for (const message of [named, late, late, unnamed]) assert.equal((await send(service, device, message)).status, 200)
    const both = [late, { ...late, message_id: 'third' }, { ...late, message_id: 'third' }]
    await Promise.all(both.map((message) => send(service, device, message)))
    const rows = await sql`
      select message_id, telemetries ->> 'temperature' as temperature from history
      where bucket = device_bucket(${device.id}) order by sequence`
    const found = rows.map(({ message_id, temperature }) => `${message_id} ${temperature}`)
    assert.deepEqual(found.toSorted(), ['first 20', 'null 22', 'second 21', 'third 21'])
  })
})
