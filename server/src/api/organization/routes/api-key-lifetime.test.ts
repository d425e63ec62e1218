import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { startHarness, toTestResponse } from '../../../../../test/support/harness.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../../test/support/organization.ts'
import { newPartner } from '../../../../../test/support/partners.ts'

const service = await startHarness({ LANDBRIDGE_QUOTAS: 'api_keys=6' })
/** Another process. */
const second = await startHarness({ LANDBRIDGE_QUOTAS: 'api_keys=6' }, { beside: service })
const { clock } = service
const day = 86_400
const ahead = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()
const nothing = { devices: 'none', spaces: 'none', people: 'none', audit: 'none' }

let organization: TestOrganization
const post = (path: string, body?: object, headers?: Record<string, string>) =>
  organization.call('session', 'POST', path, body, headers)
const patch = (id: string, body: object) => organization.call('session', 'PATCH', `/api-keys/${id}`, body)
const create = async (body: object = {}) => {
  const created = await post('/api-keys', { name: 'Export', ...body })
  assert.equal(created.status, 201, created.raw)
  return created.body
}
const use = async (key: string, path = '/info', app = service.app) =>
  toTestResponse(await app.inject({ url: `/core/v1/organization${path}`, headers: { authorization: key } }))
const works = async (key: string) => [(await use(key)).status, (await use(key, '/info', second.app)).status]

const startAnew = async () => {
  organization = await createOrganization(service)
}
const signInAgain = async () => {
  organization.headers.session = await sessionHeaders(service, organization.administrator)
}

describe('decision 6.51: the life of an API key', () => {
  beforeEach(startAnew)
  it('works until the instant of its expiry, is then a 401 like an unknown one, and is listed for 30 days', async () => {
    const { id, key, ...created } = await create({ expires_at: ahead(60), used_by: 'Nightly export' })
    assert.deepEqual([created.expires_at, created.used_by, created.expired], [ahead(60), 'Nightly export', false])
    clock.forward(59.999)
    assert.deepEqual(await works(key), [200, 200])
    clock.forward(0.001)
    assert.deepEqual(await works(key), [401, 401])
    assert.deepEqual((await use(key)).body, (await use(`lbk_${'x'.repeat(43)}`)).body)
    const listed = async () =>
      (await organization.call('session', 'GET', '/api-keys')).body.items.find((one: { id: string }) => one.id === id)
    assert.equal((await listed()).expired, true)
    clock.forward(30 * day - 1)
    await signInAgain()
    assert.equal((await listed()).expired, true)
    clock.forward(1)
    assert.equal(await listed(), undefined)
    assert.equal((await organization.call('session', 'GET', `/api-keys/${id}`)).status, 404)
  })

  it('a clock that jumps back lets an expired key work again, and nothing else happens', async () => {
    const { key } = await create({ expires_at: ahead(60) })
    clock.forward(120)
    assert.deepEqual(await works(key), [401, 401])
    clock.forward(-90)
    assert.deepEqual(await works(key), [200, 200])
    clock.forward(90)
  })

  it('an expiry in the past, too far ahead, or no instant → 422', async () => {
    const wrong: [unknown, RegExp][] = [
      [ahead(0), /in the future/],
      [ahead(-1), /in the future/],
      ['0001-01-01T00:00:00Z', /./],
      ['9999-12-31T23:59:59Z', /at most 1,830 days/],
      [ahead(1_830 * day + 1), /at most 1,830 days/],
      ['2026-11-18', /./],
      ['2026-11-18T10:00:00', /./],
      ['2026-12-31T23:59:60Z', /./],
      [1_800_000_000, /./],
      ['', /./],
    ]
    const { id } = await create()
    for (const [expires_at, message] of wrong) {
      for (const refused of [await post('/api-keys', { name: 'X', expires_at }), await patch(id, { expires_at })]) {
        assert.equal(refused.status, 422, String(expires_at))
        assert.match(refused.body.details[0].message, message)
        assert.equal(refused.body.details[0].field, 'expires_at')
      }
    }
    const zoned = new Date(clock.now().getTime() + 3_600_000 + 14 * 3_600_000).toISOString().replace('Z', '+14:00')
    assert.equal((await create({ expires_at: zoned })).expires_at, ahead(3_600))
    assert.equal((await create({ expires_at: ahead(1_830 * day) })).expires_at, ahead(1_830 * day))
  })

  it('is changed by people in the portal only, and what is absent stays', async () => {
    const { id, key } = await create({ used_by: 'Ben', expires_at: ahead(day) })
    const changed = await patch(id, { name: 'Import', used_by: null })
    assert.equal(changed.status, 200)
    assert.deepEqual(
      [changed.body.name, changed.body.used_by, changed.body.expires_at, changed.body.permissions],
      ['Import', null, ahead(day), null],
    )
    assert.equal((await patch(id, { expires_at: null })).body.expires_at, null)
    assert.equal((await patch(id, {})).status, 422)
    for (const [method, path] of [
      ['PATCH', `/api-keys/${id}`],
      ['POST', `/api-keys/${id}/rotate`],
    ] as const) {
      const url = `/core/v1/organization${path}`
      const response = await service.app.inject({ method, url, headers: { authorization: key }, payload: {} })
      assert.deepEqual([response.statusCode, response.json().code], [403, 'portal_session_required'])
    }
    const { items } = (await organization.call('session', 'GET', '/audit-events?type=api_key.changed')).body
    assert.deepEqual(
      items.map(({ details }: { details: { fields: string[] } }) => details.fields),
      [['expires_at'], ['name', 'used_by']],
    )
  })

  it('the ETag is not that of its last use', async () => {
    const { id, key } = await create()
    const read = () => organization.call('session', 'GET', `/api-keys/${id}`)
    const etag = String((await read()).headers.etag)
    await use(key)
    await service.sql`update api_keys set last_used_at = ${clock.now()} where id = ${id}`
    assert.equal((await read()).headers.etag, etag)
    const changed = await organization.call('session', 'PATCH', `/api-keys/${id}`, { name: 'B' }, { 'if-match': etag })
    assert.equal(changed.status, 200)
    const stale = await organization.call('session', 'PATCH', `/api-keys/${id}`, { name: 'C' }, { 'if-match': etag })
    assert.equal(stale.status, 412)
  })

  it('an expired key is not changed, but can be rotated while there is room, and revoked', async () => {
    const { id } = await create({ expires_at: ahead(60) })
    clock.forward(60)
    assert.deepEqual([(await patch(id, { expires_at: null })).body.code], ['api_key_expired'])
    for (let n = 0; n < 5; n += 1) await create()
    assert.equal((await post('/api-keys', { name: 'Seventh' })).body.code, 'too_many_api_keys')
    assert.equal((await post(`/api-keys/${id}/rotate`)).body.code, 'too_many_api_keys')
    const { items } = (await organization.call('session', 'GET', '/api-keys')).body
    await organization.call('session', 'DELETE', `/api-keys/${items.at(-1).id}`)
    const rotated = await post(`/api-keys/${id}/rotate`)
    assert.deepEqual([rotated.status, rotated.body.expires_at], [201, ahead(60)])
    assert.equal((await organization.call('session', 'DELETE', `/api-keys/${id}`)).status, 204)
  })
})

describe('decision 6.51: the rotation of an API key', () => {
  beforeEach(startAnew)
  const rotate = (id: string, body?: object, headers?: Record<string, string>) =>
    post(`/api-keys/${id}/rotate`, body, headers)

  it('two are valid at once, for a day unless told otherwise, and the new one is like the old one', async () => {
    const space = (await post('/spaces', { name: 'Oslo' })).body
    const reach = { permissions: { ...nothing, devices: 'read', spaces: 'read' }, within: [space.id] }
    const old = await create({ used_by: 'Ben', expires_at: ahead(90 * day), ...reach })
    clock.forward(3_600)
    const rotated = await rotate(old.id)
    assert.equal(rotated.status, 201, rotated.raw)
    const { key, id, previous_expires_at, ...next } = rotated.body
    assert.deepEqual(
      { name: next.name, used_by: next.used_by, permissions: next.permissions, within: next.within },
      { name: 'Export', used_by: 'Ben', permissions: reach.permissions, within: [{ id: space.id, name: 'Oslo' }] },
    )
    assert.equal(next.expires_at, ahead(90 * day))
    assert.equal(previous_expires_at, ahead(day))
    assert.deepEqual(
      [await works(old.key), await works(key)],
      [
        [200, 200],
        [200, 200],
      ],
    )
    const read = (await organization.call('session', 'GET', `/api-keys/${old.id}`)).body
    assert.deepEqual([read.expires_at, read.replaced_by], [ahead(day), id])
    clock.forward(day)
    assert.deepEqual(
      [await works(old.key), await works(key)],
      [
        [401, 401],
        [200, 200],
      ],
    )
    await signInAgain()
    const { items } = (await organization.call('session', 'GET', '/audit-events?type=api_key.rotated')).body
    assert.deepEqual([items[0].details.api_key_id, items[0].details.new_api_key_id], [old.id, id])
    assert.ok(!JSON.stringify(items).includes(key))
  })

  it('an earlier expiry of its own counts, and 0 ends the old one at once', async () => {
    const soon = await create({ expires_at: ahead(3_600) })
    assert.equal((await rotate(soon.id)).body.previous_expires_at, ahead(3_600))
    const leaked = await create()
    const rotated = await rotate(leaked.id, { overlap_seconds: 0 })
    assert.equal(rotated.body.expires_at, null)
    assert.deepEqual(await works(leaked.key), [401, 401])
    for (const overlap_seconds of [-1, 1.5, '60', 31 * day]) {
      assert.equal((await rotate(rotated.body.id, { overlap_seconds })).status, 422)
    }
  })

  it('of a full quota, and never three valid of one', async () => {
    let [, last] = [await create(), await create()]
    while ((await post('/api-keys', { name: 'More' })).status === 201);
    const keys = [last.key]
    for (let n = 0; n < 4; n += 1) {
      last = (await rotate(last.id, { overlap_seconds: 30 * day })).body
      keys.push(last.key)
    }
    const statuses = await Promise.all(keys.map(async (key) => (await use(key)).status))
    assert.deepEqual(statuses, [401, 401, 401, 200, 200])
    const { quotas } = (await organization.call('session', 'GET', '/limits')).body
    const use_of = quotas.find(({ name }: { name: string }) => name === 'api_keys')
    assert.equal(use_of.used, 6)
  })

  it('the length of life is what somebody chose last, not what a rotation left', async () => {
    const { id } = await create({ expires_at: ahead(365 * day) })
    clock.forward(3_600)
    await patch(id, { expires_at: ahead(30 * day) })
    const { body: next } = await rotate(id)
    assert.equal(next.expires_at, ahead(30 * day))
    assert.equal((await patch(id, { expires_at: ahead(30 * day) })).body.expires_at, ahead(30 * day))
    for (const expires_at of [null, ahead(30 * day + 1)]) {
      assert.match((await patch(id, { expires_at })).body.details[0].message, /30 days/)
    }
  })

  it('twice at once: one key, whose loss nobody has to fear; the other is told', async () => {
    const { id, key } = await create()
    const both = await Promise.all([
      rotate(id),
      second.app.inject({
        method: 'POST',
        url: `/core/v1/organization/api-keys/${id}/rotate`,
        headers: organization.headers.session,
      }),
    ])
    const statuses = [both[0].status, both[1].statusCode].toSorted()
    assert.deepEqual(statuses, [201, 409])
    const refused = both[0].status === 409 ? both[0].body : both[1].json()
    assert.equal(refused.code, 'already_rotated')
    const made = both[0].status === 201 ? both[0].body : both[1].json()
    assert.deepEqual(
      [await works(key), await works(made.key)],
      [
        [200, 200],
        [200, 200],
      ],
    )
  })

  it('a double click with one Idempotency-Key returns the same new key twice', async () => {
    const { id } = await create()
    const headers = { 'idempotency-key': `rotate-${id}` }
    const [one, two] = [
      await rotate(id, { overlap_seconds: 60 }, headers),
      await rotate(id, { overlap_seconds: 60 }, headers),
    ]
    assert.deepEqual([one.status, two.status, one.body.key], [201, 201, two.body.key])
    assert.equal((await rotate(id)).body.code, 'already_rotated')
  })

  it('of a revoked or foreign key → 404', async () => {
    const { id } = await create()
    await organization.call('session', 'DELETE', `/api-keys/${id}`)
    const other = await createOrganization(service)
    const theirs = (await other.call('session', 'POST', '/api-keys', { name: 'Theirs' })).body
    for (const wrong of [id, theirs.id, crypto.randomUUID(), 'nonsense']) {
      assert.equal((await rotate(wrong)).status, 404)
      assert.equal((await patch(wrong, { name: 'Mine' })).status, 404)
    }
  })
})

describe('decision 6.51: the permissions of an API key', () => {
  beforeEach(startAnew)
  let read: { id: string; key: string }
  beforeEach(async () => {
    read = await create({ permissions: { ...nothing, devices: 'read' } })
  })

  it('what it was not given is 403 not_permitted, with what is missing', async () => {
    assert.equal((await use(read.key, '/devices')).status, 200)
    const refused: [string, string][] = [
      ['/spaces', 'spaces: read'],
      ['/users', 'people: read'],
      ['/groups', 'people: read'],
      ['/audit-events', 'audit: read'],
    ]
    for (const [path, missing] of refused) {
      const { status, body } = await use(read.key, path)
      assert.deepEqual([status, body.code, body.missing], [403, 'not_permitted', missing], path)
    }
    const claim = await service.app.inject({
      ...{ method: 'POST', url: '/core/v1/organization/devices/claim', headers: { authorization: read.key } },
      payload: {},
    })
    assert.deepEqual([claim.statusCode, claim.json().missing], [403, 'devices: manage'])
  })

  it('narrowing and widening count from the next request on, on two processes', async () => {
    const { id, key } = await create()
    const users = () => Promise.all([use(key, '/users'), use(key, '/users', second.app)])
    for (const [permissions, status] of [
      [null, 200],
      [{ ...nothing, devices: 'manage' }, 403],
      [{ ...nothing, people: 'read' }, 200],
      [nothing, 403],
    ] as const) {
      assert.equal((await patch(id, { permissions })).status, 200)
      for (const response of await users()) assert.equal(response.status, status)
    }
  })

  it('unknown areas or levels, a space of another organization and 101 spaces → 422', async () => {
    const other = await createOrganization(service)
    const theirs = (await other.call('session', 'POST', '/spaces', { name: 'Theirs' })).body
    const wrong: [object, string][] = [
      [{ permissions: { devices: 'read' } }, 'permissions'],
      [{ permissions: { ...nothing, devices: 'own' } }, 'permissions.devices'],
      [{ permissions: { ...nothing, integrations: 'manage' } }, 'permissions'],
      [{ within: [theirs.id] }, 'within'],
      [{ within: Array.from({ length: 101 }, () => crypto.randomUUID()) }, 'within'],
      [{ within: Array.from({ length: 1_000 }, () => crypto.randomUUID()) }, 'within'],
      [{ within: 'everywhere' }, 'within'],
    ]
    const { id } = await create()
    for (const [body, field] of wrong) {
      for (const { status, body: refused } of [
        await post('/api-keys', { name: 'X', ...body }),
        await patch(id, body),
      ]) {
        assert.equal(status, 422, JSON.stringify(body))
        assert.ok(
          refused.details.some((detail: { field: string }) => detail.field.startsWith(field)),
          JSON.stringify(refused),
        )
      }
    }
  })

  it('a space that is deleted later stays, without a name, and covers nothing', async () => {
    const kept = (await post('/spaces', { name: 'Oslo' })).body
    const floor = (await post('/spaces', { name: 'Floor 2', parent_id: kept.id })).body
    const { id } = await create({ within: [floor.id.toUpperCase(), floor.id, kept.id] })
    await organization.call('session', 'DELETE', `/spaces/${floor.id}`)
    const { within } = (await organization.call('session', 'GET', `/api-keys/${id}`)).body
    assert.deepEqual(within, [
      { id: floor.id, name: null },
      { id: kept.id, name: 'Oslo' },
    ])
    assert.equal((await patch(id, { name: 'Renamed' })).status, 200)
    assert.equal((await patch(id, { within: [floor.id] })).status, 422)
    assert.equal((await post(`/api-keys/${id}/rotate`)).body.within.length, 2)
  })

  it('links that it made end when it may no longer manage people, for good, and when it expires', async () => {
    const { id, key } = await create({ expires_at: ahead(3_600) })
    const invite = async () => {
      const payload = { email: `${crypto.randomUUID()}@example.com`, role: 'member' }
      const url = '/core/v1/organization/invitations'
      return (await service.app.inject({ method: 'POST', url, headers: { authorization: key }, payload })).json()
    }
    const pending = async () => (await organization.call('session', 'GET', '/invitations')).body.items.length
    await invite()
    assert.equal(await pending(), 1)
    await patch(id, { permissions: { ...nothing, people: 'read' } })
    assert.equal(await pending(), 0)
    await patch(id, { permissions: null })
    assert.equal(await pending(), 0)
    await invite()
    assert.equal(await pending(), 1)
    clock.forward(3_600)
    assert.equal(await pending(), 0)
  })
})

describe('decision 6.51: API keys of a partner', () => {
  let partner: Awaited<ReturnType<typeof newPartner>>
  before(async () => {
    partner = await newPartner(service)
  })

  it('have an expiry and a rotation, but no permissions', async () => {
    const created = await partner.browse('POST', '/api-keys', {
      name: 'Cloud',
      used_by: 'Fleet',
      expires_at: ahead(day),
    })
    assert.equal(created.status, 201)
    assert.ok(!('permissions' in created.body) && !('within' in created.body))
    const wrong = await partner.browse('POST', '/api-keys', { name: 'Cloud', permissions: nothing })
    assert.equal(wrong.status, 422)
    const rotated = await partner.browse('POST', `/api-keys/${created.body.id}/rotate`, { overlap_seconds: 60 })
    assert.equal(rotated.status, 201)
    const use = (key: string) =>
      service.app.inject({ url: '/core/v1/partner/info', headers: { authorization: key } }).then((r) => r.statusCode)
    assert.deepEqual([await use(created.body.key), await use(rotated.body.key)], [200, 200])
    clock.forward(60)
    assert.deepEqual([await use(created.body.key), await use(rotated.body.key)], [401, 200])
  })
})
