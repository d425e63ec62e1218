import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runJob } from '../platform/jobs.ts'
import type { Refusal } from '../platform/refusal.ts'
import { newId } from '../platform/secrets/identifiers.ts'
import { startHarness } from '../testing/harness.ts'
import { claimDevice, claimLimits } from './claim.ts'
import { listDevices, macPrefix } from './device-lists.ts'
import { changeDevice, getDevice, openReplaceWindow, removeDevice } from './devices.ts'
import { readHistory, readSeries } from './history.ts'
import { dropHistory, keepHistory } from './partitions.ts'
import { newMac, newModel, post, register, registration, send } from './testing.ts'

const service = await startHarness()
const { context, clock, sql } = service
const model = await newModel(service)
const partner = { partner_id: model.partner_id }
const customerId = model.lab_customer_id
const customer = { customer_id: customerId }
const user = { kind: 'user', id: newId() } as const

async function newSpace(customer_id: string): Promise<string> {
  const id = newId()
  await sql`insert into spaces (id, customer_id, name, created_at) values (${id}, ${customer_id}, ${id}, now())`
  return id
}

async function registered(change: object = {}) {
  const identity = { mac: newMac(), sn: `SN-${newId()}`, ...change }
  return { ...identity, ...(await register(service, model, identity)) }
}

async function claimed(change: object = {}) {
  const device = await registered()
  await claimDevice(context, user, customerId, '192.0.2.1', { ...device, model_id: model.id, ...change })
  return device
}

const refused = async (work: Promise<unknown>): Promise<Refusal> => {
  try {
    await work
  } catch (error) {
    return error as Refusal
  }
  throw new Error('not refused')
}
const online = (telemetries: object, more: object = {}) => ({ status: 'online', telemetries, ...more })

describe('1.5 claiming by MAC, serial number and model', () => {
  it('makes the device the customer’s, in the chosen space, with an audit event', async () => {
    const space_id = await newSpace(customerId)
    const device = await claimed({ name: 'Boiler', space_id })
    const found = await getDevice(context, customer, device.id)
    assert.deepEqual([found.name, found.space_id, found.customer_id], ['Boiler', space_id, customerId])
    assert.deepEqual(found.claimed_at, clock.now())
    const [event] = await sql`select actor from audit_events where type = 'device.claimed' and device_id = ${device.id}`
    assert.deepEqual(event!.actor, user)
  })

  it('every failure is the same 422 claim_failed, and leaves an audit event', async () => {
    const device = await registered()
    const taken = await claimed()
    const removed = await registered()
    await removeDevice(context, user, partner, removed.id)
    const other = await newModel(service)
    const foreign = await newSpace(other.lab_customer_id)
    const attempts = [
      { ...device, mac: newMac(), model_id: model.id },
      { ...device, sn: 'wrong', model_id: model.id },
      { ...device, model_id: other.id },
      { ...device, model_id: 'nonsense' },
      { ...taken, model_id: model.id },
      { ...removed, model_id: model.id },
      { ...device, model_id: model.id, space_id: foreign },
      { ...device, model_id: model.id, space_id: newId() },
    ]
    for (const attempt of attempts) {
      const { status, code, message } = await refused(claimDevice(context, user, customerId, '192.0.2.1', attempt))
      assert.deepEqual([status, code], [422, 'claim_failed'])
      assert.match(message, /cannot be claimed/)
    }
    const [row] = await sql`select count(*)::int as count from audit_events where type = 'device.claim_failed'`
    assert.equal(row!.count, attempts.length)
    // And none of it was in the owner's way.
    await claimDevice(context, user, customerId, '192.0.2.1', { ...device, model_id: model.id })
  })

  it('of two customers at once exactly one gets it', async () => {
    const other = await newModel(service)
    for (let round = 0; round < 10; round += 1) {
      const device = { ...(await registered()), model_id: model.id }
      const claims = await Promise.allSettled(
        [customerId, other.lab_customer_id].map((id) => claimDevice(context, user, id, '192.0.2.1', device)),
      )
      assert.deepEqual(claims.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
      const [row] = await sql`
        select device.customer_id = state.customer_id as same
        from devices device join device_states state on state.device_id = device.id where device.id = ${device.id}`
      assert.equal(row!.same, true)
    }
  })

  it('attempts are limited, yet nobody at the same address or customer can lock an owner out', async () => {
    clock.forward(61)
    const guess = () => ({ mac: newMac(), sn: 'guess', model_id: model.id })
    const attacker = { kind: 'user', id: newId() } as const
    const codes: string[] = []
    for (let n = 0; n < claimLimits.claimant + 2; n += 1) {
      codes.push((await refused(claimDevice(context, attacker, customerId, '192.0.2.7', guess()))).code)
    }
    assert.deepEqual(codes.slice(-3), ['claim_failed', 'too_many_attempts', 'too_many_attempts'])
    // More of them exhaust the address and the customer.
    for (let n = 0; n < claimLimits.address; n += 1) {
      const helper = { kind: 'user', id: `${n % 10}` } as const
      await refused(claimDevice(context, helper, customerId, '192.0.2.7', guess()))
    }
    const owner = { kind: 'user', id: newId() } as const
    const device = await registered()
    await claimDevice(context, owner, customerId, '192.0.2.7', { ...device, model_id: model.id })
    clock.forward(61)
  })
})

describe('design 7: removal, replacement, change', () => {
  it('a removed device is gone for its customer and its partner, and registers as a new one with a new id', async () => {
    const space_id = await newSpace(customerId)
    const device = await claimed({ space_id })
    await removeDevice(context, user, customer, device.id)
    for (const owner of [customer, partner]) {
      assert.equal((await refused(getDevice(context, owner, device.id))).status, 404)
    }
    assert.equal((await send(service, device, online({}))).status, 410)
    const again = await register(service, model, { mac: device.mac, sn: device.sn })
    assert.notEqual(again.id, device.id)
    assert.equal((await getDevice(context, partner, again.id)).claimed_at, null)
    assert.equal((await send(service, device, online({}))).status, 410)
    assert.equal((await send(service, again, online({}))).status, 200)
    // It holds its space back no more.
    await sql`delete from spaces where id = ${space_id}`
    assert.equal((await refused(removeDevice(context, user, customer, device.id))).status, 404)
  })

  it('another customer’s or partner’s device is a 404 for every act', async () => {
    const device = await claimed()
    const other = await newModel(service)
    const strangers = [{ customer_id: other.lab_customer_id }, { partner_id: other.partner_id }]
    for (const owner of strangers) {
      assert.equal((await refused(getDevice(context, owner, device.id))).status, 404)
      assert.equal((await refused(removeDevice(context, user, owner, device.id))).status, 404)
      assert.equal((await refused(openReplaceWindow(context, user, owner, device.id))).status, 404)
      assert.equal((await refused(readHistory(context, owner, device.id, {}))).status, 404)
      assert.deepEqual((await listDevices(context, owner, {})).items, [])
    }
    const change = changeDevice(context, user, other.lab_customer_id, device.id, { name: 'mine' })
    assert.equal((await refused(change)).status, 404)
    assert.equal((await getDevice(context, customer, device.id)).name, null)
  })

  it('a replace window of an hour: same id and history, new key, and only once', async () => {
    const device = await claimed()
    await send(service, device, online({ a: 1 }))
    const again = () => post(service, '/v1/devices', registration(model, { mac: device.mac, sn: device.sn }))
    assert.equal((await again()).body.code, 'already_registered')
    await openReplaceWindow(context, user, partner, device.id)
    clock.forward(3_600)
    assert.equal((await again()).body.code, 'already_registered')
    const { replace_until } = await openReplaceWindow(context, user, customer, device.id)
    assert.equal(replace_until.getTime(), clock.now().getTime() + 3_600_000)
    assert.equal((await send(service, device, online({ a: 2 }))).status, 200)
    clock.forward(3_599)
    const { status, body } = await again()
    assert.deepEqual([status, body.id], [201, device.id])
    assert.equal((await send(service, device, online({ a: 3 }))).status, 401)
    // A lost reply can be retried, until the new key is used.
    const retried = (await again()).body
    assert.equal((await send(service, retried, online({ a: 4 }))).status, 200)
    assert.equal((await again()).body.code, 'already_registered')
    assert.equal((await readHistory(context, customer, device.id, {})).items.length, 3)
  })

  it('a rename and a move change what they say, and a foreign space is a 404', async () => {
    const space = await newSpace(customerId)
    const device = await claimed({ name: 'Old' })
    assert.equal((await changeDevice(context, user, customerId, device.id, { name: 'New' })).name, 'New')
    const moved = await changeDevice(context, user, customerId, device.id, { space_id: space })
    assert.deepEqual([moved.name, moved.space_id], ['New', space])
    const foreign = await newSpace((await newModel(service)).lab_customer_id)
    const refusal = await refused(changeDevice(context, user, customerId, device.id, { space_id: foreign }))
    assert.equal(refusal.status, 404)
    assert.equal((await changeDevice(context, user, customerId, device.id, { space_id: null })).space_id, null)
    await assert.rejects(async () => {
      await changeDevice(context, user, customerId, device.id, { space_id: space })
      await sql`delete from spaces where id = ${space}`
    }, /foreign key/)
  })
})

describe('device lists', () => {
  it('filters by space, model, status and claim, alone and together, and page by page', async () => {
    const own = await newModel(service)
    const lab = { customer_id: own.lab_customer_id }
    const spaces = [await newSpace(own.lab_customer_id), await newSpace(own.lab_customer_id)]
    const all: { id: string; space_id: string | null; status: string; claimed: boolean }[] = []
    for (let n = 0; n < 24; n += 1) {
      const identity = { mac: newMac(), sn: `list-${n}` }
      const device = await register(service, own, identity)
      const space_id = spaces[n % 3] ?? null
      const isClaimed = n % 4 !== 3
      const status = n % 2 ? 'online' : 'never_seen'
      if (n % 2) await send(service, device, online({}))
      if (isClaimed) {
        const claim = { ...identity, model_id: own.id, space_id }
        await claimDevice(context, user, own.lab_customer_id, '192.0.2.1', claim)
      }
      all.push({ id: device.id, space_id, status, claimed: isClaimed })
    }
    const pages = async (owner: Parameters<typeof listDevices>[1], query: object) => {
      const ids: string[] = []
      let after: string | undefined
      do {
        const page = await listDevices(context, owner, { ...query, limit: 3, ...(after ? { after } : {}) })
        ids.push(...page.items.map(({ id }) => id))
        after = page.next ?? undefined
      } while (after)
      return ids
    }
    const ids = (keep: (device: (typeof all)[number]) => boolean) => all.filter(keep).map(({ id }) => id)
    assert.deepEqual(
      await pages(lab, {}),
      ids(({ claimed }) => claimed),
    )
    assert.deepEqual(
      await pages(lab, { status: 'online' }),
      ids(({ claimed, status }) => claimed && status === 'online'),
    )
    assert.deepEqual(
      await pages(lab, { space_ids: [spaces[0]] }),
      ids(({ claimed, space_id }) => claimed && space_id === spaces[0]),
    )
    assert.deepEqual(
      await pages(lab, { space_ids: spaces, model_id: own.id, status: 'never_seen' }),
      ids(({ claimed, space_id, status }) => claimed && space_id !== null && status === 'never_seen'),
    )
    assert.deepEqual(await pages(lab, { model_id: model.id }), [])
    const fleet = { partner_id: own.partner_id }
    assert.deepEqual(
      await pages(fleet, {}),
      ids(() => true),
    )
    assert.deepEqual(
      await pages(fleet, { claimed: false, model_id: own.id }),
      ids(({ claimed }) => !claimed),
    )
    assert.deepEqual(
      await pages(fleet, { claimed: true, status: 'online' }),
      ids(({ claimed, status }) => claimed && status === 'online'),
    )
    const found = await pages(fleet, { search: 'LIST-1', status: 'online' })
    assert.deepEqual(
      found.toSorted(),
      ids(() => true)
        .filter((_, n) => n % 2 && `list-${n}`.startsWith('list-1'))
        .toSorted(),
    )
  })

  it('searches by the beginning of the name, the MAC in any writing, or the serial number; each device once', async () => {
    const own = await newModel(service)
    const lab = own.lab_customer_id
    const claim = async (mac: string, sn: string, name: string | null) => {
      const { id } = await register(service, own, { mac, sn })
      await claimDevice(context, user, lab, '192.0.2.1', { mac, sn, model_id: own.id, name })
      return id
    }
    const a = await claim('aa:bb:cc:00:00:01', 'Xy1', 'Aa Hall')
    const b = await claim('aa:bb:cc:00:00:02', 'aa2', 'Kitchen')
    const c = await claim('00:00:00:00:00:03', 'AA3', null)
    const search = async (text: string, owner: Parameters<typeof listDevices>[1] = { customer_id: lab }) =>
      (await listDevices(context, owner, { search: text })).items.map(({ id }) => id)
    assert.deepEqual(await search('aa'), [a, b, c])
    assert.deepEqual(await search('AABB'), [a, b])
    assert.deepEqual(await search('aa-bb-cc-00-00-02'), [b])
    assert.deepEqual(await search('kit'), [b])
    assert.deepEqual(await search('xY1'), [a])
    assert.deepEqual(await search('itchen'), [])
    assert.deepEqual(await search('%'), [])
    // The partner does not know the customer's names (1.5).
    assert.deepEqual(await search('kit', { partner_id: own.partner_id }), [])
    const pages: string[] = []
    let after: string | undefined
    do {
      const page = await listDevices(
        context,
        { customer_id: lab },
        { search: 'aa', limit: 1, ...(after ? { after } : {}) },
      )
      pages.push(...page.items.map(({ id }) => id))
      after = page.next ?? undefined
    } while (after)
    assert.deepEqual(pages, [a, b, c])
    assert.equal(macPrefix('001A2'), '00:1a:2')
  })

  it('a cursor that is none is a 422', async () => {
    for (const query of [{ after: 'x' }, { search: 'a', after: 'x' }, { search: 'a', after: 'W10' }]) {
      assert.equal((await refused(listDevices(context, customer, query))).status, 422)
    }
  })
})

describe('history', () => {
  it('is read by range and keys, in either order, page by page, several of one instant included', async () => {
    const device = await registered()
    const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000)
    for (const n of [0, 1, 1, 1, 2, 3]) {
      await send(service, device, online({ n, other: true }, { timestamp: at(n - 10).toISOString() }))
    }
    const read = async (query: object) => {
      const seen: unknown[] = []
      let after: string | undefined
      do {
        const page = await readHistory(context, partner, device.id, { ...query, limit: 2, after })
        seen.push(...page.items.map(({ telemetries }) => telemetries.n))
        after = page.next ?? undefined
      } while (after)
      return seen
    }
    assert.deepEqual(await read({}), [0, 1, 1, 1, 2, 3])
    assert.deepEqual(await read({ newest_first: true }), [3, 2, 1, 1, 1, 0])
    assert.deepEqual(await read({ from: at(-9), to: at(-8) }), [1, 1, 1, 2])
    const { items } = await readHistory(context, partner, device.id, { keys: ['n'] })
    assert.deepEqual(items[0]!.telemetries, { n: 0 })
  })

  it('is down-sampled to smallest, largest and average', async () => {
    const device = await registered()
    const start = clock.now().getTime() - 100_000
    for (let n = 0; n < 10; n += 1) {
      const timestamp = new Date(start + n * 10_000).toISOString()
      await send(service, device, online({ n, big: 1e308, on: n % 2 === 0, text: 'x' }, { timestamp }))
    }
    const query = { from: new Date(start), to: new Date(start + 100_000), keys: ['n', 'big', 'on', 'text'], buckets: 2 }
    const { series, bucket_seconds } = await readSeries(context, partner, device.id, query)
    assert.equal(bucket_seconds, 50)
    assert.deepEqual(
      series.n!.map(({ min, max, avg, count }) => [min, max, avg, count]),
      [
        [0, 4, 2, 5],
        [5, 9, 7, 5],
      ],
    )
    assert.equal(series.big![0]!.avg, 1e308)
    assert.equal(series.on![0]!.avg, 0.6)
    assert.deepEqual(series.text, [])
  })

  it('a customer sees it only from its own claim on; the partner sees all of it', async () => {
    const device = await registered()
    await send(service, device, online({ when: 'before' }))
    clock.forward(60)
    await claimDevice(context, user, customerId, '192.0.2.1', { ...device, model_id: model.id })
    clock.forward(60)
    const late = new Date(clock.now().getTime() - 90_000).toISOString()
    await send(service, device, online({ when: 'told late of before' }, { timestamp: late }))
    await send(service, device, online({ when: 'after' }))
    const words = async (owner: Parameters<typeof readHistory>[1]) =>
      (await readHistory(context, owner, device.id, { from: new Date(0) })).items.map(
        ({ telemetries }) => telemetries.when,
      )
    assert.deepEqual(await words(customer), ['after'])
    assert.deepEqual(await words(partner), ['before', 'told late of before', 'after'])
    // And still after the device was removed, until retention.
    await removeDevice(context, user, customer, device.id)
    assert.deepEqual(await words(customer), ['after'])
  })

  it('days are made ahead and dropped by retention; a day without a partition loses nothing', async () => {
    const device = await registered()
    const partitions = async () =>
      (await sql`select relname from pg_class where relname ~ '^history_[0-9]{8}$' and relkind = 'r' order by 1`).map(
        ({ relname }) => relname,
      )
    assert.deepEqual(await partitions(), [])
    await send(service, device, online({ n: 1 }))
    await send(
      service,
      device,
      online({ n: 0 }, { timestamp: new Date(clock.now().getTime() - 6 * 86_400_000).toISOString() }),
    )
    await runJob(sql, keepHistory(context))
    await runJob(sql, keepHistory(context))
    assert.equal((await partitions()).length, 16)
    const [strays] = await sql`select count(*)::int as count from only history_of_no_day`
    assert.equal(strays!.count, 0)
    const count = async () => (await readHistory(context, partner, device.id, { from: new Date(0) })).items.length
    assert.equal(await count(), 2)
    await send(service, device, online({ n: 2 }))
    assert.equal(await count(), 3)
    clock.forward(25 * 86_400)
    await runJob(sql, dropHistory(context))
    assert.equal(await count(), 2)
    clock.forward(7 * 86_400)
    await runJob(sql, dropHistory(context))
    assert.equal(await count(), 0)
  })
})
