import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newModel, post, register } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { getDevice, removeDevice } from '../registry/devices.ts'
import { readHistory } from '../telemetry/history.ts'

const service = await startHarness()
const model = await newModel(service)
const owner = { partner_id: model.partner_id }

const mass = (devices: unknown) => post(service, '/v1/devices/telemetry', { devices } as object)
const entry = ({ id, access_key }: { id: string; access_key: string }, telemetries: unknown, more: object = {}) => {
  return { id, access_key, status: 'online', telemetries, ...more }
}

describe('4.8 send mass telemetry', () => {
  it('decision 7.8: each device has its own result, in order; removed, wrong, unknown and malformed ones fail no other', async () => {
    const [good, removed, wrong, bad, last] = await Promise.all(
      Array.from({ length: 5 }, () => register(service, model)),
    )
    await removeDevice(service.context, { kind: 'operator' }, owner, removed!.id)
    const unknown = { id: '00000000-0000-7000-8000-000000000000', access_key: 'lbd_x' }
    const { status, body } = await mass([
      entry(good!, { a: 1 }),
      entry(removed!, { a: 1 }),
      entry({ ...wrong!, access_key: 'wrong' }, { a: 1 }),
      entry(unknown, { a: 1 }),
      entry(bad!, { a: [] }),
      { access_key: 'x' },
      null,
      'nonsense',
      { ...entry(bad!, {}), colour: 'red' },
      entry({ ...good!, id: 'nonsense' }, {}),
      entry(last!, { a: 2 }),
    ])
    assert.equal(status, 200)
    assert.deepEqual(
      body.results.map(({ status, code }: { status: number; code?: string }) => [status, code]),
      [
        [200, undefined],
        [410, 'device_removed'],
        [401, 'invalid_access_key'],
        [401, 'invalid_access_key'],
        [422, 'invalid'],
        [422, 'invalid'],
        [422, 'invalid'],
        [422, 'invalid'],
        [422, 'invalid'],
        [401, 'invalid_access_key'],
        [200, undefined],
      ],
    )
    assert.deepEqual(body.results[0], { id: good!.id, status: 200 })
    assert.equal(body.results[4].details[0].field, 'telemetries.a')
    assert.deepEqual(body.results[6].id, null)
    assert.equal((await getDevice(service.context, owner, last!.id)).state.a!.value, 2)
  })

  it('the same device many times in one call: all stored, in order, and the last one is the state', async () => {
    const device = await register(service, model)
    const other = await register(service, model)
    const { body } = await mass(
      Array.from({ length: 50 }, (_, n) => entry(n % 10 === 9 ? other : device, { n, [`k${n % 3}`]: n })),
    )
    assert.ok(body.results.every(({ status }: { status: number }) => status === 200))
    const { items } = await readHistory(service.context, owner, device.id, { limit: 100 })
    assert.equal(items.length, 45)
    const { state } = await getDevice(service.context, owner, device.id)
    assert.equal(state.n!.value, 48)
    assert.deepEqual([state.k0!.value, state.k1!.value, state.k2!.value], [48, 46, 47])
  })

  it('one to 1,000 devices per call; anything else is a 422 that says so', async () => {
    const device = await register(service, model)
    for (const devices of [[], undefined, {}, Array.from({ length: 1_001 }, () => entry(device, {}))]) {
      const { status, body } = await mass(devices)
      assert.equal(status, 422)
      assert.equal(body.details[0].field, 'devices')
    }
    assert.equal((await post(service, '/v1/devices/telemetry', '[]')).status, 422)
    assert.equal((await post(service, '/v1/devices/telemetry', '{')).body.code, 'malformed_json')
    const thousand = await mass(
      Array.from({ length: 1_000 }, (_, n) => entry({ ...device, access_key: `${n}` }, { n })),
    )
    assert.equal(thousand.body.results.length, 1_000)
  })

  it('one wrong key many times → 503 at the limit per device, and other devices are served meanwhile', async () => {
    const device = await register(service, model)
    const flood = Array.from({ length: 600 }, () => entry({ ...device, access_key: 'wrong' }, {}))
    const floods = Array.from({ length: 9 }, () => mass(flood))
    const [other, ...responses] = await Promise.all([mass([entry(device, { a: 1 })]), ...floods])
    for (const { body } of responses.slice(0, 8)) {
      assert.ok(body.results.every(({ status }: { status: number }) => status === 401))
    }
    assert.deepEqual([responses[8]!.status, responses[8]!.body.code], [503, 'overloaded'])
    assert.equal(other.body.results[0].status, 200)
  })

  it('decision 7.29: several calls of 1,000 messages of one device at once are served, and their repeats', async () => {
    const device = await register(service, model)
    const now = service.clock.now().getTime()
    const call = (round: number) =>
      Array.from({ length: 1_000 }, (_, n) => {
        const timestamp = new Date(now - 5_000_000 + (round * 1_000 + n) * 1_000).toISOString()
        return entry(device, { n: round * 1_000 + n, [`k${n % 3}`]: n }, { timestamp, message_id: `m${n}` })
      })
    const responses = await Promise.all([0, 1, 2, 1].map((round) => mass(call(round))))
    for (const { body } of responses) {
      assert.ok(body.results.every(({ status }: { status: number }) => status === 200))
    }
    const { state } = await getDevice(service.context, owner, device.id)
    assert.deepEqual([state.n!.value, state.k0!.value, state.k1!.value, state.k2!.value], [2_999, 999, 997, 998])
    const [{ count }] = await service.sql<[{ count: number }]>`
      select count(*)::int from history where device_number = (select number from devices where id = ${device.id})`
    assert.equal(count, 3_000)
  })

  it('a call has at most 8 MiB, and each message at most 128 KiB', async () => {
    const device = await register(service, model)
    const large = await post(service, '/v1/devices/telemetry', `{"devices":[],"pad":"${'x'.repeat(8 * 1024 * 1024)}"}`)
    assert.equal(large.status, 413)
    const text = 'x'.repeat(1_000)
    const message = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`k${n}`, text]))
    const { body } = await mass([entry(device, message), entry(device, { ok: true })])
    assert.deepEqual(
      body.results.map(({ status }: { status: number }) => status),
      [422, 200],
    )
  })

  it('a repeat within one call is stored once', async () => {
    const device = await register(service, model)
    const more = { timestamp: service.clock.now().toISOString(), message_id: 'once' }
    const { body } = await mass([entry(device, { a: 1 }, more), entry(device, { a: 2 }, more)])
    assert.deepEqual(
      body.results.map(({ status }: { status: number }) => status),
      [200, 200],
    )
    const { items } = await readHistory(service.context, owner, device.id, {})
    assert.deepEqual(
      items.map(({ telemetries }) => telemetries),
      [{ a: 1 }],
    )
  })
})
