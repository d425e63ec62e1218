import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newModel, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { testMasterKey } from '../../../../test/support/keys.ts'
import { createContext } from '../../context.ts'
import { runJob } from '../../platform/jobs.ts'
import { changeModel } from '../registry/models.ts'
import { settleAllDeadlines } from './offline-deadlines.ts'
import { statusEventsJob } from './status-events.ts'

const service = await startHarness()
const { context, clock } = service
const model = await newModel(service)
const sibling = () => createContext({ ...context, keys: { master: testMasterKey, operator: 'x'.repeat(32) } })
const siblings = Array.from({ length: 4 }, sibling)
after(() => Promise.all(siblings.map(({ notifications }) => notifications.close())))

const online = { status: 'online', telemetries: { level: 1 } }

async function statusOf({ id }: { id: string }): Promise<string> {
  const [row] = await service.sql`select devices.status, device_states.status as effective
    from devices join device_states on device_id = id where id = ${id}`
  assert.equal(row!.status, row!.effective)
  return row!.status
}

async function changesOf({ id }: { id: string }): Promise<string[]> {
  const rows = await service.sql`select previous, status, at from status_changes where device_id = ${id} order by id`
  return rows.map(({ previous, status }) => `${previous} → ${status}`)
}

describe('design 7: offline when nothing came for the threshold', () => {
  it('120 s unless set: online until the very second, offline from it on, with the instant it was due', async () => {
    const device = await register(service, model)
    await send(service, device, online)
    const due = clock.now().getTime() + 120_000
    await settleAllDeadlines(context)
    clock.forward(119)
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'online')
    clock.forward(1.4)
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'offline')
    const [row] = await service.sql`select status_at from devices where id = ${device.id}`
    assert.equal(row!.status_at.getTime(), due)
    assert.deepEqual(await changesOf(device), ['never_seen → online', 'online → offline'])
  })

  it('every message puts it off; a late timestamp does not: offline goes by arrival', async () => {
    const device = await register(service, model)
    for (let n = 0; n < 5; n += 1) {
      await send(service, device, { ...online, timestamp: new Date(clock.now().getTime() - 86_400_000).toISOString() })
      clock.forward(100)
      await settleAllDeadlines(context)
      assert.equal(await statusOf(device), 'online')
    }
    clock.forward(20)
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'offline')
  })

  it('error falls silent as well; a device that said offline is not told twice; never_seen stays', async () => {
    const [faulty, asleep, unseen] = [
      await register(service, model),
      await register(service, model),
      await register(service, model),
    ]
    await send(service, faulty, { status: 'error', telemetries: {} })
    await send(service, asleep, { status: 'offline', telemetries: {} })
    clock.forward(121)
    await settleAllDeadlines(context)
    assert.deepEqual(
      [await statusOf(faulty), await statusOf(asleep), await statusOf(unseen)],
      ['offline', 'offline', 'never_seen'],
    )
    assert.deepEqual(await changesOf(asleep), ['never_seen → offline'])
    assert.deepEqual(await changesOf(unseen), [])
  })

  it("the model's own threshold counts", async () => {
    const patient = await newModel(service)
    await changeModel(context, { kind: 'operator' }, patient.partner_id, patient.id, { offline_after_seconds: 600 })
    const device = await register(service, patient)
    await send(service, device, online)
    clock.forward(599)
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'online')
    clock.forward(1)
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'offline')
  })

  it('a threshold that is made shorter counts for devices that are silent already', async () => {
    const changed = await newModel(service)
    const device = await register(service, changed)
    await send(service, device, online)
    await settleAllDeadlines(context)
    clock.forward(60)
    await changeModel(context, { kind: 'operator' }, changed.partner_id, changed.id, { offline_after_seconds: 30 })
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'offline')
  })

  it('back online after a restart of everything: the deadline is in the database', async () => {
    const device = await register(service, model)
    await send(service, device, online)
    clock.forward(3_600)
    await settleAllDeadlines(siblings[0]!)
    assert.equal(await statusOf(device), 'offline')
    await send(service, device, online)
    assert.equal(await statusOf(device), 'online')
    clock.forward(121)
    await settleAllDeadlines(siblings[1]!)
    assert.equal(await statusOf(device), 'offline')
  })

  it('1,200 devices at once, five processes: each is told once', async () => {
    const [first] = await service.sql`select max(id) as id from status_changes`
    await service.sql`
      with made as (
        insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at, status)
        select gen_random_uuid(), ${model.partner_id}, ${model.id}, 'mac' || n, 'sn' || n, '1.0.0', ${clock.now()},
          ${clock.now()}, 'online' from generate_series(1, 1200) n
        returning id, number
      ), states as (
        insert into device_states (device_id, number, key_digest, status, seen_at)
        select id, number, '\\x00', 'online', ${clock.now()} from made
      )
      insert into offline_deadlines select id, ${clock.now()} from made`
    clock.forward(121)
    await Promise.all([context, ...siblings].map((process) => settleAllDeadlines(process)))
    await settleAllDeadlines(context)
    const [row] = await service.sql`
      select count(*)::int as told, count(distinct device_id)::int as devices from status_changes where id > ${first!.id}`
    assert.deepEqual({ ...row }, { told: 1200, devices: 1200 })
    assert.equal((await service.sql`select from offline_deadlines`).length, 0)
  })

  it('speaking and falling silent at once never leaves a speaking device offline', async () => {
    const device = await register(service, model)
    await send(service, device, online)
    for (let round = 0; round < 30; round += 1) {
      clock.forward(121)
      await Promise.all([send(service, device, online), settleAllDeadlines(context), settleAllDeadlines(siblings[2]!)])
      assert.equal(await statusOf(device), 'online', `round ${round}`)
      assert.equal((await service.sql`select from offline_deadlines where device_id = ${device.id}`).length, 1)
    }
  })
})

describe('issue 4: status events', () => {
  it('reach the webhooks of the partner once, in order, in the transaction that takes the note away', async () => {
    const mine = await newModel(service)
    await service.sql`
      insert into webhook_endpoints (id, partner_id, url, events, secret, created_at)
      values (gen_random_uuid(), ${mine.partner_id}, 'https://partner.test/', '{device.status_changed}', '\\x00', now())`
    const device = await register(service, mine)
    await send(service, device, online)
    await send(service, device, { status: 'error', telemetries: {} })
    clock.forward(121)
    await settleAllDeadlines(context)
    while ((await service.sql`select from status_changes`).length > 0) {
      await Promise.all([context, ...siblings].map((process) => runJob(service.sql, statusEventsJob(process))))
    }
    const deliveries = await service.sql`
      select payload::json -> 'data' ->> 'previous_status' as previous, payload::json -> 'data' ->> 'status' as status
      from webhook_deliveries join webhook_endpoints on id = endpoint_id
      where partner_id = ${mine.partner_id} order by queued_at, event_id`
    assert.deepEqual(
      deliveries.map(({ previous, status }) => `${previous} → ${status}`),
      ['never_seen → online', 'online → error', 'error → offline'],
    )
  })
})
