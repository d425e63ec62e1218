import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { newModel, register, registration } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { createApiKey } from '../../directory/api-keys.ts'
import { ofCredential } from '../../directory/permissions.ts'
import { replaceDictionary } from '../registry/dictionary.ts'
import { settingReviewsJob } from './setting-reviews.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const stranger = await createOrganization(service)
const model = await newModel(service)
const sibling = await newModel(service, 'Other')
const operator = { kind: 'operator' } as const

before(async () => {
  const data_points = [
    { key: 'target', type: 'number', min: 5, max: 30, settable: true },
    { key: 'lock', type: 'boolean', settable: true },
  ] as const
  for (const one of [model, sibling]) {
    await replaceDictionary(service.context, operator, one.partner_id, one.id, { data_points: [...data_points] })
  }
})

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const call = (method: Method, path: string, body?: object) => organization.call('session', method, path, body)
const must = async (reply: ReturnType<typeof call>) => {
  const { status, raw, body } = await reply
  assert.ok(status < 300, raw)
  return body
}

let names = 0
const newSpace = async (parent_id: string | null = null): Promise<string> => {
  names += 1
  return (await must(call('POST', '/spaces', { name: `Space ${names}`, parent_id }))).id
}
const claimed = async (space_id: string | null = null, of = model): Promise<string> => {
  const label = registration(of) as { mac: string; sn: string }
  const { id } = await register(service, of, label)
  await must(call('POST', '/devices/claim', { mac: label.mac, sn: label.sn, model_id: of.id, space_id }))
  return id
}
const settingsOf = async (id: string) => must(call('GET', `/devices/${id}/settings`))
const differing = async (id: string) => {
  const { values, differs } = await settingsOf(id)
  const keys = values.flatMap(({ key, differs }: { key: string; differs: boolean }) => (differs ? [key] : []))
  const { items } = await must(call('GET', '/devices?settings=differs&limit=100'))
  const listed = items.some((device: { id: string }) => device.id === id)
  assert.equal(differs, listed, 'the list says the same')
  return keys
}
const newTemplate = async (space_id: string | null, values: object) => {
  const template = await must(call('POST', '/setting-templates', { model_id: model.id, space_id, values }))
  await review()
  return template
}
const review = async () => {
  await settingReviewsJob(service.context).runShared()
}

describe('templates of settings', () => {
  it('a device differs from the nearest template, key by key; applied, it no longer does', async () => {
    const building = await newSpace()
    const floor = await newSpace(building)
    const device = await claimed(floor)
    const outer = await newTemplate(building, { target: 20, lock: true })
    assert.deepEqual(await differing(device), ['target', 'lock'])
    const inner = await newTemplate(floor, { target: 22 })
    const { values } = await settingsOf(device)
    assert.deepEqual(
      values.map(({ key, template }: { key: string; template: object }) => [key, template]),
      [
        ['target', { id: inner.id, value: 22 }],
        ['lock', { id: outer.id, value: true }],
      ],
    )
    const applied = await must(call('POST', `/setting-templates/${outer.id}/apply`, { device_ids: [device] }))
    assert.deepEqual(applied.results, [{ device_id: device, status: 200, version: 1 }])
    assert.deepEqual(await differing(device), ['target'])
    await must(call('POST', `/setting-templates/${inner.id}/apply`, { device_ids: [device] }))
    assert.deepEqual(await differing(device), [])
    assert.partialDeepStrictEqual(await settingsOf(device), { version: 2, source: 'template', state: 'pending' })
    const again = await must(call('POST', `/setting-templates/${inner.id}/apply`, { device_ids: [device] }))
    assert.deepEqual(again.results, [{ device_id: device, status: 200, version: 2 }])

    await must(call('PATCH', `/devices/${device}/settings`, { values: { target: 25 } }))
    assert.deepEqual(await differing(device), ['target'])
    await must(call('PATCH', `/setting-templates/${inner.id}`, { values: { target: 25 } }))
    await review()
    assert.deepEqual(await differing(device), [])
    await must(call('DELETE', `/setting-templates/${inner.id}`))
    await review()
    assert.deepEqual(await differing(device), ['target'])
  })

  it('differs follows a device that is moved or claimed, and a space that is moved', async () => {
    const [one, two] = [await newSpace(), await newSpace()]
    const room = await newSpace()
    await newTemplate(one, { target: 19 })
    const device = await claimed(room)
    assert.deepEqual(await differing(device), [])
    assert.deepEqual(await differing(await claimed(one)), ['target'])
    await must(call('PATCH', `/devices/${device}`, { space_id: one }))
    assert.deepEqual(await differing(device), ['target'])
    const moved = await must(call('POST', '/devices/change-list', { devices: [{ id: device, space_id: two }] }))
    assert.equal(moved.results[0].outcome, 'changed')
    assert.deepEqual(await differing(device), [])
    await must(call('PATCH', `/spaces/${two}`, { parent_id: one }))
    await review()
    assert.deepEqual(await differing(device), ['target'])
    await must(call('PATCH', `/spaces/${two}`, { parent_id: null }))
    await review()
    assert.deepEqual(await differing(device), [])
  })

  it('a list of claims into a space with a template', async () => {
    const space = await newSpace()
    await newTemplate(space, { lock: true })
    const label = registration(model) as { mac: string; sn: string }
    const { id } = await register(service, model, label)
    const claims = [{ mac: label.mac, sn: label.sn, model_id: model.id, space_id: space }]
    await must(call('POST', '/devices/claim-list', { devices: claims }))
    assert.deepEqual(await differing(id), ['lock'])
  })

  it('a template of a deleted space is gone; a space with devices is still kept', async () => {
    const space = await newSpace()
    const device = await claimed(space)
    const template = await newTemplate(space, { lock: true })
    assert.equal((await call('DELETE', `/spaces/${space}`)).status, 409)
    await must(call('PATCH', `/devices/${device}`, { space_id: null }))
    await must(call('DELETE', `/spaces/${space}`))
    assert.equal((await call('GET', `/setting-templates/${template.id}`)).status, 404)
    assert.deepEqual(await differing(device), [])
  })

  it('applied to devices for which it is not: one outcome each', async () => {
    const space = await newSpace()
    const template = await newTemplate(space, { target: 20 })
    const [inside, outside, foreign] = [await claimed(space), await claimed(), await claimed(space, sibling)]
    const missing = '0195520c-6f00-7c3a-9d1e-3f5b8a7c2d10'
    const device_ids = [outside, inside, foreign, missing]
    const { results } = await must(call('POST', `/setting-templates/${template.id}/apply`, { device_ids }))
    assert.deepEqual(
      results.map(({ status, code }: { status: number; code?: string }) => code ?? status),
      ['not_covered', 200, 'not_covered', 'not_found'],
    )
  })

  it('one per model and space, with values that the model allows', async () => {
    const space_id = await newSpace()
    const create = (body: object) => call('POST', '/setting-templates', { model_id: model.id, space_id, ...body })
    assert.equal((await create({ values: { target: 31 } })).body.error, 'values.target must not be more than 30.')
    assert.equal((await create({ values: { humidity: 1 } })).body.error, 'values.humidity is no setting of this model.')
    assert.equal((await create({ values: { lock: null } })).status, 422)
    assert.equal((await create({ values: { lock: true }, model_id: space_id })).status, 404)
    assert.equal((await create({ values: { lock: true }, space_id: model.id })).status, 404)
    const template = await must(create({ values: { lock: true } }))
    assert.partialDeepStrictEqual(template, { model_name: 'Sensor', space_path: [`Space ${names}`] })
    assert.equal((await create({ values: { lock: false } })).body.code, 'template_exists')
    const other = await must(create({ values: { lock: true }, space_id: await newSpace() }))
    const clash = await call('PATCH', `/setting-templates/${other.id}`, { space_id })
    assert.equal(clash.body.code, 'template_exists')
    const stale = await organization.call(
      'session',
      'PATCH',
      `/setting-templates/${template.id}`,
      { values: { lock: false } },
      { 'if-match': '"0"' },
    )
    assert.equal(stale.status, 412)
    const { items } = await must(call('GET', `/setting-templates?model_id=${model.id}&space_id=${space_id}`))
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [template.id],
    )
  })

  it('of another organization: unknown', async () => {
    const { id } = await newTemplate(await newSpace(), { lock: true })
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { values: { lock: false } }],
      ['DELETE', '', undefined],
      ['POST', '/apply', { device_ids: [id] }],
    ] as const) {
      const { status } = await stranger.call('session', method, `/setting-templates/${id}${path}`, body)
      assert.equal(status, 404, `${method} ${path}`)
    }
    assert.deepEqual((await stranger.call('session', 'GET', '/setting-templates')).body.items, [])
  })

  it('whoever reaches some spaces has templates of these only', async () => {
    const [own, others] = [await newSpace(), await newSpace()]
    const device = await claimed(own)
    const outside = await claimed(others)
    const { customer_id, administrator } = organization
    const { key } = await createApiKey(
      service.context,
      { kind: 'user', id: administrator.id },
      { customer_id },
      { name: 'Some', permissions: { ...ofCredential, devices: 'command' }, within: [own] },
    )
    const there = async (method: Method, path: string, body?: object) => {
      const url = `/core/v1/organization${path}`
      const payload = body === undefined ? {} : { payload: body }
      const reply = await service.app.inject({ method, url, headers: { authorization: key }, ...payload })
      return { status: reply.statusCode, body: reply.body === '' ? null : reply.json() }
    }
    const foreign = await newTemplate(others, { target: 20 })
    const create = (space_id: string | null) =>
      there('POST', '/setting-templates', { model_id: model.id, space_id, values: { target: 20 } })
    assert.equal((await create(others)).status, 404)
    assert.equal((await create(null)).status, 403)
    const mine = await create(own)
    assert.equal(mine.status, 201, JSON.stringify(mine.body))
    assert.equal((await there('GET', `/setting-templates/${foreign.id}`)).status, 404)
    assert.equal((await there('PATCH', `/setting-templates/${foreign.id}`, { values: { target: 21 } })).status, 404)
    assert.equal((await there('PATCH', `/setting-templates/${mine.body.id}`, { space_id: null })).status, 403)
    const { body } = await there('POST', `/setting-templates/${mine.body.id}/apply`, { device_ids: [device, outside] })
    assert.deepEqual(
      body.results.map(({ status }: { status: number }) => status),
      [200, 404],
    )
    const values = { target: 23 }
    const many = await there('PATCH', '/devices/settings', { device_ids: [device, outside], values })
    assert.deepEqual(
      many.body.results.map(({ status }: { status: number }) => status),
      [200, 404],
    )
    assert.equal((await there('PATCH', `/devices/${outside}/settings`, { values })).status, 404)
    assert.equal((await there('GET', `/devices/${outside}/settings`)).status, 404)
  })
})
