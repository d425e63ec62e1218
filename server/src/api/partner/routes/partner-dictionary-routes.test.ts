import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { newMac, online, post, register, send } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'
import { newPartner } from '../../../../../test/support/partners.ts'

const service = await startHarness()
const partner = await newPartner(service)
const otherPartner = await newPartner(service, { name: 'Other' })
const customer = await createOrganization(service)

const newModel = async () =>
  (await partner.call('POST', '/models', { name: 'Sensor', authentication_method: 'MAC & Serial Number' })).body
const replace = (id: string, data_points: unknown, headers = {}) =>
  partner.call('PUT', `/models/${id}/dictionary`, { data_points }, headers)
const read = async (id: string) => (await partner.call('GET', `/models/${id}/dictionary`)).body.data_points

const temperature = {
  key: 'temperature_c',
  type: 'number',
  label: 'Temperature',
  description: 'At the ceiling.',
  unit: '°C',
  decimals: 1,
  min: 5,
  max: 35,
  chart: true,
}
const door = {
  key: 'door',
  type: 'boolean',
  values: [
    { value: true, label: 'Open', alarm: true },
    { value: false, label: 'Closed' },
  ],
}

describe('the data dictionary of a model', () => {
  it('is empty at first, is replaced as a whole, and comes back as it was sent', async () => {
    const { id } = await newModel()
    assert.deepEqual(await read(id), [])
    const replaced = await replace(id, [temperature, door])
    assert.deepEqual([replaced.status, replaced.body], [200, { data_points: [temperature, door] }])
    assert.deepEqual(await read(id), [temperature, door])
    await replace(id, [door])
    assert.deepEqual(await read(id), [door])
  })

  it('of two editors the second gets 412, also when both save at once', async () => {
    const { id } = await newModel()
    const etag = String((await partner.call('GET', `/models/${id}/dictionary`)).headers.etag)
    const both = await Promise.all([
      replace(id, [temperature], { 'if-match': etag }),
      replace(id, [door], { 'if-match': etag }),
    ])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 412])
    const [first, second] = both.toSorted((one, other) => one.status - other.status)
    assert.equal(second!.body.code, 'changed_meanwhile')
    assert.deepEqual(await read(id), first!.body.data_points)
    assert.equal((await replace(id, [], { 'if-match': String(first!.headers.etag) })).status, 200)
  })

  it('each change is audited with what it changed; the same dictionary again changes nothing', async () => {
    const { id } = await newModel()
    await replace(id, [temperature, door])
    await replace(id, [{ ...door, label: 'Door' }, temperature])
    await replace(id, [{ ...door, label: 'Door' }, temperature])
    await replace(id, [temperature])
    const { body } = await partner.call('GET', '/audit-events?type=model.dictionary_changed')
    const details = body.items.map((event: { details: object }) => event.details)
    const common = { model_id: id, name: 'Sensor' }
    assert.deepEqual(
      details.filter(({ model_id }: { model_id: string }) => model_id === id),
      [
        { ...common, data_points: 1, added: 0, changed: 0, removed: 1 },
        { ...common, data_points: 2, added: 0, changed: 1, removed: 0 },
        { ...common, data_points: 2, added: 2, changed: 0, removed: 0 },
      ],
    )
  })

  const refused: Record<string, [unknown, string, string]> = {
    'a key that is listed twice': [[door, temperature, door], 'data_points.2.key', 'must not be listed twice'],
    'an empty key': [[{ key: '', type: 'text' }], 'data_points.0.key', 'must not be empty'],
    'a key with a line break': [
      [{ key: 'a\nb', type: 'text' }],
      'data_points.0.key',
      'must be 1 to 128 characters, with no control characters and no line separators',
    ],
    'a key with half a character': [
      [{ key: '\ud800', type: 'text' }],
      'data_points.0.key',
      'must be text without lone surrogates',
    ],
    'a type that is none': [
      [{ key: 'a', type: 'string' }],
      'data_points.0.type',
      'must be one of number, boolean, text',
    ],
    'no type': [[{ key: 'a' }], 'data_points.0.type', 'is required'],
    'an unknown field': [[{ ...door, colour: 'red' }], 'data_points.0.colour', 'is not a known field'],
    'a unit of a boolean': [[{ ...door, unit: 'm' }], 'data_points.0.unit', 'is only for numbers'],
    'a range upside down': [[{ ...temperature, min: 50 }], 'data_points.0.max', 'must not be less than min'],
    'a number that is none': [[{ ...temperature, min: '5' }], 'data_points.0.min', 'must be a number'],
    'eleven decimals': [[{ ...temperature, decimals: 11 }], 'data_points.0.decimals', 'must be 10 or less'],
    'a meaning of another type': [
      [{ ...door, values: [{ value: 'true' }] }],
      'data_points.0.values.0.value',
      'must be true or false, as the type says',
    ],
    'two meanings of one value': [
      [{ ...door, values: [{ value: true }, { value: true, label: 'Open' }] }],
      'data_points.0.values.1.value',
      'must not be listed twice',
    ],
    'text with U+0000': [
      [{ key: 'a', type: 'text', values: [{ value: 'a\0' }] }],
      'data_points.0.values.0.value',
      'must be a value as devices send it; text of 200 characters or fewer',
    ],
    'an invisible label': [[{ ...door, label: ' \u00a0' }], 'data_points.0.label', 'must contain a visible character'],
    '201 data points': [
      Array.from({ length: 201 }, (_, index) => ({ key: `k${index}`, type: 'number' })),
      'data_points',
      'must have 200 items or fewer',
    ],
    '21 data points in the chart': [
      Array.from({ length: 21 }, (_, index) => ({ key: `k${index}`, type: 'number', chart: true })),
      'data_points',
      'must not have more than 20 data points with chart',
    ],
    'no list': [{ door }, 'data_points', 'must be a list'],
  }
  it('what is wrong is refused and named, and nothing changes', async () => {
    const { id } = await newModel()
    await replace(id, [temperature])
    for (const [what, [data_points, field, message]] of Object.entries(refused)) {
      const { status, body } = await replace(id, data_points)
      assert.deepEqual([status, body.code, body.details?.[0]], [422, 'invalid', { field, message }], what)
    }
    const huge = Array.from({ length: 200 }, (_, index) => ({
      key: `k${index}`,
      type: 'text',
      values: Array.from({ length: 50 }, (_, value) => ({ value: `${value} ${'x'.repeat(100)}` })),
    }))
    assert.equal((await replace(id, huge)).body.code, 'too_large')
    assert.deepEqual(await read(id), [temperature])
  })

  it('keys and meanings that are traps for programs are kept as they are', async () => {
    const { id } = await newModel()
    const keys = ['__proto__', 'constructor', 'a,b', '"quoted"', '<b>', '=1+1', 'größe 🌡️', 'x'.repeat(128)]
    const hostile = keys.map((key) => ({ key, type: 'text', label: key.slice(0, 100), values: [{ value: key }] }))
    assert.equal((await replace(id, hostile)).status, 200)
    assert.deepEqual(await read(id), hostile)
    const full = Array.from({ length: 200 }, (_, index) => ({ ...temperature, key: `k${index}`, chart: index < 20 }))
    assert.equal((await replace(id, full)).status, 200)
  })

  it('telemetry that it does not describe is stored exactly as before', async () => {
    const model = await newModel()
    await replace(model.id, [temperature, door])
    const device = await register(service, model)
    const outside = { temperature_c: 'broken', door: 7, unknown: true, '__proto__ ': 'x', humidity: 1e300 }
    const sent = await send(service, device, online(outside))
    assert.deepEqual([sent.status, sent.body], [200, { success: true }])
    assert.equal((await send(service, device, online({ temperature_c: -1e6 }))).status, 200)
    const mass = await post(service, '/v1/devices/telemetry', {
      devices: [{ id: device.id, access_key: device.access_key, ...online({ door: 'ajar' }) }],
    })
    assert.equal(mass.body.results[0].status, 200)
    const { body } = await partner.call('GET', `/devices/${device.id}`)
    const state = Object.entries<{ value: unknown }>(body.state).map(([key, { value }]) => [key, value])
    assert.deepEqual(Object.fromEntries(state), { ...outside, temperature_c: -1e6, door: 'ajar' })
    const history = await partner.call('GET', `/devices/${device.id}/history`)
    assert.deepEqual(history.body.items[0].telemetries, outside)
  })
})

describe('what is made of a data dictionary', () => {
  it('suggestions come from what the newest devices have sent, and fit as a dictionary', async () => {
    const model = await newModel()
    const path = `/models/${model.id}/dictionary/suggestions`
    assert.deepEqual((await partner.call('GET', path)).body, { items: [], next: null })
    for (const value of [20.25, 22.5, 19]) {
      const device = await register(service, model)
      await send(service, device, online({ temperature_c: 99, old: true }))
      await send(service, device, online({ temperature_c: value, mode: 'heat', leak: false, __proto__x: 1 }))
    }
    await register(service, model)
    const { items } = (await partner.call('GET', path)).body
    assert.deepEqual(items[4], {
      entry: { key: 'temperature_c', type: 'number', label: 'Temperature', unit: '°C', decimals: 2, chart: true },
      devices: 3,
      min: 19,
      max: 22.5,
    })
    const entries = items.map(({ entry }: { entry: { key: string } }) => entry)
    assert.deepEqual(
      entries.map(({ key }: { key: string }) => key),
      ['__proto__x', 'leak', 'mode', 'old', 'temperature_c'],
    )
    assert.equal((await replace(model.id, entries)).status, 200)
    assert.equal((await otherPartner.call('GET', path)).status, 404)
  })

  it('a CSV has labels and units where they are asked for, and keys as before where not', async () => {
    const model = await newModel()
    const twin = { ...temperature, key: 'temp2' }
    await replace(model.id, [door, temperature, twin, { key: 'formula', type: 'text', label: '=1+1, "x"' }])
    const device = await register(service, model)
    await send(service, device, online({ a: 1, temperature_c: 21, temp2: 22, door: true, formula: 'x' }))
    const header = async (query: string) => {
      const { body } = await partner.call('GET', `/devices/${device.id}/history.csv${query}`)
      return String(body).split('\r\n')[0]!.replace('\ufefftimestamp,received_at,message_id,status,', '')
    }
    assert.equal(await header(''), 'a,door,formula,temp2,temperature_c')
    assert.equal(
      await header('?headers=labels'),
      `door,Temperature (°C) [temperature_c],Temperature (°C) [temp2],"'=1+1, ""x""",a`,
    )
    assert.equal(await header('?headers=labels&keys=temperature_c,zzz'), 'Temperature (°C),zzz')
  })

  it('the OpenAPI document of the model has its data points, and the linter finds nothing', async () => {
    const { id } = await newModel()
    await replace(id, [temperature, door, { key: '__proto__', type: 'text', values: [{ value: 'a' }] }])
    const { body } = await partner.call('GET', `/models/${id}/openapi.json`)
    const { properties } = body.components.schemas.Telemetry.properties.telemetries
    assert.deepEqual(Object.keys(properties), ['temperature_c', 'door', '__proto__'])
    assert.deepEqual(properties.temperature_c, {
      type: ['number', 'null'],
      title: 'Temperature',
      description: 'At the ceiling.',
      minimum: 5,
      maximum: 35,
      'x-unit': '°C',
      'x-decimals': 1,
    })
    assert.equal(properties.door.description, '`true`: Open (alarm), `false`: Closed')
    const config = await createConfig({ extends: ['spec'] })
    const problems = await lintFromString({ source: JSON.stringify(body), config })
    assert.deepEqual(
      problems.map(({ message }) => message),
      [],
    )
    const media = body.paths['/v1/devices/{device_id}/telemetry'].post.requestBody.content['application/json']
    const model = await newModel()
    assert.equal((await send(service, await register(service, model), media.example)).status, 200)
    assert.equal((await otherPartner.call('GET', `/models/${id}/openapi.json`)).status, 404)
  })
})

describe('who may see a data dictionary', () => {
  it('its partner; a customer while it has a device of the model; nobody else', async () => {
    const model = await newModel()
    await replace(model.id, [temperature])
    const path = `/models/${model.id}/dictionary`
    assert.equal((await otherPartner.call('GET', path)).status, 404)
    assert.equal((await otherPartner.call('PUT', path, { data_points: [] })).status, 404)
    assert.equal((await customer.call('api_key', 'GET', path)).status, 404)
    const identity = { mac: newMac(), sn: 'SN-1' }
    const device = await register(service, model, identity)
    assert.equal((await customer.call('api_key', 'GET', path)).status, 404, 'registered, not claimed')
    await customer.call('api_key', 'POST', '/devices/claim', { ...identity, model_id: model.id })
    for (const credential of ['api_key', 'bearer', 'session'] as const) {
      assert.deepEqual((await customer.call(credential, 'GET', path)).body, { data_points: [temperature] })
    }
    assert.equal((await customer.call('api_key', 'PUT', path, { data_points: [] })).status, 405)
    await customer.call('api_key', 'DELETE', `/devices/${device.id}`)
    assert.equal((await customer.call('api_key', 'GET', path)).status, 404)
    assert.equal((await partner.call('GET', '/models/nonsense/dictionary')).status, 404)
  })
})
