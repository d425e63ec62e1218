import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, send, startScene } from '../../../../test/support/devices.ts'
import { indexBlocksRead, rowsRead } from '../../../../test/support/rows-read.ts'
import { settleAllDeadlines } from '../live/offline-deadlines.ts'
import { type Reason, reasonOf } from './device-details.ts'
import { countMatching, listDevices } from './device-lists.ts'
import { getDevice } from './devices.ts'

const scene = await startScene()
const { context, sql, clock, customer, customerId, partner, model } = scene

describe('decision 8.50: why a device needs attention', () => {
  const alarm = { key: 'leak', value: true, since: null }
  const cases: [Parameters<typeof reasonOf>[0], Reason | null][] = [
    [{ status: 'online', offline_by: null, alarm: null }, null],
    [{ status: 'online', offline_by: null, alarm }, 'alarm'],
    [{ status: 'error', offline_by: null, alarm: null }, 'reported_error'],
    [{ status: 'error', offline_by: null, alarm }, 'reported_error'],
    [{ status: 'offline', offline_by: 'connection', alarm: null }, 'connection_lost'],
    [{ status: 'offline', offline_by: 'message', alarm: null }, 'reported_offline'],
    [{ status: 'offline', offline_by: 'silence', alarm: null }, 'no_telemetry'],
    [{ status: 'never_seen', offline_by: null, alarm: null }, 'never_seen'],
  ]
  for (const [judged, reason] of cases) {
    it(`${judged.status}${judged.offline_by ? ` by ${judged.offline_by}` : ''}${judged.alarm ? ' with an alarm' : ''} → ${reason}`, () =>
      assert.equal(reasonOf(judged), reason))
  }

  it('a device says the same of itself alone, in a list, and to its partner, with the path of its space for the customer only', async () => {
    const [city, room] = [await scene.newSpace(customerId), await scene.newSpace(customerId)]
    await sql`update spaces set name = 'Berlin' where id = ${city}`
    await sql`update spaces set name = '311', parent_id = ${city} where id = ${room}`
    const device = await scene.claimed({ space_id: room })
    const said = async () => {
      const alone = await getDevice(context, customer, device.id)
      const listed = (await listDevices(context, customer, {})).items.find(({ id }) => id === device.id)!
      const fleet = (await listDevices(context, partner, {})).items.find(({ id }) => id === device.id)!
      assert.deepEqual(
        [alone.space_path, listed.space_path, fleet.space_path],
        [['Berlin', '311'], ['Berlin', '311'], []],
      )
      for (const other of [listed, fleet]) {
        assert.deepEqual([other.reason, other.alarm, other.status_at], [alone.reason, alone.alarm, alone.status_at])
      }
      return [alone.reason, alone.alarm]
    }
    assert.deepEqual(await said(), ['never_seen', null])
    await send(scene, device, online({ leak: false }))
    assert.deepEqual(await said(), [null, null])
    const meanings = [{ key: 'leak', type: 'boolean', values: [{ value: true, alarm: true }] }]
    await sql`update models set dictionary = ${sql.json(meanings)} where id = ${model.id}`
    clock.forward(1)
    await send(scene, device, online({ leak: true }))
    assert.deepEqual(await said(), ['alarm', alarm])
    clock.forward(1)
    await send(scene, device, { status: 'error', telemetries: {} })
    assert.deepEqual(await said(), ['reported_error', alarm])
    clock.forward(1)
    await send(scene, device, { status: 'offline', telemetries: {} })
    assert.deepEqual(await said(), ['reported_offline', null])
    clock.forward(1)
    await send(scene, device, online({ leak: false }))
    clock.forward(3_600)
    await settleAllDeadlines(context)
    assert.deepEqual(await said(), ['no_telemetry', null])
    const { status_at, last_seen_at } = await getDevice(context, customer, device.id)
    assert.equal(
      status_at.getTime() - last_seen_at!.getTime(),
      120_000,
      'since its deadline, whenever that was noticed',
    )
  })
})

describe('several statuses in a filter', () => {
  it('every combination of filters and orders reads about a page of 6,000 devices, and its index', async () => {
    const space_ids = [await scene.newSpace(customerId)]
    // In parts, since a statement has a deadline.
    for (let first = 1; first <= 6_000; first += 500) {
      await sql`
        with created as (
          insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, claimed_at,
            space_id, status, status_at)
          select gen_random_uuid(), ${model.partner_id}, ${model.id}, gen_random_uuid(), gen_random_uuid(), '1.0.0', now(),
            ${customerId}, now(), ${space_ids[0]!},
            case when n % 100 = 0 then 'error' when n % 3 = 0 then 'offline' else 'online' end, now()
          from generate_series(${first}::int, ${first + 499}::int) n
          returning id, number, status)
        insert into device_states (bucket, device_id, number, customer_id, key_digest, status)
        select device_bucket(id), id, number, ${customerId}, '', status from created`
    }
    const statuses = ['error' as const, 'offline' as const]
    assert.deepEqual(await countMatching(context, customer, { statuses }), { total: 2_041, more: false })
    for (const owner of [customer, partner]) {
      for (const more of [{}, { model_id: model.id }, ...(owner === customer ? [{ space_ids }] : [])]) {
        for (const sort of ['registered_at', 'status', '-status', 'model'] as const) {
          const query = { ...more, statuses, sort, limit: 50 }
          // So few devices would be read as a whole, which takes no longer than by index.
          const list = async (within: typeof context) => {
            await within.sql`set local enable_seqscan = off`
            return await listDevices(within, owner, query)
          }
          const { items } = await listDevices(context, owner, query)
          const about = `${Object.keys(owner)} ${Object.keys(more)} ${sort}`
          assert.ok(items.length === 50 && items.every(({ status }) => statuses.includes(status as 'error')), about)
          const read = await rowsRead(context, 'devices', list)
          assert.ok(read < 600, `${about}: ${read} rows`)
        }
      }
    }
    const blocks = await indexBlocksRead(context, 'devices', (within) =>
      listDevices(within, customer, { statuses, limit: 50 }),
    )
    assert.ok(blocks < 400, `${blocks} blocks`)
  })
})
