import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { newModel, online, post, register, registration, send } from '../../../../test/support/devices.ts'
import { startHarness, toTestResponse } from '../../../../test/support/harness.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { until } from '../../../../test/support/until.ts'
import { openReplaceWindow, removeDevice } from '../registry/devices.ts'
import { replaceDictionary } from '../registry/dictionary.ts'
import type { DictionaryEntry } from '../store/dictionaries.ts'
import { settingReviewsJob } from './setting-reviews.ts'

const service = await startHarness()
const other = await startHarness({}, { beside: service })
const organization = await createOrganization(service)
const stranger = await createOrganization(service)
const model = await newModel(service)
const sibling = await newModel(service, 'Other')
const operator = { kind: 'operator' } as const

const dictionary: DictionaryEntry[] = [
  { key: 'target', type: 'number', min: 5, max: 30, settable: true },
  { key: 'mode', type: 'text', values: [{ value: 'heat' }, { value: 'cool' }], settable: true },
  { key: 'lock', type: 'boolean', settable: true },
  { key: 'temperature', type: 'number' },
]
const declare = async (data_points: DictionaryEntry[], of = model) =>
  replaceDictionary(service.context, operator, of.partner_id, of.id, { data_points })
before(async () => {
  await declare(dictionary)
  await declare([{ key: 'target', type: 'number', max: 10, settable: true }], sibling)
})

interface Device {
  id: string
  access_key: string
  mac: string
  sn: string
}

async function claimed(of = model, space_id: string | null = null): Promise<Device> {
  const label = registration(of) as { mac: string; sn: string }
  const device = await register(service, of, label)
  const body = { mac: label.mac, sn: label.sn, model_id: of.id, space_id }
  const { status } = await call('POST', '/devices/claim', body)
  assert.equal(status, 201)
  return { ...device, ...label }
}

const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  organization.call('session', method, path, body)
const settingsOf = async (device: Device) => (await call('GET', `/devices/${device.id}/settings`)).body
const change = (device: Device, values: object, more: object = {}) =>
  call('PATCH', `/devices/${device.id}/settings`, { values, ...more })
const states = async (device: Device) => {
  const { values } = await settingsOf(device)
  return Object.fromEntries(
    values.flatMap(({ key, state }: { key: string; state: string | null }) => (state ? [[key, state]] : [])),
  )
}
const config = async (device: { id: string; access_key: string }, app = service.app) =>
  toTestResponse(
    await app.inject({ url: `/v1/devices/${device.id}/config`, headers: { authorization: device.access_key } }),
  )
const report = (device: { id: string; access_key: string }, body: object | string) =>
  post(service, `/v1/devices/${device.id}/config`, body, { authorization: device.access_key })
const listed = async (settings: string) => {
  const { status, body } = await call('GET', `/devices?settings=${settings}&limit=100`)
  assert.equal(status, 200)
  return body.items.map(({ id }: { id: string }) => id)
}
const inList = async (device: Device) => {
  const found: string[] = []
  for (const name of ['in_sync', 'pending', 'rejected', 'unsupported', 'differs']) {
    if ((await listed(name)).includes(device.id)) found.push(name)
  }
  return found
}
/** Both passes, as a minute later. */
const review = async () => {
  await settingReviewsJob(service.context).runShared()
  service.clock.forward(61)
  await settingReviewsJob(service.context).runShared()
}

describe('the settings that a customer wants of a device', () => {
  it('nothing is wanted of a new device', async () => {
    const device = await claimed()
    assert.partialDeepStrictEqual(await settingsOf(device), { version: 0, state: null, source: null, differs: false })
    assert.deepEqual((await config(device)).body, { version: 0, config: {}, last_updated: null })
    const { status, body } = await send(service, device, online({ temperature: 20 }))
    assert.deepEqual([status, body], [200, { success: true }])
    assert.deepEqual(await inList(device), [])
  })

  it('a change is a version; the device gets all of it, applies it, and it is in sync', async () => {
    const device = await claimed()
    const changed = await change(device, { target: 21.5, mode: 'heat' })
    assert.equal(changed.status, 200, changed.raw)
    assert.partialDeepStrictEqual(changed.body, { version: 1, state: 'pending', source: 'customer' })
    assert.deepEqual(await states(device), { target: 'pending', mode: 'pending' })
    assert.deepEqual(await inList(device), ['pending'])
    const { body } = await config(device)
    assert.deepEqual(Object.keys(body), ['version', 'config', 'last_updated'])
    assert.deepEqual([body.version, body.config], [1, { target: 21.5, mode: 'heat' }])
    const [row] = await service.sql`select config_version from device_states where device_id = ${device.id}`
    assert.equal(row!.config_version, 1)

    assert.deepEqual((await report(device, { version: 1, result: 'applied' })).body, { success: true, version: 1 })
    assert.deepEqual(await states(device), { target: 'in_sync', mode: 'in_sync' })
    assert.deepEqual(await inList(device), ['in_sync'])
    assert.partialDeepStrictEqual(await settingsOf(device), { reported_version: 1 })
  })

  it('what is not named stays; null no longer wants it; the same again is no version', async () => {
    const device = await claimed()
    await change(device, { target: 20, lock: true })
    assert.equal((await change(device, { target: 20 })).body.version, 1)
    await report(device, { version: 1, result: 'applied' })
    assert.equal((await change(device, { lock: null })).body.version, 2)
    assert.deepEqual((await config(device)).body.config, { target: 20 })
    assert.deepEqual(await states(device), { target: 'in_sync' })
    assert.equal((await change(device, { target: null })).body.version, 3)
    assert.deepEqual(await inList(device), [])
  })

  it('a device rejects some settings, and says why; asking for the same again is a new version', async () => {
    const device = await claimed()
    await change(device, { target: 20, mode: 'cool', lock: true })
    const details = [
      { key: 'mode', message: 'No compressor.', unsupported: true },
      { key: 'lock', message: 'The key switch is on.' },
    ]
    assert.equal((await report(device, { version: 1, result: 'rejected', details })).status, 200)
    assert.deepEqual(await states(device), { target: 'in_sync', mode: 'unsupported', lock: 'rejected' })
    const { values } = await settingsOf(device)
    assert.equal(values.find(({ key }: { key: string }) => key === 'lock').message, 'The key switch is on.')
    assert.deepEqual(await inList(device), ['unsupported'])
    await change(device, { mode: null })
    assert.deepEqual(await inList(device), ['rejected'])
    assert.equal((await change(device, { lock: true })).body.version, 3)
    assert.deepEqual(await states(device), { target: 'in_sync', lock: 'pending' })
  })

  it('a report about an older version is taken, and changes nothing that is newer', async () => {
    const device = await claimed()
    await change(device, { target: 20 })
    await change(device, { target: 22 })
    assert.deepEqual((await report(device, { version: 1, result: 'applied' })).body, { success: true, version: 2 })
    assert.deepEqual(await states(device), { target: 'pending' })
    await report(device, { version: 2, result: 'applied' })
    assert.equal((await report(device, { version: 1, result: 'rejected' })).status, 200)
    assert.deepEqual(await states(device), { target: 'in_sync' })
  })

  it('a change at the device is the next version; one of an older base gets 409 with the document', async () => {
    const device = await claimed()
    await change(device, { target: 20, lock: false })
    const local = await report(device, { base_version: 1, values: { target: 25 } })
    assert.deepEqual(local.body, { success: true, version: 2 })
    assert.partialDeepStrictEqual(await settingsOf(device), { version: 2, source: 'device' })
    assert.deepEqual(await states(device), { target: 'in_sync', lock: 'pending' })
    const late = await report(device, { base_version: 1, values: { lock: true } })
    assert.equal(late.status, 409)
    assert.partialDeepStrictEqual(late.body, {
      code: 'settings_changed',
      version: 2,
      config: { target: 25, lock: false },
    })
    const theirs = await change(device, { target: 21 }, { base_version: 1 })
    assert.equal(theirs.status, 409)
    assert.partialDeepStrictEqual(theirs.body, { code: 'settings_changed', version: 2, config: { target: 25 } })
    assert.equal((await change(device, { target: 21 }, { base_version: 2 })).body.version, 3)
  })

  it('of two changes of the same base on two processes, one wins and the other gets 409', async () => {
    const device = await claimed()
    const one = (app: typeof service.app, target: number) =>
      app.inject({
        method: 'PATCH',
        url: `/core/v1/organization/devices/${device.id}/settings`,
        headers: organization.headers.session,
        payload: { values: { target }, base_version: 0 },
      })
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => one(index % 2 ? service.app : other.app, 10 + index)),
    )
    assert.deepEqual(replies.map(({ statusCode }) => statusCode).toSorted(), [200, 409, 409, 409, 409, 409, 409, 409])
    assert.equal((await settingsOf(device)).version, 1)
  })

  it('a device and its customer at once: every version has its number, and none is lost', async () => {
    const device = await claimed()
    const changes = Array.from({ length: 10 }, (_, index) => change(device, { target: 10 + index }))
    const locals = Array.from({ length: 10 }, (_, index) =>
      report(device, { base_version: index, values: { lock: index % 2 === 0 } }),
    )
    const replies = await Promise.all([...changes, ...locals])
    const made = replies.filter(({ status }) => status === 200)
    assert.ok(made.length >= 10 && replies.every(({ status }) => status === 200 || status === 409))
    const events = await call('GET', `/audit-events?type=settings.changed&device_id=${device.id}&limit=100`)
    const versions = events.body.items.map(({ details }: { details: { version: number } }) => details.version)
    const { version } = await settingsOf(device)
    assert.deepEqual(
      versions.toSorted((a: number, b: number) => a - b),
      Array.from({ length: version }, (_, index) => index + 1),
    )
  })

  const wrong: [title: string, values: object, message: string][] = [
    ['a key that is not settable', { temperature: 20 }, 'values.temperature is no setting of this model.'],
    ['an unknown key', { nothing: 1 }, 'values.nothing is no setting of this model.'],
    ['a value of the wrong type', { target: '21' }, 'values.target must be a number.'],
    ['a value out of range', { target: 31 }, 'values.target must not be more than 30.'],
    ['a text that is none of the values', { mode: 'dry' }, 'values.mode must be one of "heat", "cool".'],
  ]
  for (const [title, values, sentence] of wrong) {
    it(`${title}: 422 with a sentence, for the customer and for the device`, async () => {
      const device = await claimed()
      for (const { status, body } of [
        await change(device, values),
        await report(device, { base_version: 0, values }),
      ]) {
        assert.deepEqual([status, body.error], [422, sentence])
      }
      assert.equal((await settingsOf(device)).version, 0)
    })
  }

  it('messages of a device that mean nothing: 422', async () => {
    const device = await claimed()
    await change(device, { target: 20 })
    const bodies: (object | string)[] = [
      {},
      '[]',
      'null',
      { version: 1 },
      { version: 1, result: 'maybe' },
      { version: 2, result: 'applied' },
      { version: -1, result: 'applied' },
      { version: 1, result: 'applied', details: [{ key: 'target' }] },
      { version: 1, result: 'rejected', details: [{ key: 'target', message: 'x'.repeat(1_025) }] },
      { version: 1, result: 'rejected', details: [{ key: 'target', message: 'a\u0000' }] },
      { base_version: 1, values: { mode: 'heat\u0000' } },
      { base_version: 1, values: {} },
      { base_version: 1, values: { target: null } },
      { base_version: 1, values: { target: 20 }, version: 1 },
    ]
    for (const body of bodies) assert.equal((await report(device, body)).status, 422, JSON.stringify(body))
    assert.deepEqual(await states(device), { target: 'pending' })
  })

  it('credentials as with telemetry: 401, and 410 once it is removed, with its document gone', async () => {
    const device = await claimed()
    await change(device, { target: 20 })
    for (const wrongOne of [
      { ...device, access_key: 'x' },
      { ...device, id: 'nonsense' },
    ]) {
      assert.equal((await config(wrongOne)).status, 401)
      assert.deepEqual((await report(wrongOne, { version: 1, result: 'applied' })).body.code, 'invalid_access_key')
    }
    await removeDevice(service.context, operator, { customer_id: organization.customer_id }, device.id)
    assert.equal((await config(device)).status, 410)
    assert.equal((await report(device, { version: 1, result: 'applied' })).body.code, 'device_removed')
    const rows = await service.sql`select from device_settings where device_id = ${device.id}`
    assert.equal(rows.length, 0)
    assert.deepEqual(await inList(device), [])
    assert.equal((await call('GET', `/devices/${device.id}/settings`)).status, 404)
  })

  it('the log of the partner has why', async () => {
    const device = await claimed()
    await change(device, { target: 20 })
    const url = `/v1/devices/${device.id}/config`
    const replies = [
      await report(device, { version: 9, result: 'applied' }),
      await report(device, { base_version: 0, values: { target: 5 } }),
      await report({ ...device, access_key: 'x' }, { version: 1, result: 'applied' }),
      await post(service, url, '{', { authorization: device.access_key }),
    ]
    await service.context.integrationLog.flush()
    const rows = await service.sql<{ request_id: string; endpoint: string; reason: string }[]>`
      select request_id, endpoint, reason from integration_failures where endpoint = 'config'`
    assert.deepEqual(
      replies.map(({ headers }) => rows.find(({ request_id }) => request_id === headers['x-request-id'])?.reason),
      ['report_invalid', 'settings_refused', 'access_key_wrong', 'body_not_json'],
    )
  })

  it('an unclaimed device has nobody to tell of a change', async () => {
    const device = await register(service, model)
    assert.deepEqual((await config(device)).body.version, 0)
    assert.equal((await report(device, { base_version: 0, values: { target: 20 } })).body.code, 'not_claimed')
    assert.equal((await report(device, { version: 1, result: 'applied' })).status, 422)
  })

  it('new hardware has applied nothing yet', async () => {
    const device = await claimed()
    await change(device, { target: 20 })
    await report(device, { version: 1, result: 'applied' })
    await openReplaceWindow(service.context, operator, { customer_id: organization.customer_id }, device.id)
    await register(service, model, { mac: device.mac, sn: device.sn })
    assert.deepEqual(await states(device), { target: 'pending' })
    assert.deepEqual(await inList(device), ['pending'])
  })

  it('who changed what is in the audit log, with the names of the settings and no values', async () => {
    const device = await claimed()
    await change(device, { mode: 'cool' })
    await report(device, { base_version: 1, values: { mode: 'heat' } })
    const { body } = await call('GET', `/audit-events?type=settings.changed&device_id=${device.id}`)
    assert.deepEqual(
      body.items.map(({ actor, details }: { actor: { kind: string }; details: Record<string, unknown> }) => [
        actor.kind,
        details.source,
        details.keys,
        JSON.stringify(details).includes('heat') || JSON.stringify(details).includes('cool'),
      ]),
      [
        ['device', 'device', ['mode'], false],
        ['user', 'customer', ['mode'], false],
      ],
    )
  })

  it('whoever may not command devices may look, and another organization sees nothing', async () => {
    const device = await claimed()
    for (const credential of ['bearer', 'api_key'] as const) {
      const path = `/devices/${device.id}/settings`
      assert.equal((await organization.call(credential, 'GET', path)).status, 200)
      assert.equal((await organization.call(credential, 'PATCH', path, { values: { target: 20 } })).status, 403)
      assert.equal((await stranger.call(credential, 'GET', path)).status, 404)
    }
    const path = `/devices/${device.id}/settings`
    assert.equal((await stranger.call('session', 'PATCH', path, { values: { target: 20 } })).status, 404)
    const many = { device_ids: [device.id], values: { target: 20 } }
    const { body } = await stranger.call('session', 'PATCH', '/devices/settings', many)
    assert.partialDeepStrictEqual(body.results, [{ device_id: device.id, status: 404, code: 'not_found' }])
    assert.equal((await settingsOf(device)).version, 0)
  })

  it('a document has a limit', async () => {
    const wide = await newModel(service, 'Wide')
    const keys = Array.from({ length: 20 }, (_, index) => `text_${index}`)
    await declare(
      keys.map((key) => ({ key, type: 'text', settable: true })),
      wide,
    )
    const device = await claimed(wide)
    const half = (from: number) =>
      Object.fromEntries(keys.slice(from, from + 10).map((key) => [key, 'x'.repeat(1_000)]))
    assert.equal((await change(device, half(0))).status, 200)
    const { status, body } = await change(device, half(10))
    assert.deepEqual([status, body.details[0].field], [422, 'values'])
  })
})

describe('what the model and the telemetry say', () => {
  it('a key that the dictionary drops is unsupported, soon in lists too; declared again it is as before', async () => {
    const device = await claimed()
    await change(device, { lock: true, target: 20 })
    await report(device, { version: 1, result: 'applied' })
    await declare(dictionary.filter(({ key }) => key !== 'lock'))
    assert.deepEqual(await states(device), { lock: 'unsupported', target: 'in_sync' })
    await review()
    assert.deepEqual(await inList(device), ['unsupported'])
    await declare(dictionary)
    await review()
    assert.deepEqual(await inList(device), ['in_sync'])
    const rows = await service.sql`select from setting_reviews`
    assert.equal(rows.length, 0)
  })

  it('a change that read the model before it changed is found by the second pass', async () => {
    const device = await claimed()
    await change(device, { lock: true })
    await declare(dictionary.filter(({ key }) => key !== 'lock'))
    await settingReviewsJob(service.context).runShared()
    await service.sql`update devices set settings = 'pending' where id = ${device.id}`
    await settingReviewsJob(service.context).runShared()
    assert.deepEqual(await inList(device), ['pending'])
    service.clock.forward(61)
    await settingReviewsJob(service.context).runShared()
    assert.deepEqual(await inList(device), ['unsupported'])
    await declare(dictionary)
    await review()
  })
})

describe('settings of many devices', () => {
  it('a thousand in a handful of statements, each judged by its own model, in the order of the call', async () => {
    const [one, two, small] = [await claimed(), await claimed(), await claimed(sibling)]
    const missing = '0195520c-6f00-7c3a-9d1e-3f5b8a7c2d10'
    const ids = [two.id, small.id, missing, one.id.toUpperCase(), two.id]
    const { status, body } = await call('PATCH', '/devices/settings', { device_ids: ids, values: { target: 20 } })
    assert.equal(status, 200)
    assert.deepEqual(
      body.results.map((result: { device_id: string; status: number; version?: number; code?: string }) => [
        result.device_id.toLowerCase(),
        result.status,
        result.version ?? result.code,
      ]),
      [
        [two.id, 200, 1],
        [small.id, 422, 'invalid'],
        [missing, 404, 'not_found'],
        [one.id, 200, 1],
        [two.id, 200, 1],
      ],
    )
    assert.equal(body.results[1].error, 'values.target must not be more than 10.')
    assert.deepEqual([await inList(one), await inList(two), await inList(small)], [['pending'], ['pending'], []])
  })

  it('more than a thousand: 422', async () => {
    const device_ids = Array.from({ length: 1_001 }, () => '0195520c-6f00-7c3a-9d1e-3f5b8a7c2d10')
    const { status } = await call('PATCH', '/devices/settings', { device_ids, values: { target: 20 } })
    assert.equal(status, 422)
  })
})

describe('lists by the state of settings', () => {
  it('with other filters, totals, exports and saved views', async () => {
    const device = await claimed()
    await change(device, { target: 20 })
    const total = await call('GET', `/devices/total?settings=pending&model_id=${model.id}&search=${device.sn}`)
    assert.deepEqual(total.body, { total: 1, more: false })
    for (const sort of ['name', '-status_at', 'last_seen_at', 'space', 'model', 'status']) {
      const { body } = await call('GET', `/devices?settings=pending&sort=${sort}&search=${device.sn}`)
      assert.deepEqual(
        body.items.map(({ id }: { id: string }) => id),
        [device.id],
        sort,
      )
    }
    const { raw } = await call('GET', `/devices.csv?settings=pending&search=${device.sn}`)
    assert.ok(raw.includes(device.id))
    const view = await call('POST', '/device-views', { name: 'Waiting', query: { settings: 'pending' } })
    assert.deepEqual([view.status, view.body.query], [201, { settings: 'pending' }])
    assert.equal((await call('GET', '/devices?settings=maybe')).status, 422)
  })
})

describe('what a device reports in its telemetry', () => {
  it('a value that differs from what it applied is pending, in lists too, until it is so', async () => {
    const device = await claimed()
    await change(device, { target: 21, lock: true })
    await report(device, { version: 1, result: 'applied' })
    assert.equal((await send(service, device, online({ target: 21 }))).body.config_version, 1)
    await send(service, device, online({ target: 19 }))
    assert.deepEqual(await states(device), { target: 'pending', lock: 'in_sync' })
    await until(async () => isDeepStrictEqual(await inList(device), ['pending']), 'the list follows')
    service.clock.forward(1)
    await send(service, device, online({ target: 21, lock: true }))
    await until(async () => isDeepStrictEqual(await inList(device), ['in_sync']), 'the list follows')
    service.clock.forward(1)
    // What it no longer reports, it cannot report differently.
    await send(service, device, online({ target: 5 }))
    service.clock.forward(1)
    await send(service, device, online({ target: null }))
    await until(async () => isDeepStrictEqual(await inList(device), ['in_sync']), 'the list follows')
    assert.deepEqual(await states(device), { target: 'in_sync', lock: 'in_sync' })
  })

  it('a message that lists do not follow at once is followed by the next one', async () => {
    const device = await claimed()
    await change(device, { target: 21 })
    await report(device, { version: 1, result: 'applied' })
    await send(service, device, online({ target: 19 }))
    await until(async () => isDeepStrictEqual(await inList(device), ['pending']), 'the list follows')
    await service.sql`update device_settings set state = 'in_sync' where device_id = ${device.id}`
    await service.sql`update devices set settings = 'in_sync' where id = ${device.id}`
    service.clock.forward(1)
    await send(service, device, online({ other: 1 }))
    await until(async () => isDeepStrictEqual(await inList(device), ['pending']), 'the list follows')
  })

  it('a device that changes its settings all the time: 429', async () => {
    const device = await claimed()
    for (let version = 0; version < 60; version += 1) {
      const values = { lock: version % 2 === 0 }
      assert.equal((await report(device, { base_version: version, values })).status, 200)
    }
    const { status, body } = await report(device, { base_version: 60, values: { lock: true } })
    assert.deepEqual([status, body.code], [429, 'too_many_requests'])
    assert.equal((await report(device, { version: 60, result: 'applied' })).status, 200)
  })
})
