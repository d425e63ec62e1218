import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import {
  type CredentialKind,
  createOrganization,
  credentialKinds,
  type TestOrganization,
} from '../../../../../test/support/organization.ts'

const service = await startHarness()

describe('organization API: spaces', () => {
  let organization: TestOrganization
  let other: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
    other = await createOrganization(service)
    for (const { application, customer_id } of [organization, other]) {
      await service.sql`
        insert into approvals (client_id, customer_id, approved_at)
        values (${application.client_id}, ${customer_id}, ${service.clock.now()}) on conflict do nothing`
    }
  })
  let count = 0
  const createSpace = async (
    body: object = {},
    credential: CredentialKind = 'bearer',
  ): Promise<{ id: string; name: string }> => {
    count += 1
    const created = await organization.call(credential, 'POST', '/spaces', { name: `Space ${count}`, ...body })
    assert.equal(created.status, 201, created.raw)
    return created.body
  }
  const move = (id: string, parent_id: string | null, credential: CredentialKind = 'session') =>
    organization.call(credential, 'PATCH', `/spaces/${id}`, { parent_id })

  it('a tree is created, renamed, moved, listed and deleted, with every credential', async () => {
    for (const credential of credentialKinds) {
      const [home, shed] = [await createSpace({}, credential), await createSpace({}, credential)]
      const room = await createSpace({ parent_id: home.id }, credential)
      const renamed = await organization.call(credential, 'PATCH', `/spaces/${room.id}`, { name: 'Kitchen' })
      assert.deepEqual((await organization.call(credential, 'GET', `/spaces/${room.id}`)).body, renamed.body)
      assert.equal((await move(room.id, shed.id, credential)).body.parent_id, shed.id)
      const under = await organization.call(credential, 'GET', `/spaces?parent_id=${shed.id}`)
      assert.deepEqual(
        under.body.items.map(({ name }: { name: string }) => name),
        ['Kitchen'],
      )
      const full = await organization.call(credential, 'DELETE', `/spaces/${shed.id}`)
      assert.deepEqual([full.status, full.body.code], [409, 'space_not_empty'])
      assert.equal((await move(room.id, null, credential)).body.parent_id, null)
      for (const { id } of [shed, home, room]) {
        assert.equal((await organization.call(credential, 'DELETE', `/spaces/${id}`)).status, 204)
      }
      assert.equal((await organization.call(credential, 'GET', '/spaces?parent_id=root')).body.items.length, 0)
    }
  })

  it('a name is unique under its parent → 409; elsewhere it is free', async () => {
    const [one, two] = [await createSpace(), await createSpace()]
    await createSpace({ parent_id: one.id, name: 'Room' })
    const room = await createSpace({ parent_id: two.id, name: 'Room' })
    const again = await organization.call('session', 'POST', '/spaces', { name: 'Room', parent_id: one.id })
    assert.deepEqual([again.status, again.body.code], [409, 'name_taken'])
    assert.equal((await move(room.id, one.id)).body.code, 'name_taken')
    assert.equal((await organization.call('session', 'POST', '/spaces', { name: one.name })).body.code, 'name_taken')
  })

  it("an unknown parent and another customer's are the same 404", async () => {
    const theirs = (await other.call('session', 'POST', '/spaces', { name: 'Theirs' })).body
    const mine = await createSpace()
    const unknown = '00000000-0000-7000-8000-000000000000'
    const responses = []
    for (const parent_id of [theirs.id, unknown]) {
      responses.push(
        await organization.call('session', 'POST', '/spaces', { name: 'X', parent_id }),
        await move(mine.id, parent_id),
        await organization.call('session', 'GET', `/spaces?parent_id=${parent_id}`),
        await organization.call('session', 'GET', `/spaces/${parent_id}`),
        await organization.call('session', 'PATCH', `/spaces/${parent_id}`, { name: 'X' }),
        await organization.call('session', 'DELETE', `/spaces/${parent_id}`),
      )
    }
    for (const { status, raw } of responses) {
      assert.equal(status, 404)
      assert.equal(raw, responses[0]!.raw)
    }
  })

  it('a space cannot be moved into itself or below itself → 422', async () => {
    const top = await createSpace()
    const middle = await createSpace({ parent_id: top.id })
    const low = await createSpace({ parent_id: middle.id })
    for (const parent of [top.id, middle.id, low.id]) {
      const refused = await move(top.id, parent)
      assert.deepEqual([refused.status, refused.body.code], [422, 'space_within_itself'])
    }
  })

  it('two moves at once never form a cycle, 30 rounds', async () => {
    for (let round = 0; round < 30; round += 1) {
      const [a, b, c] = [await createSpace(), await createSpace(), await createSpace()]
      const moves = await Promise.all([move(a.id, b.id), move(b.id, c.id), move(c.id, a.id)])
      assert.deepEqual(moves.map(({ status }) => status).toSorted(), [200, 200, 422])
    }
  })

  it('a space that holds a device cannot be deleted → 409', async () => {
    const { id } = await createSpace()
    const { partner_id } = organization.application
    const { sql, clock } = service
    const [model] = await sql`
      insert into models (id, partner_id, name, authentication_method, created_at)
      values (gen_random_uuid(), ${partner_id}, 'M', 'MAC & Serial Number', ${clock.now()}) returning id`
    await sql`
      insert into devices (id, partner_id, model_id, mac, sn, firmware_version, registered_at, customer_id, claimed_at,
        space_id, status_at)
      values (gen_random_uuid(), ${partner_id}, ${model!.id}, '00:00:00:00:00:01', '1', '1.0.0', ${clock.now()},
        ${organization.customer_id}, ${clock.now()}, ${id}, ${clock.now()})`
    const refused = await organization.call('session', 'DELETE', `/spaces/${id}`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'space_not_empty'])
  })

  describe('find-or-create', () => {
    const find = (path: string[], more: object = {}, credential: CredentialKind = 'bearer') =>
      organization.call(credential, 'POST', '/spaces/find-or-create', { path, ...more })

    it('creates what is missing, and finds it the next time', async () => {
      const first = await find(['Tower', 'Floor 1', 'Room 7'])
      assert.equal(first.status, 201)
      const again = await find(['Tower', 'Floor 1', 'Room 7'])
      assert.equal(again.status, 200)
      assert.deepEqual(again.body, first.body)
      const floor = await find(['Tower', 'Floor 1'])
      assert.equal(floor.status, 200)
      assert.equal(first.body.parent_id, floor.body.id)
    })

    it('twelve at once create one', async () => {
      for (let round = 0; round < 5; round += 1) {
        const responses = await Promise.all(Array.from({ length: 12 }, () => find([`Race ${round}`, 'A', 'B'])))
        assert.equal(new Set(responses.map(({ body }) => body.id)).size, 1)
        assert.equal(responses.filter(({ status }) => status === 201).length, 1)
      }
    })

    it('an empty, long or wrong path → 422', async () => {
      const paths = [[], Array.from({ length: 33 }, () => 'x'), ['']]
      for (const path of paths) assert.equal((await find(path)).status, 422)
      assert.equal((await organization.call('bearer', 'POST', '/spaces/find-or-create', { path: 'x' })).status, 422)
    })
  })

  describe('1.6 a synced space', () => {
    it("is created by an application's token only", async () => {
      const synced = await organization.call('bearer', 'POST', '/spaces', { name: 'Cloud room', synced: true })
      assert.equal(synced.status, 201)
      assert.equal(synced.body.synced_by, organization.application.client_id)
      for (const credential of ['api_key', 'session'] as const) {
        const refused = await organization.call(credential, 'POST', '/spaces', {
          name: `By ${credential}`,
          synced: true,
        })
        assert.deepEqual([refused.status, refused.body.code], [403, 'application_required'])
        const body = { path: [`By ${credential}`], synced: true }
        assert.equal((await organization.call(credential, 'POST', '/spaces/find-or-create', body)).status, 403)
      }
    })

    it('is never moved to another space → 422 space_move_refused, with every credential', async () => {
      const [here, there] = [await createSpace(), await createSpace()]
      const { id } = await createSpace({ parent_id: here.id, synced: true })
      for (const credential of credentialKinds) {
        for (const parent of [there.id, null]) {
          const refused = await move(id, parent, credential)
          assert.deepEqual([refused.status, refused.body.code], [422, 'space_move_refused'])
          assert.match(refused.body.error, /connected apps/)
        }
        // Its present parent and a new name are accepted.
        assert.equal((await move(id, here.id, credential)).status, 200)
      }
      assert.equal((await organization.call('session', 'PATCH', `/spaces/${id}`, { name: 'New name' })).status, 200)
    })

    it('can be moved once its application stops syncing it, which no other can do', async () => {
      const there = await createSpace()
      const { id } = await createSpace({ synced: true })
      for (const credential of ['api_key', 'session'] as const) {
        const refused = await organization.call(credential, 'PATCH', `/spaces/${id}`, { synced: false })
        assert.deepEqual([refused.status, refused.body.code], [403, 'synced_by_another'])
      }
      assert.equal((await organization.call('bearer', 'PATCH', `/spaces/${id}`, { synced: true })).status, 422)
      const free = await organization.call('bearer', 'PATCH', `/spaces/${id}`, { synced: false })
      assert.deepEqual([free.body.synced, free.body.synced_by], [false, null])
      assert.equal((await move(id, there.id)).status, 200)
    })

    it('can be moved once the approval is withdrawn', async () => {
      const { body } = await other.call('bearer', 'POST', '/spaces', { name: 'Until then', synced: true })
      const parent = (await other.call('session', 'POST', '/spaces', { name: 'Parent' })).body
      const path = `/spaces/${body.id}`
      assert.equal((await other.call('session', 'PATCH', path, { parent_id: parent.id })).status, 422)
      const withdrawn = await other.call('session', 'DELETE', `/connected-apps/${other.application.client_id}`)
      assert.equal(withdrawn.status, 200)
      assert.equal((await other.call('session', 'GET', path)).body.synced, false)
      assert.equal((await other.call('session', 'PATCH', path, { parent_id: parent.id })).status, 200)
    })
  })

  it('If-Match: a move based on an old version → 412', async () => {
    const [space, parent] = [await createSpace(), await createSpace()]
    const { headers } = await organization.call('session', 'GET', `/spaces/${space.id}`)
    const ifMatch = { 'if-match': String(headers.etag) }
    const change = (body: object) => organization.call('session', 'PATCH', `/spaces/${space.id}`, body, ifMatch)
    assert.equal((await change({ name: 'Renamed meanwhile' })).status, 200)
    assert.equal((await change({ parent_id: parent.id })).status, 412)
  })
})
