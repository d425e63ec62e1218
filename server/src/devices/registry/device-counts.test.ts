import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, send, startScene } from '../../../../test/support/devices.ts'
import { newPartner } from '../../../../test/support/partners.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { runJob } from '../../platform/jobs.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { countFleet, deviceTrendsJob, fleetCountsJob, readTrend } from './device-counts.ts'

const scene = await startScene()
const { context, sql, clock, customerId, model } = scene
const none = { never_seen: 0, online: 0, offline: 0, error: 0 }

describe('decision 7.46: the trend of the last day', () => {
  const count = () => runJob(sql, deviceTrendsJob(context))
  const trend = async () => (await readTrend(context, { customer_id: customerId })).items

  it('one row per quarter of an hour, of this customer alone, and none older than a day', async () => {
    const device = await scene.claimed()
    await scene.registered()
    await count()
    await count()
    assert.deepEqual(
      (await trend()).map(({ at, ...counts }) => counts),
      [{ ...none, never_seen: 1 }],
    )
    await send(scene, device, online({}))
    clock.forward(15 * 60)
    await count()
    const [first, second] = await trend()
    assert.deepEqual([first!.never_seen, second!.online], [1, 1])
    assert.equal(second!.at.getTime() - first!.at.getTime(), 15 * 60_000)
    assert.equal(second!.at.getTime() % (15 * 60_000), 0)
    assert.equal((await readTrend(context, { customer_id: newId() })).items.length, 0)
    clock.forward(24 * 3_600 + 60)
    await count()
    assert.equal((await trend()).length, 1)
  })

  it('a page reads only its own rows', async () => {
    await sql`
      insert into device_trends select gen_random_uuid(), ${clock.now()}, 1, 1, 1, 1 from generate_series(1, 3000)`
    const read = await rowsRead(context, 'device_trends', (within) => readTrend(within, { customer_id: customerId }))
    assert.ok(read < 20, `${read} rows`)
  })
})

describe("decision 7.47: a partner's fleet by model, firmware version and status", () => {
  it('a small fleet is counted now, without other partners and removed devices', async () => {
    const { counted_at, items } = await countFleet(context, model.partner_id)
    assert.deepEqual(counted_at, clock.now())
    const counts = { ...none, never_seen: 1, online: 1 }
    assert.deepEqual(items, [{ model_id: model.id, model_name: 'Sensor', firmware_version: '1.4.2', ...counts }])
    const other = await newPartner(scene)
    const { body } = await other.call('GET', '/devices/counts')
    assert.deepEqual([body.items, body.next], [[], null])
  })

  it('a large one comes from the last count of the job, whatever its size', async () => {
    // In parts, since a statement has a deadline.
    for (let first = 1; first <= 10_000; first += 1_000)
      await sql`
      insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status, status_at)
      select gen_random_uuid(), ${model.partner_id}, ${model.id}, gen_random_uuid(), gen_random_uuid(),
        case when number % 4 = 0 then '2.0.0' when number <= 300 then 'build ' || number else '1.9.0' end, now(),
        case when number % 10 = 0 then 'offline' else 'online' end, now()
      from generate_series(${first}::int, ${first + 999}::int) number`
    assert.deepEqual(await countFleet(context, model.partner_id), { counted_at: null, items: [], next: null })
    await runJob(sql, fleetCountsJob(context))
    const at = clock.now()
    clock.forward(60)
    const { counted_at, items } = await countFleet(context, model.partner_id)
    assert.deepEqual(counted_at, at)
    assert.deepEqual(
      items.slice(0, 2).map((row) => [row.firmware_version, row.online, row.offline]),
      [
        ['1.9.0', 6_790, 485],
        ['2.0.0', 2_000, 500],
      ],
    )
    assert.equal(items.length, 200, 'versions are texts of the devices: not all are listed')
    const read = await rowsRead(context, 'fleet_counts', (within) => countFleet(within, model.partner_id))
    assert.ok(read <= 250, `${read} rows`)
  })
})
