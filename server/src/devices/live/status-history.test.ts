import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { post, refused, register, send, startScene } from '../../../../test/support/devices.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { newPartner } from '../../../../test/support/partners.ts'
import { runJob } from '../../platform/jobs.ts'
import { claimDevice } from '../registry/claim.ts'
import { removeDevice } from '../registry/devices.ts'
import { keyDigest } from '../telemetry/ingest.ts'
import { settleAllDeadlines } from './offline-deadlines.ts'
import { statusEventsJob } from './status-events.ts'
import { deleteOldStatusesJob, readStatusHistory, readUptime } from './status-history.ts'

const scene = await startScene()
const { clock, context, customer, customerId, model, partner, registered, claimed, service, sql, user } = scene

const moveChanges = () => runJob(sql, statusEventsJob(context))
const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000)

type Device = Awaited<ReturnType<typeof registered>>

/** Sends the status, or lets the device fall silent, and lets the time pass. */
async function live(device: Device, status: 'online' | 'error' | 'offline', seconds: number): Promise<void> {
  const sent = await send(service, device, { status, telemetries: {} })
  assert.equal(sent.status, 200)
  clock.forward(seconds)
}

const lengths = (periods: Awaited<ReturnType<typeof readStatusHistory>>['items']) =>
  periods.map(({ status, from, to }) => [status, ((to ?? clock.now()).getTime() - from.getTime()) / 1000])

async function wholeHistory(owner: Parameters<typeof readStatusHistory>[1], id: string, query: object, limit: number) {
  const items = []
  let after: string | undefined
  do {
    const page = await readStatusHistory(context, owner, id, { ...query, limit, after })
    assert.ok(page.items.length <= limit + 1)
    items.push(...page.items)
    after = page.next ?? undefined
  } while (after)
  return items
}

describe('status history', () => {
  it('has a period per status from the registration on, newest first, whatever the page, and the uptime', async () => {
    const device = await registered()
    clock.forward(30)
    await live(device, 'online', 60)
    await live(device, 'error', 40)
    await live(device, 'online', 130)
    await settleAllDeadlines(context)
    clock.forward(90)
    await live(device, 'online', 10)
    await moveChanges()
    const wanted = [
      ['online', 10],
      ['offline', 100],
      ['online', 120],
      ['error', 40],
      ['online', 60],
      ['never_seen', 30],
    ]
    for (const limit of [1, 2, 3, 5, 6, 50]) {
      assert.deepEqual(lengths(await wholeHistory(partner, device.id, {}, limit)), wanted, `${limit} per page`)
    }
    const [last, , , , , first] = await wholeHistory(partner, device.id, {}, 50)
    assert.equal(last!.to, null, 'it lasts')
    assert.deepEqual(first!.from, at(-360))
    const { uptime, seconds } = await readUptime(context, partner, device.id, {})
    assert.deepEqual(seconds, { never_seen: 30, online: 190, offline: 100, error: 40 })
    assert.equal(uptime, 230 / 330)
    // A part of the past.
    const part = { from: at(-340), to: at(-100) }
    assert.deepEqual(lengths(await wholeHistory(partner, device.id, part, 2)), [
      ['offline', 10],
      ['online', 120],
      ['error', 40],
      ['online', 60],
      ['never_seen', 10],
    ])
    const ofPart = await readUptime(context, partner, device.id, part)
    assert.deepEqual(ofPart.seconds, { never_seen: 10, online: 180, offline: 10, error: 40 })
    assert.deepEqual([ofPart.from, ofPart.to], [part.from, part.to])
    // A range without a change, before the last one and after it.
    assert.deepEqual(lengths(await wholeHistory(partner, device.id, { from: at(-60), to: at(-50) }, 5)), [
      ['offline', 10],
    ])
    assert.deepEqual(lengths(await wholeHistory(partner, device.id, { from: at(-5) }, 5)), [['online', 5]])
    assert.equal((await readUptime(context, partner, device.id, { from: at(-5) })).uptime, 1)
    // Nothing before the registration, nor in the future.
    assert.deepEqual(await wholeHistory(partner, device.id, { from: at(-9_000), to: at(-8_000) }, 5), [])
    assert.equal((await readUptime(context, partner, device.id, { from: at(5), to: at(9) })).uptime, null)
  })

  it('a customer sees it from its own claim on; after the removal it ends there; nobody else sees it', async () => {
    const device = await registered()
    await live(device, 'error', 60)
    await claimDevice(context, user, { customer_id: customerId }, '192.0.2.1', { ...device, model_id: model.id })
    clock.forward(20)
    await live(device, 'online', 30)
    await removeDevice(context, user, customer, device.id)
    clock.forward(100)
    await moveChanges()
    const ended = await wholeHistory(customer, device.id, {}, 10)
    assert.deepEqual(lengths(ended), [
      ['online', 30],
      ['error', 20],
    ])
    assert.deepEqual(ended[0]!.to, at(-100))
    assert.equal((await wholeHistory(partner, device.id, {}, 10)).length, 2)
    assert.deepEqual((await readUptime(context, customer, device.id, {})).seconds, {
      never_seen: 0,
      online: 30,
      offline: 0,
      error: 20,
    })
    for (const stranger of [{ customer_id: device.id }, { partner_id: device.id }]) {
      assert.equal((await refused(readStatusHistory(context, stranger, device.id, {}))).status, 404)
      assert.equal((await refused(readUptime(context, stranger, device.id, {}))).status, 404)
    }
  })

  it('changes keep their order, also where a message arrived before the deadline and was stored after it', async () => {
    const device = await registered()
    await live(device, 'online', 121)
    await settleAllDeadlines(context)
    const [offline] = await sql`select max(at) as at from status_changes where device_id = ${device.id}`
    // As a message that arrived a second before the deadline.
    const arrived_at = offline!.at.getTime() - 1000
    await new Promise((done) => {
      const message = { device_id: device.id, key_digest: keyDigest(device.access_key), arrived_at, in_call: false }
      const telemetry = { status: 'online' as const, telemetries: '{}', keys: 0, key_count: 0, timestamp: arrived_at }
      context.telemetry.queue.push({ ...message, ...telemetry, message_id: null, firmware_version: null }, done)
    })
    await moveChanges()
    const statuses = (await wholeHistory(partner, device.id, {}, 1)).map(({ status }) => status)
    assert.deepEqual(statuses, ['online', 'online'], 'offline lasted no time, and online is the last')
    const rows = await sql`
      select history.status from status_history history join devices on devices.number = device_number
      where devices.id = ${device.id} order by history.at, history.number`
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['online', 'offline', 'online'],
    )
  })

  it('many changes of one instant are one change, to the last of them, however they fall on pages', async () => {
    const device = await registered()
    await live(device, 'online', 60)
    const { id, access_key } = device
    const messages = Array.from({ length: 25 }, (_, n) => ({
      id,
      access_key,
      status: n % 2 ? 'online' : 'error',
      telemetries: {},
    }))
    assert.equal((await post(service, '/v1/devices/telemetry', { devices: messages })).status, 200)
    clock.forward(5)
    await moveChanges()
    for (const limit of [1, 3, 10, 50]) {
      assert.deepEqual(
        lengths(await wholeHistory(partner, device.id, {}, limit)),
        [
          ['error', 5],
          ['online', 60],
        ],
        `${limit} per page`,
      )
    }
  })

  it('is moved once by any number of processes, and costs nothing while the status stays', async () => {
    const device = await claimed()
    for (let n = 0; n < 5; n += 1) await live(device, 'online', 1)
    await Promise.all([moveChanges(), moveChanges(), moveChanges()])
    const rows = await sql`
      select status_history.* from status_history join devices on devices.number = device_number where devices.id = ${device.id}`
    assert.equal(rows.length, 1)
  })
})

async function claimedDevice() {
  const organization = await createOrganization(service)
  const own = await newPartner(service)
  const strangers = { organization: await createOrganization(service), partner: await newPartner(service) }
  const { body: ownModel } = await own.call('POST', '/models', {
    name: 'Sensor',
    authentication_method: 'MAC & Serial Number',
  })
  const identity = { mac: '02:00:00:00:10:01', sn: 'H-1' }
  const device = await register(service, ownModel, identity)
  await organization.call('session', 'POST', '/devices/claim', { ...identity, model_id: ownModel.id })
  return { organization, own, strangers, device }
}
const inApis = await claimedDevice()

describe('status history and timelines in the APIs', () => {
  const { organization, own, strangers, device } = inApis

  it('the customer, with any credential, and the partner read them', async () => {
    await send(service, device, { status: 'online', telemetries: { mode: 'heat', on: true } })
    clock.forward(10)
    await moveChanges()
    const path = `/devices/${device.id}`
    for (const credential of ['session', 'api_key', 'bearer'] as const) {
      const { status, body } = await organization.call(credential, 'GET', `${path}/status-history?limit=1`)
      assert.deepEqual([status, body.items[0].status, body.items[0].to], [200, 'online', null])
      const uptime = await organization.call(credential, 'GET', `${path}/uptime`)
      assert.deepEqual([uptime.body.uptime, uptime.body.seconds.online], [1, 10])
    }
    const timelines = await organization.call('session', 'GET', `${path}/timelines?keys=mode,on`)
    assert.deepEqual(
      timelines.body.timelines.on.map((period: { value: unknown }) => period.value),
      [true],
    )
    assert.equal((await own.call('GET', `${path}/status-history`)).body.items[0].status, 'online')
    assert.equal((await own.call('GET', `${path}/uptime`)).body.uptime, 1)
  })

  it("another tenant's device is a 404; wrong ranges and cursors are named", async () => {
    const path = `/devices/${device.id}`
    for (const view of ['status-history', 'uptime', 'timelines?keys=mode']) {
      assert.equal((await strangers.organization.call('api_key', 'GET', `${path}/${view}`)).status, 404, view)
      assert.equal((await strangers.partner.call('GET', `${path}/${view}`)).status, 404, view)
    }
    const wrong: [string, string][] = [
      ['status-history?after=x', 'after'],
      ['status-history?after=999999999999999.1', 'after'],
      ['status-history?after=1.99999999999999999999', 'after'],
      ['status-history?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
      ['uptime?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
      ['uptime?to=yesterday', 'to'],
      ['timelines', 'keys'],
      ['timelines?keys=a&buckets=501', 'buckets'],
    ]
    for (const [query, field] of wrong) {
      const { status, body } = await organization.call('session', 'GET', `${path}/${query}`)
      assert.deepEqual([status, body.details?.[0].field], [422, field], query)
    }
    const all = 'from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z'
    for (const view of ['status-history?', 'uptime?', 'timelines?keys=mode&']) {
      assert.equal((await organization.call('session', 'GET', `${path}/${view}${all}`)).status, 200, view)
    }
  })
})

describe('retention of the status history', () => {
  it('is kept as long as history; what is known of the time before is not made up', async () => {
    const device = await registered()
    await live(device, 'online', 60)
    await live(device, 'error', 31 * 86_400)
    await moveChanges()
    assert.deepEqual(
      lengths(await wholeHistory(partner, device.id, { from: new Date(0) }, 5)),
      [['error', 30 * 86_400]],
      'the range ends where changes are no longer kept',
    )
    const count = async () => (await sql`select from status_history`).length
    const before = await count()
    const longAgo = new Date(clock.now().getTime() - 71 * 86_400_000)
    await sql`update status_history set at = ${longAgo} where status = 'error'`
    await runJob(sql, deleteOldStatusesJob(context))
    assert.ok((await count()) < before)
    assert.equal((await sql`select from status_history where at < now() - interval '31 days'`).length, 0)
  })
})
