import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMac, newModel, online, register, send } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()
const model = await newModel(service, 'Room sensor')
const [organization, other] = [await createOrganization(service), await createOrganization(service)]

const get = async (path: string, owner = organization) => (await owner.call('session', 'GET', path)).body

async function newSpace(name: string, parent_id?: string, owner = organization): Promise<string> {
  return (await owner.call('session', 'POST', '/spaces', { name, ...(parent_id ? { parent_id } : {}) })).body.id
}

async function newDevice(space_id: string | null, owner = organization) {
  const mac = newMac()
  const credentials = await register(service, model, { mac, sn: mac })
  const { body } = await owner.call('session', 'POST', '/devices/claim', { mac, sn: mac, model_id: model.id, space_id })
  assert.equal(body.id, credentials.id)
  return credentials
}

/** `depth` spaces, one inside the other. */
async function chain(depth: number, prefix: string): Promise<string[]> {
  const ids: string[] = []
  for (let level = 1; level <= depth; level += 1) ids.push(await newSpace(`${prefix} ${level}`, ids.at(-1)))
  return ids
}

const none = { never_seen: 0, online: 0, offline: 0, error: 0 }

describe('a space and what is below it', () => {
  it('an empty space has nothing in it', async () => {
    const id = await newSpace('Empty')
    const summary = await get(`/spaces/${id}/summary`)
    assert.deepEqual([summary.name, summary.above, summary.spaces_below], ['Empty', [], 0])
    assert.deepEqual([summary.devices, summary.devices_directly], [none, none])
    for (const part of ['children', 'data-points']) {
      assert.deepEqual(await get(`/spaces/${id}/${part}`), { items: [], next: null }, part)
    }
    const { devices, complete, series } = await get(`/spaces/${id}/series?key=temperature`)
    assert.deepEqual([devices, complete, series], [0, true, []])
    assert.deepEqual(await get(`/devices/attention?space_id=${id}`), { items: [], next: null })
  })

  it('counts roll up over ten levels, and what is directly in a space is told apart', async () => {
    const levels = await chain(10, 'Level')
    const annex = await newSpace('Annex', levels[0])
    const [top, deepest] = [levels[0]!, levels.at(-1)!]
    const failing = await newDevice(deepest)
    await send(service, await newDevice(deepest), online({}))
    await newDevice(levels[4]!)
    await newDevice(top)
    await send(service, await newDevice(annex), online({}))
    await newDevice(null)
    await send(service, failing, { status: 'error', telemetries: {} })

    const summary = await get(`/spaces/${top}/summary`)
    assert.deepEqual(summary.devices, { never_seen: 2, online: 2, offline: 0, error: 1 })
    assert.deepEqual(summary.devices_directly, { ...none, never_seen: 1 })
    assert.equal(summary.spaces_below, 10)

    const { items } = await get(`/spaces/${top}/children`)
    const rows = items.map((item: Record<string, unknown>) => [item.name, item.spaces_below, item.devices])
    assert.deepEqual(rows, [
      ['Level 2', 8, { never_seen: 1, online: 1, offline: 0, error: 1 }],
      ['Annex', 0, { ...none, online: 1 }],
    ])
    const page = await get(`/spaces/${top}/children?limit=1`)
    assert.equal((await get(`/spaces/${top}/children?limit=1&after=${page.next}`)).items[0].name, 'Annex')

    const leaf = await get(`/spaces/${deepest}/summary`)
    const path = levels.slice(0, -1).map((id, index) => ({ id, name: `Level ${index + 1}` }))
    assert.deepEqual(leaf.above, path)
  })

  it('attention: errors before offline before never seen, the latest change first, and only below the space', async () => {
    const site = await newSpace('Site')
    const floor = await newSpace('Floor', site)
    const [seen, failing, late] = [await newDevice(floor), await newDevice(floor), await newDevice(site)]
    const never = await newDevice(floor)
    const silent = await newDevice(site)
    for (const device of [seen, silent, late]) await send(service, device, online({}))
    await send(service, failing, { status: 'error', telemetries: {} })
    await send(service, silent, { status: 'offline', telemetries: {} })
    service.clock.forward(1)
    await send(service, late, { status: 'offline', telemetries: {} })
    const { items } = await get(`/devices/attention?space_id=${site}`)
    const found = items.map(({ id, reason }: { id: string; reason: string }) => [id, reason])
    assert.deepEqual(found, [
      [failing.id, 'reported_error'],
      [late.id, 'reported_offline'],
      [silent.id, 'reported_offline'],
      [never.id, 'never_seen'],
    ])
    assert.deepEqual(items[0].space_path, ['Site', 'Floor'])
    assert.equal((await get(`/devices/attention?space_id=${site}&limit=1`)).items.length, 3, 'one of each status')

    const meanings = [
      { key: 'leak', type: 'boolean', values: [{ value: true, alarm: true }] },
      { key: 'mode', type: 'text', values: [{ value: 'fault', alarm: true }, { value: 'heat' }] },
    ]
    await service.sql`update models set dictionary = ${service.sql.json(meanings)} where id = ${model.id}`
    await send(service, seen, online({ leak: true, mode: 'heat' }))
    type Attention = { id: string; alarm: { key: string; value: unknown } | null }
    const alarms = async () => {
      const all = (await get(`/devices/attention?space_id=${site}`)).items as Attention[]
      return all.flatMap(({ id, alarm }) => (alarm ? [[id, { key: alarm.key, value: alarm.value }]] : []))
    }
    assert.deepEqual(await alarms(), [[seen.id, { key: 'leak', value: true }]])
    assert.equal((await get(`/devices/attention?space_id=${site}`)).items[0].reason, 'alarm', 'before all others')
    service.clock.forward(1)
    await send(service, seen, online({ leak: false }))
    assert.deepEqual(await alarms(), [], 'the newest value counts')
    service.clock.forward(1)
    await send(service, seen, online({ mode: 'fault' }))
    service.clock.forward(1)
    await send(service, seen, online({ temperature: 1 }))
    assert.deepEqual(await alarms(), [[seen.id, { key: 'mode', value: 'fault' }]], 'a key of an earlier message')
    assert.ok((await get('/devices/attention?limit=100')).items.length > 4, 'without a space: of all')
    assert.deepEqual((await get('/devices/attention', other)).items, [])
  })
})

describe('attention and a hostile dictionary', () => {
  it('ten thousand alarms of a model do not keep its customers from their devices', async () => {
    const { sql } = service
    const hostile = await newModel(service, 'Hostile')
    const owner = await createOrganization(service)
    const values = Array.from({ length: 50 }, (_, value) => ({ value: value + 1_000, alarm: true }))
    const meanings = Array.from({ length: 200 }, (_, index) => ({ key: `k${index}`, type: 'number', values }))
    await sql`update models set dictionary = ${sql.json(meanings)} where id = ${hostile.id}`
    const state = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index])))
    await sql`
      insert into devices (
        id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, claimed_at, status, status_at)
      select gen_random_uuid(), ${hostile.partner_id}, ${hostile.id}, n::text, n::text, '1', now(), ${owner.customer_id},
        now(), 'online', now()
      from generate_series(1, 2000) n`
    await sql`
      insert into device_states (bucket, device_id, number, customer_id, key_digest, status, latest)
      select device_bucket(id), id, number, customer_id, '\\x00', 'online', ${state}::text::json from devices where model_id = ${hostile.id}`
    const { status, body } = await owner.call('session', 'GET', '/devices/attention')
    assert.deepEqual([status, body.items], [200, []])
  })
})

describe('a data point over all devices of a space', () => {
  const at = (minutes: number) => new Date(service.clock.now().getTime() + minutes * 60_000).toISOString()

  it('the last value of each device in each interval: smallest, largest, average and sum', async () => {
    const site = await newSpace('Aggregated')
    const room = await newSpace('Room', site)
    const [first, second, meter] = [await newDevice(site), await newDevice(room), await newDevice(room)]
    service.clock.forward(3_600)
    const from = at(-30)
    await send(service, first, online({ power: 1, on: true }, { timestamp: at(-29) }))
    await send(service, first, online({ power: 10 }, { timestamp: at(-25) }))
    await send(service, second, online({ power: 20, on: false }, { timestamp: at(-21) }))
    await send(service, second, online({ power: 40 }, { timestamp: at(-5) }))
    await send(service, meter, online({ volume: 7, power: 'off' }, { timestamp: at(-5) }))

    const path = `/spaces/${site}/series?from=${from}&to=${at(0)}&buckets=3`
    const power = await get(`${path}&key=power`)
    assert.deepEqual([power.bucket_seconds, power.devices, power.complete], [600, 3, true])
    assert.deepEqual(power.series, [
      { at: at(-30), min: 10, max: 20, avg: 15, sum: 30, count: 2 },
      { at: at(-10), min: 40, max: 40, avg: 40, sum: 40, count: 1 },
    ])
    const on = await get(`${path}&key=on`)
    assert.deepEqual([on.devices, on.series[0].sum, on.series[0].avg], [2, 1, 0.5], 'booleans count as 0 and 1')
    assert.deepEqual((await get(`${path}&key=unheard+of`)).series, [])

    const { items } = await get(`/spaces/${site}/data-points`)
    assert.deepEqual(
      items.map(({ key, type, devices, model_id }: Record<string, unknown>) => [key, type, devices, model_id]),
      [
        ['on', 'boolean', 2, model.id],
        ['power', 'number', 2, model.id],
        ['volume', 'number', 1, model.id],
      ],
      'the text of the meter is no number',
    )
  })

  it('decision 7.3: nothing from before the claim', async () => {
    const room = await newSpace('Claimed late')
    const mac = newMac()
    const credentials = await register(service, model, { mac, sn: mac })
    await send(service, credentials, online({ power: 99 }))
    service.clock.forward(60)
    await organization.call('session', 'POST', '/devices/claim', { mac, sn: mac, model_id: model.id, space_id: room })
    assert.deepEqual((await get(`/spaces/${room}/series?key=power`)).series, [])
    service.clock.forward(60)
    await send(service, credentials, online({ power: 5 }))
    service.clock.forward(60)
    const { series } = await get(`/spaces/${room}/series?key=power&buckets=1`)
    assert.deepEqual([series.length, series[0].max], [1, 5])
  })

  it('what makes no chart is refused', async () => {
    const room = await newSpace('Refused')
    const wrong = ['', 'key=', `key=${'k'.repeat(129)}`, 'key=a&buckets=0', 'key=a&buckets=201', 'key=a&from=yesterday']
    for (const query of [...wrong, `key=a&from=${at(1)}&to=${at(0)}`]) {
      const { status, body } = await organization.call('session', 'GET', `/spaces/${room}/series?${query}`)
      assert.deepEqual([status, body.code], [422, 'invalid'], query)
    }
    for (const range of ['from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z', 'to=0001-01-01T00:00:00.039Z'])
      assert.deepEqual((await get(`/spaces/${room}/series?key=a&${range}`)).series, [])
  })

  it('decision 7.45: with 5,000 devices there are 20 intervals; of more devices, 5,000 are read', async () => {
    const room = await newSpace('Hall')
    const insert = (count: number) => service.sql`
      with device as (
        insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, space_id,
          claimed_at, status, status_at)
        select gen_random_uuid(), ${model.partner_id}, ${model.id}, gen_random_uuid(), gen_random_uuid(), '1', now(),
          ${organization.customer_id}, ${room}, '2020-01-01', 'online', now()
        from generate_series(1, ${count}::int) returning id, number
      )
      insert into device_states (bucket, device_id, number, key_digest, status, latest_at, latest)
      select device_bucket(id), id, number, '', 'online', now(), '{"load": 1}' from device`
    // In parts, since a statement has a deadline.
    for (let part = 1; part <= 5; part += 1) await insert(1_000)
    const full = await get(`/spaces/${room}/series?key=load`)
    assert.deepEqual([full.devices, full.complete, full.bucket_seconds], [5_000, true, 86_400 / 20])
    await insert(1)
    const more = await get(`/spaces/${room}/series?key=load`)
    assert.deepEqual([more.devices, more.complete], [5_000, false])
    assert.equal((await get(`/spaces/${room}/summary`)).devices.online, 5_001)
    assert.equal((await get(`/spaces/${room}/data-points`)).items[0].devices, 5_000)
  })
})

describe('tenancy', () => {
  it("another organization's space is as unknown as one that never was", async () => {
    const theirs = await newSpace('Theirs', undefined, other)
    for (const part of ['summary', 'children', 'data-points', 'series?key=a']) {
      for (const id of [theirs, newId(), 'x']) {
        const { status, body } = await organization.call('api_key', 'GET', `/spaces/${id}/${part}`)
        assert.deepEqual([status, body.code], [404, 'not_found'], `${id} ${part}`)
      }
    }
    assert.deepEqual((await get('/spaces/search?search=Theirs')).items, [])
    assert.deepEqual(await get(`/devices/attention?space_id=${theirs}`), { items: [], next: null })
  })
})

describe('GET /spaces/search', () => {
  it('finds by words of the path, the closest first; the 101st too', async () => {
    const city = await newSpace('Bergen Quay')
    for (let floor = 1; floor <= 101; floor += 1) await newSpace(`Storey ${floor}`, city)
    const twin = await newSpace('Oslo Quay')
    const wanted = await newSpace('Storey 101', twin)
    const find = async (search: string) => (await get(`/spaces/search?search=${encodeURIComponent(search)}`)).items
    const [found] = await find('storey 101 OSLO')
    assert.deepEqual([found.id, found.above], [wanted, [{ id: twin, name: 'Oslo Quay' }]])
    assert.equal((await find('storey 101')).length, 2)
    assert.equal((await find('quay'))[0].name, 'Oslo Quay', 'the top of the tree, then the shortest name')
    assert.equal((await get('/spaces/search?limit=3')).items.length, 3)
    for (const hostile of ['%', '_', "'; drop table spaces --", '\\', '😀', 'x'.repeat(128)]) {
      assert.deepEqual(await find(hostile), [], hostile)
    }
    const { status } = await organization.call('session', 'GET', `/spaces/search?search=${'x'.repeat(129)}`)
    assert.equal(status, 422)
  })
})

describe('GET /models?search=', () => {
  it('finds the model beyond the hundredth, for an organization by the name of its partner too', async () => {
    await service.sql`
      insert into models (id, partner_id, name, authentication_method, created_at)
      select gen_random_uuid(), ${model.partner_id}, 'Sensor mark ' || number, 'MAC & Serial Number', now()
      from generate_series(1, 120) number`
    const { items, next } = await get('/models?search=mark+12')
    assert.deepEqual([items[0].name, items.length, next], ['Sensor mark 12', 3, null])
    assert.equal((await get('/models?search=acme+mark+119')).items[0].name, 'Sensor mark 119')
    assert.deepEqual((await get('/models?search=%25')).items, [])
  })
})
