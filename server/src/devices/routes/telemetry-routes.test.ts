import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skipOnCitus } from '../../../../test/support/citus.ts'
import { newModel, online, post, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { getDevice, removeDevice } from '../registry/devices.ts'
import { readHistory } from '../telemetry/history.ts'
import { createPartition } from '../telemetry-store/telemetry-store.ts'

const service = await startHarness()
const model = await newModel(service)
const owner = { partner_id: model.partner_id }
const operator = { kind: 'operator' } as const

const values = async (id: string) => {
  const { state } = await getDevice(service.context, owner, id)
  return Object.fromEntries(Object.entries(state).map(([key, { value }]) => [key, value]))
}
const messages = async (id: string) => (await readHistory(service.context, owner, id, { limit: 100 })).items
const ago = (seconds: number) => new Date(service.clock.now().getTime() - seconds * 1000).toISOString()

describe('4.8 send telemetry', () => {
  it('200 {"success":true}, and the message is in the history and the state', async () => {
    const device = await register(service, model)
    const { status, body } = await send(service, device, online({ temperature: 21.5, door: 'open', fan: true }))
    assert.equal(status, 200)
    assert.deepEqual(body, { success: true })
    assert.deepEqual(await values(device.id), { temperature: 21.5, door: 'open', fan: true })
    const [message] = await messages(device.id)
    assert.deepEqual(message!.telemetries, { temperature: 21.5, door: 'open', fan: true })
    assert.equal(message!.status, 'online')
  })

  it('a message whose partition is created while it waits is stored there', { skip: skipOnCitus.lock }, async () => {
    const device = await register(service, model)
    const day = ago(3 * 24 * 60 * 60).slice(0, 10)
    const from = new Date(`${day}T00:00:00Z`)
    const to = new Date(from.getTime() + 24 * 60 * 60 * 1000)
    const { promise: waiting, resolve: isWaiting } = Promise.withResolvers<void>()
    const created = service.sql.begin(async (tx) => {
      await createPartition(tx, `history_${day.replaceAll('-', '')}`, from, to)
      isWaiting()
      for (let held = false; !held; ) {
        // The databases of other test files have the same oids: all are copies of one template.
        const rows = await service.sql`
          select from pg_locks join pg_database on pg_database.oid = pg_locks.database
          where datname = current_database() and relation = 'history_default'::regclass and not granted`
        held = rows.length > 0
      }
    })
    await waiting
    const response = await send(service, device, online({ a: 1 }, { timestamp: `${day}T12:00:00Z` }))
    await created
    assert.deepEqual([response.status, response.body], [200, { success: true }])
    const { items } = await readHistory(service.context, owner, device.id, { from, to, limit: 100 })
    assert.equal(items.length, 1)
  })

  it('5 the key is in Authorization without a scheme; wrong key, no key, unknown device: the same 401', async () => {
    const device = await register(service, model)
    const other = await register(service, model)
    const responses = [
      await send(service, { ...device, access_key: 'wrong' }, online({})),
      await send(service, { ...device, access_key: '' }, online({})),
      await send(service, { ...device, access_key: `Bearer ${device.access_key}` }, online({})),
      await send(service, { ...device, access_key: other.access_key }, online({})),
      await send(service, { ...device, id: '00000000-0000-7000-8000-000000000000' }, online({})),
      await send(service, { ...device, id: 'nonsense' }, online({})),
      // Without a valid key the response does not say what is wrong with the message.
      await send(service, { ...device, access_key: 'wrong' }, { status: 'sleeping' }),
    ]
    for (const { status, body } of responses) {
      assert.equal(status, 401)
      assert.equal(body.code, 'invalid_access_key')
      assert.deepEqual(body, responses[0]!.body)
    }
    assert.equal((await send(service, { ...device, id: device.id.toUpperCase() }, online({}))).status, 200)
  })

  it('a removed device that presents its former key: 410 device_removed; with another key 401', async () => {
    const device = await register(service, model)
    await send(service, device, online({ a: 1 }))
    await removeDevice(service.context, operator, owner, device.id)
    for (const message of [online({ a: 2 }), { status: 'sleeping' }]) {
      const { status, body } = await send(service, device, message)
      assert.deepEqual([status, body.code], [410, 'device_removed'])
    }
    assert.equal((await send(service, { ...device, access_key: 'wrong' }, online({}))).status, 401)
  })

  const refusals: [name: string, body: object | string, fields: string[]][] = [
    ['no status', { telemetries: {} }, ['status']],
    ['an unknown status', { status: 'sleeping', telemetries: {} }, ['status']],
    ['no telemetries', { status: 'online' }, ['telemetries']],
    ['telemetries as a list', { status: 'online', telemetries: [1] }, ['telemetries']],
    ['a list', [], ['body']],
    ['null', 'null', ['body']],
    ['a number', '7', ['body']],
    ['an unknown field', { ...online({}), colour: 'red' }, ['colour']],
    ['an object as a value', online({ a: 1, b: {} }), ['telemetries.b']],
    ['a list as a value', online({ a: [1] }), ['telemetries.a']],
    ['a list as a value', online({ a: [] }), ['telemetries.a']],
    ['two bad values', online({ a: {}, b: 1, c: [] }), ['telemetries.a', 'telemetries.c']],
    ['a number beyond all', '{"status":"online","telemetries":{"big":1e400}}', ['telemetries.big']],
    ['an empty key', online({ '': 1 }), ['telemetries.']],
    ['a key of 129 characters', online({ ['k'.repeat(129)]: 1 }), [`telemetries.${'k'.repeat(129)}`]],
    ['a string of 1,025 bytes', online({ text: `${'é'.repeat(512)}x` }), ['telemetries.text']],
    ['501 keys', online(Object.fromEntries(Array.from({ length: 501 }, (_, n) => [n, n]))), ['telemetries']],
    ['U+0000 in a value', '{"status":"online","telemetries":{"a":"\\u0000"}}', ['telemetries.a']],
    ['U+0000 in a key', '{"status":"online","telemetries":{"a\\u0000":1}}', ['telemetries.a\0']],
    ...['\n', '\r', '\t', '\u001e', '\u007f', '\u0085', '\u009f', '\u2028', '\u2029'].map(
      (character): [string, object, string[]] => [
        `${JSON.stringify(encodeURI(character))} in a key`,
        online({ [`a${character}b`]: 1 }),
        [`telemetries.a${character}b`],
      ],
    ),
    ['a lone surrogate', '{"status":"online","telemetries":{"a":"\\ud800"}}', ['telemetries.a']],
    ['a lone surrogate in a key', '{"status":"online","telemetries":{"\\udc00":1}}', ['telemetries.\ufffd']],
    ['a timestamp that is none', online({}, { timestamp: 'yesterday' }), ['timestamp']],
    ['a timestamp without an offset', online({}, { timestamp: '2026-03-01T12:00:00' }), ['timestamp']],
    ['30 February', online({}, { timestamp: '2026-02-30T12:00:00Z' }), ['timestamp']],
    ['more than 7 days ago', online({}, { timestamp: ago(7 * 86_400 + 1) }), ['timestamp']],
    ['more than 10 minutes ahead', online({}, { timestamp: ago(-601) }), ['timestamp']],
    ['a message_id without a timestamp', online({}, { message_id: 'm' }), ['timestamp']],
    ['a message_id of 65 characters', online({}, { message_id: 'm'.repeat(65), timestamp: ago(0) }), ['message_id']],
    ['an empty message_id', online({}, { message_id: '', timestamp: ago(0) }), ['message_id']],
    ['a number as message_id', online({}, { message_id: 7, timestamp: ago(0) }), ['message_id']],
  ]
  for (const [name, body, fields] of refusals) {
    it(`2.6 ${name} → 422 that names ${fields
      .join(', ')
      .slice(0, 40)
      .replace(/[\p{Cc}\u2028\u2029]/gu, '·')}`, async () => {
      const device = await register(service, model)
      const response = await send(service, device, body)
      assert.equal(response.status, 422)
      assert.equal(response.body.code, 'invalid')
      assert.deepEqual(
        response.body.details.map(({ field }: { field: string }) => field),
        fields,
      )
      assert.deepEqual(await messages(device.id), [])
    })
  }

  const accepted: [name: string, body: object | string, expected: object][] = [
    ['no data points', online({}), {}],
    ['a key called __proto__', '{"status":"online","telemetries":{"__proto__":1}}', JSON.parse('{"__proto__":1}')],
    ['a key called constructor', online({ constructor: 1, toString: 'x' }), { constructor: 1, toString: 'x' }],
    ['a key twice: the last one holds', '{"status":"online","telemetries":{"a":1,"a":2}}', { a: 2 }],
    ['-0, which is 0', '{"status":"online","telemetries":{"a":-0}}', { a: 0 }],
    [
      'the largest and the smallest number',
      online({ a: 1.7976931348623157e308, b: 5e-324 }),
      { a: 1.7976931348623157e308, b: 5e-324 },
    ],
    ['a string of 1,024 bytes', online({ a: 'é'.repeat(512) }), { a: 'é'.repeat(512) }],
    ['a key of 128 characters beyond the basic plane', online({ ['😀'.repeat(128)]: 1 }), { ['😀'.repeat(128)]: 1 }],
    [
      'quotes, backslashes, separators',
      online({ 'a"\\,{}': '"\\\u001e\n\u2028,{}' }),
      { 'a"\\,{}': '"\\\u001e\n\u2028,{}' },
    ],
    ['a timestamp with an offset', online({ a: 1 }, { timestamp: ago(60).replace('Z', '+00:00') }), { a: 1 }],
    ['nanoseconds', online({ a: 1 }, { timestamp: ago(60).replace('Z', '456789Z') }), { a: 1 }],
    [
      '500 keys',
      online(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]))),
      Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n])),
    ],
  ]
  for (const [name, body, expected] of accepted) {
    it(`2.6 accepts ${name}`, async () => {
      const device = await register(service, model)
      const { status, body: response } = await send(service, device, body)
      assert.equal(status, 200, JSON.stringify(response))
      assert.deepEqual(await values(device.id), expected)
      // Once more as part of `rest`.
      assert.equal((await send(service, device, online({ another: 1 }))).status, 200)
      assert.deepEqual(await values(device.id), Object.fromEntries([...Object.entries(expected), ['another', 1]]))
    })
  }

  it('malformed JSON → 400 malformed_json; more than 128 KiB → 413; another content type → 415', async () => {
    const device = await register(service, model)
    const malformed = await send(service, device, '{"status":')
    assert.deepEqual([malformed.status, malformed.body.code], [400, 'malformed_json'])
    assert.equal((await send(service, device, '')).status, 400)
    const large = await send(service, device, JSON.stringify({ ...online({}), pad: 'x'.repeat(128 * 1024) }))
    assert.deepEqual([large.status, large.body.code], [413, 'too_large'])
    const url = `/v1/devices/${device.id}/telemetry`
    const text = await post(service, url, 'x', { 'content-type': 'text/plain', authorization: device.access_key })
    assert.equal(text.status, 415)
  })

  it('a repeat of (device, timestamp, message_id) is a success, is stored once and does not change the state', async () => {
    const device = await register(service, model)
    const first = online({ x: 1 }, { timestamp: ago(-300), message_id: 'm-1' })
    assert.equal((await send(service, device, first)).status, 200)
    service.clock.forward(1)
    await send(service, device, online({ x: 2 }))
    service.clock.forward(1)
    assert.deepEqual((await send(service, device, first)).body, { success: true })
    assert.deepEqual(await values(device.id), { x: 2 })
    assert.equal((await messages(device.id)).length, 2)
    // With another id, or of another device, it is not a repeat.
    assert.equal((await send(service, device, { ...first, message_id: 'm-2' })).status, 200)
    assert.equal((await messages(device.id)).length, 3)
  })

  it('a late message never takes a key backwards, and adds keys that are new', async () => {
    const device = await register(service, model)
    await send(service, device, online({ a: 'new', b: 'new' }))
    await send(service, device, online({ a: 'old', c: 'old' }, { timestamp: ago(600) }))
    assert.deepEqual(await values(device.id), { a: 'new', b: 'new', c: 'old' })
    await send(service, device, online({ c: 'older', d: 'older' }, { timestamp: ago(900) }))
    assert.deepEqual(await values(device.id), { a: 'new', b: 'new', c: 'old', d: 'older' })
  })

  it('a device is online with its first message, and then has the status it reports', async () => {
    const device = await register(service, model)
    const status = async () => (await getDevice(service.context, owner, device.id)).status
    assert.equal(await status(), 'never_seen')
    for (const reported of ['online', 'error', 'offline', 'online']) {
      service.clock.forward(1)
      await send(service, device, { status: reported, telemetries: {} })
      assert.equal(await status(), reported)
    }
    const changes = await service.sql`
      select previous, status from status_changes where device_id = ${device.id} order by number`
    assert.deepEqual(
      changes.map(({ previous, status }) => `${previous} → ${status}`),
      ['never_seen → online', 'online → error', 'error → offline', 'offline → online'],
    )
  })
})
