import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { password } from '../../../../../test/support/applications.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { overlap } from '../../../../../test/support/locks.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../../test/support/organization.ts'

const service = await startHarness()

interface Role {
  role: string
  space_id: string | null
}

describe('decision 6.54: roles in spaces', () => {
  let organization: TestOrganization
  let oslo: string
  let floor: string
  before(async () => {
    organization = await createOrganization(service)
    oslo = await space('Oslo')
    floor = await space('Ground floor', oslo)
  })

  const space = async (name: string, parent_id: string | null = null): Promise<string> =>
    (await organization.call('session', 'POST', '/spaces', { name, parent_id })).body.id
  const addMember = async (customerId = organization.customer_id) => {
    const email = `${crypto.randomUUID()}@example.com`
    const person = { name: 'Mona', email, password, role: 'member' }
    const { body } = await service.operator('POST', `/customers/${customerId}/users`, person)
    return { id: body.id as string, path: `/users/${body.id}/roles`, email }
  }
  const addGroup = async () => {
    const { body } = await organization.call('session', 'POST', '/groups', { name: crypto.randomUUID() })
    return { id: body.id as string, path: `/groups/${body.id}/roles` }
  }
  const put = (path: string, ...roles: Role[]) => organization.call('session', 'PUT', path, { roles })
  const rolesOf = async (path: string): Promise<Role[]> => {
    const { body } = await organization.call('session', 'GET', path)
    return body.roles.map(({ role, space_id }: Role) => ({ role, space_id }))
  }
  const statusOf = async (email: string, path: string, method: 'GET' | 'PUT' = 'GET', payload?: object) => {
    const headers = await sessionHeaders(service, { email, password })
    const url = `/core/v1/organization${path}`
    const response = await service.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
    return [response.statusCode, response.json().code]
  }

  for (const [whose, add] of [
    ['user', addMember],
    ['group', addGroup],
  ] as const) {
    it(`of a ${whose} are replaced, shown with the path of each space, and audited as given and removed`, async () => {
      const { id, path } = await add()
      assert.deepEqual(await rolesOf(path), [])
      const first = await put(path, { role: 'manager', space_id: floor }, { role: 'viewer', space_id: null })
      const expected = [
        { role: 'viewer', space_id: null, space_path: [] },
        { role: 'manager', space_id: floor, space_path: ['Oslo', 'Ground floor'] },
      ]
      assert.deepEqual([first.status, first.body.roles], [200, expected])
      await put(path, { role: 'operator', space_id: floor.toUpperCase() }, { role: 'viewer', space_id: null })
      await put(path, { role: 'viewer', space_id: null }, { role: 'operator', space_id: floor })
      const now = [
        { role: 'viewer', space_id: null },
        { role: 'operator', space_id: floor },
      ]
      assert.deepEqual(await rolesOf(path), now)
      const type = whose === 'user' ? 'member.roles_changed' : 'group.roles_changed'
      const log = await organization.call('session', 'GET', `/audit-events?type=${type}&limit=2`)
      const given = ['operator of Oslo / Ground floor']
      const removed = ['manager of Oslo / Ground floor']
      assert.deepEqual(log.body.items[0].details, { [`${whose}_id`]: id, given, removed })
      const before = ['viewer of everything', 'manager of Oslo / Ground floor']
      assert.deepEqual(log.body.items[1].details.given, before, 'the same roles once more are no event')
    })
  }

  it('viewer everywhere of a user is can_view_devices, both ways, and stored nowhere else', async () => {
    const { id, path } = await addMember()
    await put(path, { role: 'viewer', space_id: null })
    assert.equal((await organization.call('session', 'GET', `/users/${id}`)).body.can_view_devices, true)
    assert.equal((await service.sql`select 1 from space_roles where user_id = ${id}`).length, 0)
    await organization.call('session', 'PATCH', `/users/${id}`, { can_view_devices: false })
    assert.deepEqual(await rolesOf(path), [])
    await put(path, { role: 'operator', space_id: null })
    await organization.call('session', 'PATCH', `/users/${id}`, { can_view_devices: true })
    assert.deepEqual(await rolesOf(path), [{ role: 'operator', space_id: null }], 'which includes to view')
    await put(path)
    assert.equal((await organization.call('session', 'GET', `/users/${id}`)).body.can_view_devices, false)
  })

  it('a space twice, one of nobody or of somebody else, an unknown role or 101 of them → 422, and nothing changes', async () => {
    const { path } = await addMember()
    const kept = [{ role: 'viewer', space_id: oslo }]
    await put(path, ...kept)
    const other = await createOrganization(service)
    const foreign: string = (await other.call('session', 'POST', '/spaces', { name: 'Theirs' })).body.id
    const viewer = (space_id: string | null) => ({ role: 'viewer', space_id })
    const many = Array.from({ length: 101 }, () => viewer(crypto.randomUUID()))
    const wrong: Role[][] = [
      [viewer(oslo), { role: 'manager', space_id: oslo.toUpperCase() }],
      [viewer(null), { role: 'manager', space_id: null }],
      [viewer(floor), viewer(foreign)],
      [viewer(crypto.randomUUID())],
      [{ role: 'administrator', space_id: oslo }],
      many,
    ]
    for (const roles of wrong) {
      const { status, body } = await put(path, ...roles)
      assert.deepEqual(
        [status, body.details[0].field.startsWith('roles')],
        [422, true],
        JSON.stringify(roles.slice(0, 2)),
      )
    }
    assert.deepEqual(await rolesOf(path), kept)
  })

  it('no token, no API key and no member gives roles, nor a manager of the space', async () => {
    const { path, email } = await addMember()
    const roles = [{ role: 'manager', space_id: oslo }]
    for (const kind of ['bearer', 'api_key'] as const)
      for (const method of ['GET', 'PUT'] as const) {
        const refused = await organization.call(kind, method, path, method === 'PUT' ? { roles } : undefined)
        assert.deepEqual([refused.status, refused.body.code], [403, 'portal_session_required'])
      }
    assert.deepEqual(await statusOf(email, path, 'PUT', { roles }), [403, 'administrators_only'])
    await put(path, ...(roles as Role[]))
    for (const role of ['viewer', 'operator', 'manager'])
      assert.deepEqual(await statusOf(email, path, 'PUT', { roles: [{ role, space_id: null }] }), [
        403,
        'administrators_only',
      ])
  })

  it('a token or an API key adds nobody to a group with roles, in any of the three ways', async () => {
    const group = await addGroup()
    const { id } = await addMember()
    const ways = [
      ['PUT', `/groups/${group.id}/members/${id}`, undefined],
      ['PATCH', `/users/${id}`, { groups: [group.id] }],
      ['POST', '/invitations', { email: 'new@example.com', role: 'member', groups: [group.id] }],
    ] as const
    await put(group.path, { role: 'viewer', space_id: oslo })
    for (const kind of ['bearer', 'api_key'] as const)
      for (const [method, path, body] of ways) {
        const refused = await organization.call(kind, method, path, body)
        assert.deepEqual([refused.status, refused.body.code], [403, 'administrators_protected'], path)
      }
    await put(group.path)
    for (const [method, path, body] of ways)
      assert.ok((await organization.call('bearer', method, path, body)).status < 300, path)
    await put(group.path, { role: 'viewer', space_id: oslo })
    const kept = await organization.call('bearer', 'PATCH', `/users/${id}`, { active: true, groups: [group.id] })
    assert.equal(kept.status, 200, 'who is in the group already may stay')
  })

  it("another customer's user or group is a 404", async () => {
    const other = await createOrganization(service)
    const { path } = await addMember(other.customer_id)
    const group: string = (await other.call('session', 'POST', '/groups', { name: 'Theirs' })).body.id
    for (const foreign of [path, `/groups/${group}/roles`]) {
      assert.equal((await organization.call('session', 'GET', foreign)).status, 404)
      assert.equal((await put(foreign, { role: 'viewer', space_id: null })).status, 404)
    }
  })

  it('two administrators at once take turns: one of the two lists stands as a whole, and If-Match refuses the second', async () => {
    const { path } = await addMember()
    const lists: Role[][] = [
      [
        { role: 'viewer', space_id: oslo },
        { role: 'manager', space_id: floor },
      ],
      [
        { role: 'operator', space_id: oslo },
        { role: 'viewer', space_id: null },
      ],
    ]
    await overlap(
      service.sql,
      () => put(path, ...lists[0]!),
      () => put(path, ...lists[1]!),
    )
    assert.deepEqual(await rolesOf(path), lists[1]!.toReversed())
    const { headers } = await organization.call('session', 'GET', path)
    const change = (roles: Role[]) =>
      organization.call('session', 'PUT', path, { roles }, { 'if-match': String(headers.etag) })
    const [first, second] = await overlap(
      service.sql,
      () => change(lists[0]!),
      () => change([]),
    ).catch(() => assert.fail('the second waits for the first'))
    assert.deepEqual([first.status, second.status], [200, 412])
  })

  it('roles end with the group, the membership or the space, and count for nobody who is deactivated', async () => {
    const member = await addMember()
    const group = await addGroup()
    await organization.call('session', 'PUT', `/groups/${group.id}/members/${member.id}`)
    const status = async () => (await statusOf(member.email, '/devices'))[0]
    const opens = async () => {
      const headers = await sessionHeaders(service, { email: member.email, password })
      const { customers } = (await service.app.inject({ url: '/core/v1/session', headers })).json()
      return [customers[0].can_open_portal, customers[0].can_view_devices]
    }
    assert.deepEqual([await status(), await opens()], [403, [false, false]])
    await put(group.path, { role: 'viewer', space_id: oslo })
    assert.deepEqual([await status(), await opens()], [200, [true, false]])
    await organization.call('session', 'PATCH', `/users/${member.id}`, { active: false })
    assert.equal(await status(), 403)
    await organization.call('session', 'PATCH', `/users/${member.id}`, { active: true })
    await organization.call('session', 'DELETE', `/groups/${group.id}`)
    assert.equal(await status(), 403)
    const roof = await space('Roof')
    await put(member.path, { role: 'viewer', space_id: roof })
    assert.equal(await status(), 200)
    await organization.call('session', 'DELETE', `/spaces/${roof}`)
    assert.deepEqual([await status(), await rolesOf(member.path)], [403, []])
    await put(member.path, { role: 'viewer', space_id: oslo })
    await organization.call('session', 'DELETE', `/users/${member.id}`)
    assert.equal((await service.sql`select 1 from space_roles where user_id = ${member.id}`).length, 0)
  })
})
