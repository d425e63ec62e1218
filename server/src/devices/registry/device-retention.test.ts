import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newModel, online, register, send, startScene } from '../../../../test/support/devices.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { runJob } from '../../platform/jobs.ts'
import { smallestIdOf } from '../../platform/secrets/identifiers.ts'
import { statusEventsJob } from '../live/status-events.ts'
import { firstUnused, listLongRemoved, listUnused } from '../store/device-retention-sql.ts'
import { createPartitionsJob } from '../telemetry/partitions.ts'
import { claimDevice } from './claim.ts'
import { deleteRemovedDevicesJob, removeUnusedDevicesJob } from './device-retention.ts'
import { removeDevice } from './devices.ts'

const scene = await startScene()
const { clock, context, customer, customerId, model, partner, registered, claimed, service, sql, user } = scene
const day = 86_400

/** The tables with rows of the device, by name. */
async function rowsOf({ id }: { id: string }, number: number): Promise<string[]> {
  const named = ['device_states', 'device_connections', 'offline_deadlines', 'status_changes', 'device_texts']
  const found = await Promise.all([
    ...named.map(async (name) =>
      (await sql`select from ${sql(name)} where device_id = ${id}`).length > 0 ? name : [],
    ),
    sql`select from devices where id = ${id}`.then(({ length }) => (length > 0 ? 'devices' : [])),
    sql`select from status_history where device_number = ${number}`.then(({ length }) =>
      length > 0 ? 'status_history' : [],
    ),
  ])
  return found.flat().toSorted()
}

const numberOf = async (id: string) =>
  (await sql<{ number: number }[]>`select number from devices where id = ${id}`)[0]!.number

/** As if it had been removed so many days ago. */
async function removedAgo(device: { id: string }, days: number): Promise<void> {
  await removeDevice(context, user, partner, device.id)
  const at = new Date(clock.now().getTime() - days * day * 1000)
  await sql`update devices set removed_at = ${at} where id = ${device.id}`
  await sql`update device_states set removed_at = ${at} where device_id = ${device.id}`
}

const deleteRemoved = (config: object = {}) =>
  runJob(sql, deleteRemovedDevicesJob({ ...context, config: { ...context.config, ...config } }))

describe('decision 7.74: removed devices are deleted after a while', () => {
  it('with everything that hangs on them: 410 turns to 401, and a device with the same identity is a new one', async () => {
    const [gone, recent, kept] = [await claimed(), await claimed(), await claimed()]
    for (const device of [gone, recent, kept]) assert.equal((await send(service, device, online({ n: 1 }))).status, 200)
    await context.registerConnection(gone.id)
    await runJob(sql, statusEventsJob(context))
    const number = await numberOf(gone.id)
    await removedAgo(gone, 91)
    await removedAgo(recent, 89)
    assert.deepEqual(await rowsOf(gone, number), ['device_connections', 'device_states', 'devices', 'status_history'])
    assert.equal((await send(service, gone, online({ n: 2 }))).status, 410)

    assert.equal(await deleteRemoved(), true)
    assert.deepEqual(await rowsOf(gone, number), [])
    const after = await send(service, gone, online({ n: 3 }))
    assert.deepEqual([after.status, after.body.code], [401, 'invalid_access_key'])
    assert.equal((await send(service, recent, online({ n: 3 }))).status, 410)
    assert.equal((await send(service, kept, online({ n: 3 }))).status, 200)
    const again = await register(service, model, { mac: gone.mac, sn: gone.sn })
    assert.notEqual(again.id, gone.id)
    const events = await sql`select type from audit_events where device_id = ${gone.id} order by id`
    assert.deepEqual(
      events.map(({ type }) => type),
      ['device.registered', 'device.claimed', 'device.removed'],
      'the audit log keeps its own time',
    )
  })

  it('never before its history has gone, however short the setting is', async () => {
    const device = await registered()
    await removedAgo(device, 31)
    await deleteRemoved({ removedDeviceDays: 1 })
    assert.equal((await send(service, device, online({}))).status, 410)
    await sql`update devices set removed_at = removed_at - interval '2 days' where id = ${device.id}`
    await runJob(sql, createPartitionsJob(context))
    await sql`alter table history_20260301 rename to history_20260101`
    await deleteRemoved({ removedDeviceDays: 1 })
    assert.equal((await send(service, device, online({}))).status, 410, 'a day past retention waits to be dropped')
    await sql`alter table history_20260101 rename to history_20260301`
    await deleteRemoved({ removedDeviceDays: 1 })
    assert.equal((await send(service, device, online({}))).status, 401)
  })

  it('many in batches, and by one process at a time', async () => {
    const { id: modelId, partner_id } = await newModel(service)
    await sql`
      insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at, removed_at)
      select gen_random_uuid(), ${partner_id}, ${modelId}, n::text, n::text, '1.0.0', at, at, at
      from generate_series(1, 1201) n, (select ${new Date(clock.now().getTime() - 100 * day * 1000)}::timestamptz as at) _`
    await sql`
      insert into device_states (bucket, device_id, number, key_digest, removed_at)
      select device_bucket(id), id, number, ''::bytea, removed_at from devices where model_id = ${modelId}`
    const [row] = await sql<{ id: string }[]>`select id from devices where model_id = ${modelId} limit 1`
    const release = await holdLocks(sql, (hold) => hold`select from devices where id = ${row!.id} for update`)
    const first = deleteRemoved()
    await untilWaiting(sql)
    assert.equal(await deleteRemoved(), false, 'another process is at it')
    await release()
    assert.equal(await first, true)
    assert.equal((await sql`select from devices where model_id = ${modelId}`).length, 0)
    const states = await sql`select from device_states where key_digest = ''::bytea`
    assert.equal(states.length, 0)
  })
})

/** As if it had registered so many days ago: the id says it too. */
async function registeredAgo<Device extends { id: string }>(device: Device, days: number): Promise<Device> {
  const at = new Date(clock.now().getTime() - days * day * 1000)
  const id = smallestIdOf(at.getTime()).slice(0, 15) + device.id.slice(15)
  await sql`update device_texts set device_id = ${id} where device_id = ${device.id}`
  await sql`update devices set id = ${id}, registered_at = ${at} where id = ${device.id}`
  await sql`update device_states set device_id = ${id} where device_id = ${device.id}`
  return { ...device, id }
}

const removeUnused = (config: object = {}) =>
  runJob(sql, removeUnusedDevicesJob({ ...context, config: { ...context.config, ...config } }))

const isRemoved = async ({ id }: { id: string }) =>
  (await sql`select from devices where id = ${id} and removed_at is not null`).length === 1

describe('decision 7.75: devices that were never used are removed after a while', () => {
  it('unclaimed and never authenticated: as if removed by the partner, with an audit event', async () => {
    const unused = await registeredAgo(await registered(), 366)
    const young = await registeredAgo(await registered(), 364)
    const used = await registeredAgo(await registered(), 366)
    assert.equal((await send(service, used, online({}))).status, 200)
    const connected = await registeredAgo(await registered(), 366)
    await sql`update device_states set authenticated_at = now() where device_id = ${connected.id}`
    const owned = await registeredAgo(await registered(), 366)
    await claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', { ...owned, model_id: model.id })

    await removeUnused({ unusedDeviceDays: null })
    assert.equal(await isRemoved(unused), false)
    await removeUnused()
    const removed = await Promise.all([unused, young, used, connected, owned].map(isRemoved))
    assert.deepEqual(removed, [true, false, false, false, false])
    assert.equal((await send(service, unused, online({}))).status, 410)
    const [event] = await sql`
      select actor, partner_id from audit_events where device_id = ${unused.id} and type = 'device.removed'`
    assert.deepEqual({ ...event }, { actor: { kind: 'system' }, partner_id: partner.partner_id })
    assert.equal(customer.customer_id, customerId)
  })

  it('one that is claimed or authenticates at that moment stays', async () => {
    const [claiming, sending] = [
      await registeredAgo(await registered(), 400),
      await registeredAgo(await registered(), 400),
    ]
    const release = await holdLocks(sql, async (hold) => {
      await hold`update device_states set authenticated_at = now() where device_id = ${sending.id}`
      await hold`select from device_states where device_id = ${claiming.id} for update`
      await hold`
        update devices set customer_id = ${customerId}, claimed_at = ${clock.now()} where id = ${claiming.id}`
    })
    const removing = removeUnused()
    await untilWaiting(sql)
    await release()
    await removing
    assert.deepEqual([await isRemoved(claiming), await isRemoved(sending)], [false, false])
  })

  it('however many there are that only seem unused', async () => {
    const { id: modelId, partner_id } = await newModel(service)
    const first = smallestIdOf(0).slice(0, 24)
    await sql`
      insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at)
      select (${first} || lpad(to_hex(n), 12, '0'))::uuid, ${partner_id}, ${modelId}, n::text, n::text, '1.0.0', at, at
      from generate_series(1, 1201) n, (select ${new Date(clock.now().getTime() - 400 * day * 1000)}::timestamptz as at) _`
    // Only the last has not authenticated.
    await sql`
      insert into device_states (bucket, device_id, number, key_digest, authenticated_at)
      select device_bucket(id), id, number, ''::bytea, case when sn <> '1201' then registered_at end
      from devices where model_id = ${modelId}`
    await removeUnused()
    const removed = await sql`select sn from devices where model_id = ${modelId} and removed_at is not null`
    assert.deepEqual(
      removed.map(({ sn }) => sn),
      ['1201'],
    )
  })

  it('both jobs read only what they are about, by an index', async () => {
    const { id: modelId, partner_id } = await newModel(service)
    const at = clock.now()
    const young = smallestIdOf(at.getTime()).slice(0, 24)
    await sql`
      insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at, removed_at)
      select (${young} || lpad(to_hex(n), 12, '0'))::uuid, ${partner_id}, ${modelId}, n::text, n::text, '1.0.0', ${at}, ${at},
        case when n % 2 = 0 then ${at}::timestamptz end
      from generate_series(1, 2000) n`
    const year = { now: at, milliseconds: 365 * day * 1000 }
    const before = smallestIdOf(at.getTime() - year.milliseconds)
    const read = await rowsRead(context, 'devices', async ({ sql: own }) => {
      await listUnused(own, year, { before, after: { ...firstUnused, model_id: modelId }, limit: 500 })
      await listLongRemoved(own, year, 500)
    })
    assert.ok(read < 100, `${read} rows were read`)
  })
})
