import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { after, describe, it } from 'node:test'
import { onCitus } from '../../../../test/support/citus.ts'
import { newModel, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { testMasterKey } from '../../../../test/support/keys.ts'
import { holdLocks } from '../../../../test/support/locks.ts'
import { until } from '../../../../test/support/until.ts'
import { startReceiver } from '../../../../test/support/webhooks.ts'
import { createContext } from '../../context.ts'
import { createWebhook } from '../../events/webhooks/endpoints.ts'
import { startDeliveries } from '../../events/webhooks/webhook-loop.ts'
import { tryLockPartitions } from '../../platform/database/partition-locks.ts'
import { runJob, startJobs } from '../../platform/jobs.ts'
import { getDevice } from '../registry/devices.ts'
import { changeModel } from '../registry/models.ts'
import { changePartitions, listDue } from '../telemetry-store/telemetry-store.ts'
import { settleAllDeadlines } from './offline-deadlines.ts'
import { publishLockClass, statusEventsJob } from './status-events.ts'

const service = await startHarness({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })
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
  const rows =
    await service.sql`select previous, status, at from status_changes where device_id = ${id} order by number`
  return rows.map(({ previous, status }) => `${previous} → ${status}`)
}

async function addWebhook(partnerId: string): Promise<void> {
  await service.sql`
    insert into webhook_endpoints (id, partner_id, url, events, secret, created_at)
    values (gen_random_uuid(), ${partnerId}, 'https://partner.test/', '{device.status_changed}', '\\x00', now())`
}

describe('decision 7.10: a device is offline when nothing came for the threshold of its model', () => {
  it('120 s by default: online until the last second, then offline since the instant the deadline passed', async () => {
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

  it('every message postpones it, whatever its timestamp: arrival counts', async () => {
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

  it('error becomes offline too; a device that reported offline does not change again; never_seen stays', async () => {
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

  it("the model's threshold counts", async () => {
    const slow = await newModel(service)
    await changeModel(context, { kind: 'operator' }, slow.partner_id, slow.id, { offline_after_seconds: 600 })
    const device = await register(service, slow)
    await send(service, device, online)
    clock.forward(599)
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'online')
    clock.forward(1)
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'offline')
  })

  it('a shorter threshold counts for devices that are already silent', async () => {
    const changed = await newModel(service)
    const device = await register(service, changed)
    await send(service, device, online)
    await settleAllDeadlines(context)
    clock.forward(60)
    await changeModel(context, { kind: 'operator' }, changed.partner_id, changed.id, { offline_after_seconds: 30 })
    await settleAllDeadlines(context)
    assert.equal(await statusOf(device), 'offline')
  })

  it('the deadline is in the database, so any process sets the device offline, and online again', async () => {
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

  it('decision 3.29: 2,500 devices at once, five processes: each has its share, and each device one change and event', async () => {
    await service.sql`delete from status_changes`
    await addWebhook(model.partner_id)
    await service.sql`
      with created as (
        insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, status_at, status)
        select gen_random_uuid(), ${model.partner_id}, ${model.id}, 'mac' || n, 'sn' || n, '1.0.0', ${clock.now()},
          ${clock.now()}, 'online' from generate_series(1, 2500) n
        returning id, number
      ), states as (
        insert into device_states (bucket, device_id, number, key_digest, status, seen_at)
        select device_bucket(id), id, number, '\\x00', 'online', ${clock.now()} from created
      )
      insert into offline_deadlines select device_bucket(id), id, ${clock.now()} from created`
    clock.forward(121)
    const left = async () => (await service.sql`select from offline_deadlines`).length
    const release = await holdLocks(service.sql, (hold) => listDue(hold, clock.now(), 400))
    await Promise.all([context, ...siblings].map((process) => settleAllDeadlines(process)))
    assert.equal(await left(), onCitus ? 0 : 400, 'the share of a process that has just listed them')
    await release()
    await settleAllDeadlines(context)
    assert.equal(await left(), 0)
    const [row] = await service.sql`
      select count(*)::int as changes, count(distinct device_id)::int as devices from status_changes`
    assert.deepEqual({ ...row }, { changes: 2500, devices: 2500 })

    const waiting = (partition: number) =>
      service.sql`select from status_changes where (bucket & 3) = ${partition}::int`
    const releasePartition = await holdLocks(service.sql, (hold) => tryLockPartitions(hold, publishLockClass, [3]))
    const jobs = [context, ...siblings].map(statusEventsJob)
    const held = (await waiting(3)).length
    await until(async () => {
      await Promise.all(jobs.map((job) => runJob(service.sql, job)))
      return (await service.sql`select from status_changes`).length === held
    }, 'all but the changes of the partition that another process has')
    assert.equal((await waiting(3)).length, held)
    await releasePartition()
    await until(async () => {
      await Promise.all(jobs.map((job) => runJob(service.sql, job)))
      return (await service.sql`select from status_changes`).length === 0
    }, 'the rest')
    const [queued] = await service.sql`
      select count(*)::int as events, count(distinct payload::json -> 'data' ->> 'device_id')::int as devices
      from webhook_deliveries join webhook_endpoints on id = endpoint_id where partner_id = ${model.partner_id}`
    assert.deepEqual({ ...queued }, { events: 2500, devices: 2500 })
    await service.sql`delete from webhook_endpoints where partner_id = ${model.partner_id}`
  })

  it('a message at the instant of the deadline never leaves the device offline', async () => {
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

describe('decision 7.53: the status in the directory follows that of the telemetry', () => {
  const listed = async ({ id }: { id: string }) => {
    const [row] = await service.sql`select status, status_number, status_at from devices where id = ${id}`
    return { ...row! }
  }
  it('before the acknowledgement: a list that is read after it has the status', async () => {
    const device = await register(service, model)
    await send(service, device, online)
    assert.deepEqual(await listed(device), { status: 'online', status_number: 1, status_at: clock.now() })
    await send(service, device, { status: 'error', telemetries: {} })
    assert.deepEqual(await listed(device), { status: 'error', status_number: 2, status_at: clock.now() })
  })

  it('a process that is killed right after the commit leaves it to the job, and an older status never returns', async () => {
    const device = await register(service, model)
    await send(service, device, online)
    await send(service, device, { status: 'error', telemetries: {} })
    // As if neither had been carried over, and then the newer one late by another process.
    await service.sql`update devices set status = 'never_seen', status_number = 0 where id = ${device.id}`
    const at = clock.now().getTime()
    await siblings[0]!.statuses.carry([{ device_id: device.id, status: 'error', number: 2, at }])
    await siblings[1]!.statuses.carry([{ device_id: device.id, status: 'online', number: 1, at }])
    assert.equal((await listed(device)).status, 'error')
    await service.sql`update devices set status = 'never_seen', status_number = 0 where id = ${device.id}`
    await runJob(service.sql, statusEventsJob(context))
    assert.equal((await listed(device)).status, 'error')
  })

  it('a directory that does not respond delays the acknowledgement by a moment, and fails nothing', async () => {
    const device = await register(service, model)
    const release = await holdLocks(service.sql, (hold) => hold`select from devices where id = ${device.id} for update`)
    await send(service, device, online)
    assert.equal((await listed(device)).status, 'never_seen')
    assert.equal((await getDevice(context, { partner_id: model.partner_id }, device.id)).status, 'online')
    await release()
    await until(async () => (await listed(device)).status === 'online', 'the status is carried over')
  })
})

describe('events of status changes', () => {
  it('are queued for the webhooks of the partner once, in order, on any number of processes', async () => {
    const own = await newModel(service)
    await addWebhook(own.partner_id)
    const device = await register(service, own)
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
      where partner_id = ${own.partner_id} order by queued_at, event_id`
    assert.deepEqual(
      deliveries.map(({ previous, status }) => `${previous} → ${status}`),
      ['never_seen → online', 'online → error', 'error → offline'],
    )
  })

  it('decision 7.77: several have the same timestamp; (timestamp, id) is their order, whichever processes publish them', async () => {
    const own = await newModel(service)
    await addWebhook(own.partner_id)
    const device = await register(service, own)
    const sent = ['online', 'error', 'online', 'offline', 'error', 'offline']
    for (const [index, status] of sent.entries()) {
      await send(service, device, { status, telemetries: {} })
      // Some alone, each by another process, and some together.
      if (index !== 2) await runJob(service.sql, statusEventsJob([context, ...siblings][index % 5]!))
      if (index === 4) clock.forward(1)
    }
    const events = await service.sql<{ id: string; payload: string }[]>`
      select event_id as id, payload from webhook_deliveries join webhook_endpoints on id = endpoint_id
      where partner_id = ${own.partner_id}`
    const keyOf = ({ id, payload }: { id: string; payload: string }) => `${JSON.parse(payload).timestamp} ${id}`
    const read = events
      .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
      .map(({ id, payload }) => ({ id, ...JSON.parse(payload) }))
    assert.deepEqual(
      read.map(({ data }) => `${data.previous_status} → ${data.status}`),
      sent.map((status, index) => `${index === 0 ? 'never_seen' : sent[index - 1]} → ${status}`),
    )
    assert.equal(new Set(read.map(({ timestamp }) => timestamp)).size, 2)
    // Nothing of the id is the clock of the process that published it.
    for (const { id, timestamp } of read) {
      assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), Date.parse(timestamp))
    }
  })

  it('decision 7.77: every document names the order by timestamp and webhook-id, and none that by timestamp alone', async () => {
    const root = new URL('../../../../', import.meta.url)
    const served = await Promise.all(
      ['/openapi.json', '/asyncapi.json'].map(async (url) => [url, (await service.app.inject({ url })).body] as const),
    )
    const files = await Array.fromAsync(glob('{docs,client,client/src,examples/*}/*.{md,ts}', { cwd: root }))
    const read = await Promise.all(
      files.map(async (file) => [file, await readFile(new URL(file, root), 'utf8')] as const),
    )
    const texts = [...served, ...read].map(([name, text]) => [name, text.replace(/\s*\n[ *]*/g, ' ')] as const)
    const right = /order of `timestamp` and, where several have the same, of `webhook-id`/
    const named = texts.flatMap(([name, text]) => (right.test(text) ? name : []))
    for (const name of ['/openapi.json', '/asyncapi.json', 'docs/integrate.md']) assert.ok(named.includes(name), name)
    // That of a device's history has its own second key.
    const alone =
      /(order of|ordered by|sorted by|order by) (the |its |their )?`?timestamp`?(?!`? and, where (several|two) )/gi
    const wrong = texts.flatMap(([name, text]) =>
      [...text.matchAll(alone)].map(({ index }) => `${name}: ${text.slice(index, index + 80)}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('wake the job and the delivery: with polls that never come, the webhook still arrives', async () => {
    const receiver = await startReceiver()
    const own = await newModel(service)
    const webhook = { url: receiver.url, events: ['device.status_changed'] }
    await createWebhook(context, { kind: 'operator' }, own.partner_id, webhook)
    const device = await register(service, own)
    const jobs = startJobs(context, [{ ...statusEventsJob(context), everySeconds: 3_600 }])
    const deliveries = startDeliveries(context, { everyMs: 3_600_000 })
    // Resolves once this process listens, so that no notification can be missed.
    await context.notifications.subscribe('ready', () => {})
    const lastStatus = () => JSON.parse(receiver.got.at(-1)?.body ?? '{}').data?.status

    await send(service, device, online)
    await until(() => lastStatus() === 'online', 'after telemetry')
    const number = await context.registerConnection(device.id)
    assert.equal(await context.markConnectionLost({ device_id: device.id, number, lost_at: context.now() }), true)
    await until(() => lastStatus() === 'offline', 'after a lost connection')
    await send(service, device, { status: 'error', telemetries: {} })
    await until(() => lastStatus() === 'error', 'after telemetry')
    clock.forward(121)
    await settleAllDeadlines(context)
    await until(() => lastStatus() === 'offline' && receiver.got.length === 4, 'after the offline deadline')
    await Promise.all([jobs.stop(), deliveries.stop()])
  })

  it('a job that finds its lock taken by another process runs again, though nothing wakes it', async () => {
    const job = statusEventsJob(context)
    const release = await holdLocks(service.sql, (hold) => tryLockPartitions(hold, publishLockClass, changePartitions))
    const device = await register(service, model)
    const jobs = startJobs(context, [{ ...job, everySeconds: 3_600 }])
    await send(service, device, online)
    assert.deepEqual(await changesOf(device), ['never_seen → online'])
    await release()
    await until(async () => (await changesOf(device)).length === 0, 'the change is taken')
    await jobs.stop()
  })
})
