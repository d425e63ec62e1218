import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, post, send, startScene } from '../../../../test/support/devices.ts'
import { getDevice } from '../registry/devices.ts'
import { readHistory } from './history.ts'

const scene = await startScene()
const { claimed, clock, context, customer, service, sql } = scene
type Device = Awaited<ReturnType<typeof claimed>>

const ago = (seconds: number) => ({ timestamp: new Date(clock.now().getTime() - seconds * 1_000).toISOString() })
const whole = { override: true }

async function say(device: Device, telemetries: object, more: object = {}): Promise<void> {
  const { status, body } = await send(service, device, online(telemetries, more))
  assert.equal(status, 200, JSON.stringify(body))
  clock.forward(1)
}

async function stateOf({ id }: Device): Promise<Record<string, unknown>> {
  const { state } = await getDevice(context, customer, id)
  return Object.fromEntries(Object.entries(state).map(([key, { value }]) => [key, value]))
}

describe('decision 7.98: a value of null removes a data point from the state, and override replaces it', () => {
  it('null removes, another value brings it back, and the others stay', async () => {
    const device = await claimed()
    await say(device, { a: 1, b: 2 })
    await say(device, { a: null })
    assert.deepEqual(await stateOf(device), { b: 2 })
    await say(device, { c: 3 })
    assert.deepEqual(await stateOf(device), { b: 2, c: 3 })
    await say(device, { a: 4 })
    assert.deepEqual(await stateOf(device), { a: 4, b: 2, c: 3 })
  })

  it('a late message brings nothing removed back, and is not lost for other data points', async () => {
    const device = await claimed()
    await say(device, { a: 1, b: 2 })
    clock.forward(60)
    await say(device, { a: null })
    await say(device, { a: 9, late: 5 }, ago(30))
    assert.deepEqual(await stateOf(device), { b: 2, late: 5 })
    await say(device, { b: null, new: 1 }, ago(20))
    assert.deepEqual(await stateOf(device), { late: 5, new: 1 }, 'a late null removes what is older')
  })

  it('override keeps nothing older, whatever comes late, and everything newer', async () => {
    const device = await claimed()
    await say(device, { a: 1, b: 2 })
    clock.forward(60)
    await say(device, { c: 3 }, whole)
    assert.deepEqual(await stateOf(device), { c: 3 })
    await say(device, { a: 9 }, ago(30))
    await say(device, { d: 4 })
    assert.deepEqual(await stateOf(device), { c: 3, d: 4 })
    await say(device, { a: 8, e: 5 }, { ...whole, ...ago(2) })
    assert.deepEqual(await stateOf(device), { a: 8, e: 5, d: 4 }, 'a late one replaces what is older than itself')
    await say(device, {}, whole)
    assert.deepEqual(await stateOf(device), {})
  })

  it('over a mass call, in the order of its entries', async () => {
    const device = await claimed()
    const entry = (telemetries: object, more: object = {}) => ({
      ...{ id: device.id, access_key: device.access_key, status: 'online', telemetries },
      ...more,
    })
    const devices = [entry({ a: 1, b: 1 }), entry({ c: 1, d: 1 }, whole), entry({ e: 1, d: null })]
    const { body } = await post(service, '/v1/devices/telemetry', { devices })
    assert.deepEqual(
      body.results.map(({ status }: { status: number }) => status),
      [200, 200, 200],
    )
    assert.deepEqual(await stateOf(device), { c: 1, e: 1 })
  })

  it('a repeat changes nothing, though what it removed was sent again', async () => {
    const device = await claimed()
    await say(device, { a: 1, b: 1 })
    const message = { ...ago(0), message_id: 'm1', ...whole }
    await say(device, { a: 2 }, message)
    await say(device, { b: 3 })
    await say(device, { a: 2 }, message)
    assert.deepEqual(await stateOf(device), { a: 2, b: 3 })
    const { items } = await readHistory(context, customer, device.id, {})
    assert.equal(items.length, 3)
  })

  it('override with another type, and a list as a value, are refused by name', async () => {
    const device = await claimed()
    const { status, body } = await send(service, device, online({ a: [1] }, { override: 'yes' }))
    assert.equal(status, 422)
    assert.deepEqual(
      body.details.map(({ field }: { field: string }) => field),
      ['override', 'telemetries.a'],
    )
    assert.equal((await send(service, device, online({ '': true }))).status, 422, 'nor can a name be empty')
    await say(device, { a: 1 }, { override: false })
    await say(device, { b: 1 }, { override: false })
    assert.deepEqual(await stateOf(device), { a: 1, b: 1 })
  })
})

describe('decision 7.99: what is removed makes room', () => {
  const named = (prefix: string, count: number, value: unknown = 1) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, value]))
  async function fullDevice(): Promise<Device> {
    const device = await claimed()
    for (const round of [0, 1, 2, 3]) await say(device, named(`r${round}k`, 500, round))
    return device
  }
  const entries = async ({ id }: Device): Promise<number> => {
    const [row] = await sql`
      select (select count(*)::int from jsonb_object_keys(rest)) as count from device_states where device_id = ${id}`
    return row!.count
  }

  it('at once, and in the message that removes', async () => {
    const device = await fullDevice()
    assert.equal((await send(service, device, online({ more: 1 }))).status, 422)
    await say(device, { r0k0: null })
    await say(device, { more: 1 })
    assert.equal((await send(service, device, online({ another: 1 }))).status, 422)
    await say(device, { r0k1: null, another: 1 })
    const state = await stateOf(device)
    assert.deepEqual(
      [Object.keys(state).length, state.r0k0, state.r0k1, state.another],
      [2_000, undefined, undefined, 1],
    )
    assert.equal((await send(service, device, online(named('late', 3), ago(3_600)))).status, 422)
  })

  it('override makes room for all of it', async () => {
    const device = await fullDevice()
    await say(device, named('other', 500), whole)
    for (const round of [4, 5, 6]) await say(device, named(`r${round}k`, 500))
    assert.equal(Object.keys(await stateOf(device)).length, 2_000)
    assert.equal((await send(service, device, online({ another: 1 }))).status, 422)
  })

  it('a device that removes and brings others without end is bounded, until eight days later it is forgotten', async () => {
    const device = await fullDevice()
    let refused = 0
    for (const round of [0, 1, 2, 3, 4, 5, 6, 7, 8]) {
      const { status } = await send(service, device, online(named(`gone${round}k`, 500, null)))
      if (status === 422) refused += 1
      clock.forward(1)
    }
    assert.ok(refused >= 3, `${refused} of 9 refused`)
    assert.ok((await entries(device)) <= 4_001)
    clock.forward(9 * 24 * 3_600)
    await say(device, named('gone9k', 500, null))
    await say(device, named('r0k', 500))
    assert.ok((await entries(device)) <= 3_001, `${await entries(device)}`)
    assert.equal(Object.keys(await stateOf(device)).length, 2_000)
  })
})
