import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { newModel, register, registration } from '../../../../test/support/devices.ts'
import { startHarness, toTestResponse } from '../../../../test/support/harness.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../test/support/organization.ts'

const service = await startHarness()
const { sql } = service
let organization: TestOrganization
let model: Awaited<ReturnType<typeof newModel>>
/** Oslo › Floor 2 › Room 7, and Bergen. */
const spaces = { oslo: '', floor: '', room: '', bergen: '' }
/** One in each space, and one in none. */
const devices: Record<string, string> = {}

async function addDevice(name: string, space_id: string | null): Promise<string> {
  const identity = registration(model) as { mac: string; sn: string }
  await register(service, model, identity)
  const body = { mac: identity.mac, sn: identity.sn, model_id: model.id, name, space_id }
  const claimed = await organization.call('session', 'POST', '/devices/claim', body)
  assert.equal(claimed.status, 201, claimed.raw)
  return claimed.body.id
}

before(async () => {
  organization = await createOrganization(service)
  model = await newModel(service)
  const add = async (name: string, parent_id: string | null) =>
    (await organization.call('session', 'POST', '/spaces', { name, parent_id })).body.id
  spaces.oslo = await add('Oslo', null)
  spaces.floor = await add('Floor 2', spaces.oslo)
  spaces.room = await add('Room 7', spaces.floor)
  spaces.bergen = await add('Bergen', null)
  for (const [name, id] of Object.entries(spaces)) devices[name] = await addDevice(`Device of ${name}`, id)
  devices.nowhere = await addDevice('Device of nowhere', null)
})

let people = 0
/** A member with these roles; their calls. */
async function member(...roles: [role: string, space: string | null][]) {
  people += 1
  const person = { name: `Person ${people}`, email: `person${people}@example.com`, password: 'correct horse battery' }
  const { customer_id } = organization
  const added = await service.operator('POST', `/customers/${customer_id}/users`, { ...person, role: 'member' })
  const body = { roles: roles.map(([role, space_id]) => ({ role, space_id })) }
  const given = await organization.call('session', 'PUT', `/users/${added.body.id}/roles`, body)
  assert.equal(given.status, 200, given.raw)
  const headers = await sessionHeaders(service, person)
  return {
    id: added.body.id as string,
    headers,
    async call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) {
      const url = `/core/v1/organization${path}`
      const response = await service.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
      return { ...toTestResponse(response), raw: response.body }
    },
  }
}

const names = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name).toSorted()

describe('decision 6.48: a member who reaches some spaces', () => {
  it('sees the devices there and below, and no name of what lies outside, in any list, count or file', async () => {
    const { call } = await member(['viewer', spaces.floor])
    const seen = ['Device of floor', 'Device of room']
    for (const query of ['', '?sort=name', '?sort=-space', '?sort=last_seen_at', '?sort=model', '?search=device'])
      assert.deepEqual(names((await call('GET', `/devices${query}`)).body), seen, query)
    assert.deepEqual(names((await call('GET', `/devices?space_id=${spaces.oslo}`)).body), seen)
    assert.deepEqual(names((await call('GET', `/devices?space_id=${spaces.bergen}`)).body), [])
    assert.deepEqual(names((await call('GET', '/devices?no_space=true')).body), [])
    assert.equal((await call('GET', '/devices/total')).body.total, 2)
    assert.equal((await call('GET', '/devices/total?search=device')).body.total, 2)
    assert.equal((await call('GET', '/devices/counts')).body.never_seen, 2)
    assert.deepEqual((await call('GET', '/devices/trend')).body.items, [])
    assert.deepEqual(names((await call('GET', '/devices/attention')).body), seen)
    assert.deepEqual(names((await call('GET', '/spaces')).body), ['Floor 2', 'Room 7'])
    assert.deepEqual(names((await call('GET', '/spaces?parent_id=root')).body), ['Floor 2'])
    assert.deepEqual(names((await call('GET', '/spaces/search?search=oslo')).body), [])
    assert.deepEqual(names((await call('GET', '/spaces/search?search=room')).body), ['Room 7'])
    const { body: info } = await call('GET', '/info')
    assert.deepEqual([info.counts.spaces, info.counts.devices], [2, 2])
    const summary = (await call('GET', `/spaces/${spaces.room}/summary`)).body
    assert.deepEqual(
      summary.above.map(({ name }: { name: string }) => name),
      ['Floor 2'],
    )
    const { body: room } = await call('GET', `/devices/${devices.room}`)
    assert.deepEqual(room.space_path, ['Floor 2', 'Room 7'])
    assert.equal((await call('GET', `/spaces/${spaces.floor}`)).body.parent_id, null)
    for (const path of ['/devices', '/devices.csv', '/spaces', '/devices/attention', `/spaces/${spaces.room}/summary`])
      assert.doesNotMatch((await call('GET', path)).raw, /Oslo|Bergen|nowhere/, path)
  })

  it('what lies outside is the same 404 as what does not exist', async () => {
    const { call } = await member(['manager', spaces.floor])
    for (const id of [devices.oslo, devices.bergen, devices.nowhere]) {
      for (const path of ['', '/history', '/uptime', '/series?keys=a', '/history.csv'])
        assert.deepEqual([(await call('GET', `/devices/${id}${path}`)).status, path], [404, path])
      assert.equal((await call('PATCH', `/devices/${id}`, { name: 'Mine' })).status, 404)
      assert.equal((await call('DELETE', `/devices/${id}`)).status, 404)
      assert.equal((await call('POST', `/devices/${id}/replace`)).status, 404)
    }
    for (const path of ['', '/summary', '/children', '/data-points'])
      assert.equal((await call('GET', `/spaces/${spaces.oslo}${path}`)).status, 404, path)
    assert.equal((await call('GET', `/devices/stream?device_id=${devices.bergen}`)).status, 404)
    const chosen = { device_ids: [devices.floor, devices.bergen] }
    assert.doesNotMatch((await call('POST', '/devices.csv', chosen)).raw, /bergen/)
    const results = (await call('POST', '/devices/remove-list', { device_ids: [devices.bergen] })).body.results
    assert.deepEqual(results, [{ outcome: 'not_found' }])
  })

  it('who may change in one place and look in another learns which it is', async () => {
    const { call } = await member(['viewer', spaces.bergen], ['operator', spaces.floor])
    assert.equal((await call('PATCH', `/devices/${devices.room}`, { name: 'Device of room' })).status, 200)
    const refused = await call('PATCH', `/devices/${devices.bergen}`, { name: 'Mine' })
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.missing],
      [403, 'not_permitted', 'devices: manage'],
    )
    assert.equal((await call('PATCH', `/devices/${devices.oslo}`, { name: 'Mine' })).status, 404)
    const unknown = await call('PATCH', `/devices/${devices.room}`, { space_id: spaces.bergen })
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
    const out = await call('PATCH', `/devices/${devices.room}`, { space_id: null })
    assert.deepEqual([out.status, out.body.code], [403, 'not_permitted'])
    const line = {
      devices: [
        { id: devices.room, space_id: null },
        { id: devices.room, space_id: spaces.oslo },
      ],
    }
    const { results } = (await call('POST', '/devices/change-list', line)).body
    assert.deepEqual(
      results.map(({ outcome }: { outcome: string }) => outcome),
      ['unknown_space', 'unknown_space'],
    )
    assert.equal((await call('POST', '/device-views', { name: 'Mine', query: {} })).status, 403)
    assert.equal((await call('POST', '/spaces', { name: 'New', parent_id: spaces.floor })).status, 403)
  })

  it('claims into its own spaces only', async () => {
    const { call } = await member(['operator', spaces.floor])
    const identity = registration(model) as { mac: string; sn: string }
    await register(service, model, identity)
    const claim = { mac: identity.mac, sn: identity.sn, model_id: model.id }
    for (const space_id of [undefined, null, spaces.oslo])
      assert.equal((await call('POST', '/devices/claim', { ...claim, space_id })).body.code, 'claim_failed')
    const lines = [{ ...claim, space_id: spaces.bergen }, claim]
    const { results } = (await call('POST', '/devices/claim-list', { devices: lines })).body
    assert.deepEqual(
      results.map(({ outcome }: { outcome: string }) => outcome),
      ['unknown_space', 'unknown_space'],
    )
    const claimed = await call('POST', '/devices/claim', { ...claim, space_id: spaces.room })
    assert.equal(claimed.status, 201, claimed.raw)
    assert.equal((await call('DELETE', `/devices/${claimed.body.id}`)).status, 204)
  })

  it('a manager builds below its own space, which itself stays where it is', async () => {
    const { call } = await member(['manager', spaces.floor])
    const added = await call('POST', '/spaces', { name: 'Room 8', parent_id: spaces.floor })
    assert.equal(added.status, 201, added.raw)
    assert.equal((await call('POST', '/spaces', { name: 'Top' })).body.code, 'not_permitted')
    assert.equal(
      (await call('POST', '/spaces', { name: 'Room 8', parent_id: spaces.bergen })).body.code,
      'not_permitted',
    )
    const moved = await call('PATCH', `/spaces/${added.body.id}`, { parent_id: spaces.room })
    assert.deepEqual([moved.status, moved.body.parent_id], [200, spaces.room], moved.raw)
    assert.equal(
      (await call('PATCH', `/spaces/${added.body.id}`, { parent_id: spaces.oslo })).body.code,
      'not_permitted',
    )
    assert.equal(
      (await call('PATCH', `/spaces/${spaces.floor}`, { parent_id: spaces.room })).body.code,
      'not_permitted',
    )
    assert.equal((await call('DELETE', `/spaces/${spaces.floor}`)).body.code, 'not_permitted')
    // As it sees the space: at the top. It stays where it is.
    assert.equal((await call('PATCH', `/spaces/${spaces.floor}`, { name: 'Floor 2', parent_id: null })).status, 200)
    const [row] = await sql<{ parent_id: string }[]>`select parent_id from spaces where id = ${spaces.floor}`
    assert.equal(row!.parent_id, spaces.oslo)
    const found = await call('POST', '/spaces/find-or-create', { path: ['Floor 2', 'Room 9'] })
    assert.deepEqual([found.status, found.body.parent_id], [201, spaces.floor], found.raw)
    assert.equal((await call('POST', '/spaces/find-or-create', { path: ['Oslo', 'New'] })).status, 403)
    const imported = await call('POST', '/spaces/import', { paths: [['Floor 2', 'Room 9', 'Shelf']] })
    assert.equal(imported.body.created, 1, imported.raw)
    assert.equal((await call('POST', '/spaces/import', { paths: [['Oslo', 'New']] })).status, 403)
    const shelf = imported.body.results[0].space_id
    for (const id of [shelf, found.body.id, added.body.id])
      assert.equal((await call('DELETE', `/spaces/${id}`)).status, 204)
  })

  it('tags, saved views and audit events are those of what lies within', async () => {
    await organization.call('session', 'PATCH', `/devices/${devices.bergen}`, { tags: ['secret of bergen'] })
    await organization.call('session', 'PATCH', `/devices/${devices.floor}`, { tags: ['open'] })
    for (const [name, space_id] of [
      ['All of Bergen', spaces.bergen],
      ['All of Oslo', spaces.oslo],
      ['Floor', spaces.floor],
    ])
      await organization.call('session', 'POST', '/device-views', { name, query: { space_id } })
    const { call } = await member(['manager', spaces.floor])
    assert.deepEqual((await call('GET', '/device-tags')).body.items, [{ tag: 'open' }])
    assert.deepEqual(names((await call('GET', '/device-views')).body), ['Floor'])
    const log = await call('GET', '/audit-events?limit=100')
    assert.equal(log.status, 200, log.raw)
    const about = log.body.items.map(
      ({ device_id, details }: { device_id?: string; details: { space_id?: string } }) => device_id ?? details.space_id,
    )
    assert.ok(about.includes(devices.floor) && about.includes(spaces.room))
    for (const outside of [devices.bergen, devices.oslo, devices.nowhere, spaces.oslo, spaces.bergen])
      assert.ok(!about.includes(outside))
    assert.doesNotMatch(log.raw, /Oslo|Bergen|bergen/)
    assert.doesNotMatch((await call('GET', '/audit-events.csv')).raw, /Oslo|Bergen|bergen/)
    const viewer = await member(['viewer', spaces.floor])
    assert.equal((await viewer.call('GET', '/audit-events')).status, 403)
    // How much is used of each limit says how much there is elsewhere.
    assert.equal((await call('GET', '/limits')).body.code, 'not_permitted')
  })

  it('roles count together, and end with the next request', async () => {
    const { id, call } = await member(['viewer', spaces.room], ['viewer', spaces.bergen])
    assert.deepEqual(names((await call('GET', '/devices')).body), ['Device of bergen', 'Device of room'])
    await organization.call('session', 'PUT', `/users/${id}/roles`, {
      roles: [{ role: 'viewer', space_id: spaces.room }],
    })
    assert.deepEqual(names((await call('GET', '/devices')).body), ['Device of room'])
    await organization.call('session', 'PUT', `/users/${id}/roles`, { roles: [] })
    assert.equal((await call('GET', '/devices')).status, 403)
  })

  it('a deleted space covers nothing', async () => {
    const { body: attic } = await organization.call('session', 'POST', '/spaces', { name: 'Attic' })
    await sql`update api_keys set within = array[${attic.id}]::uuid[] where customer_id = ${organization.customer_id}`
    assert.deepEqual(names((await organization.call('api_key', 'GET', '/spaces')).body), ['Attic'])
    await organization.call('session', 'DELETE', `/spaces/${attic.id}`)
    assert.deepEqual((await organization.call('api_key', 'GET', '/spaces')).body.items, [])
    assert.deepEqual((await organization.call('api_key', 'GET', '/devices')).body.items, [])
    assert.equal((await organization.call('api_key', 'GET', '/devices/counts')).body.never_seen, 0)
  })
})
