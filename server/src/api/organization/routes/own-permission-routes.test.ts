import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { approveFor, password } from '../../../../../test/support/applications.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization, credentialKinds, sessionHeaders } from '../../../../../test/support/organization.ts'
import { everything, ofCredential, ofRole } from '../../../directory/permissions.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const { customer_id } = organization

describe('decision 6.48: GET /permissions, what the caller itself may do', () => {
  it('whatever the credential, everything where nobody narrowed it', async () => {
    for (const kind of credentialKinds) {
      const permissions = kind === 'session' ? everything : ofCredential
      const { status, body } = await organization.call(kind, 'GET', '/permissions')
      assert.deepEqual([status, body], [200, { reach: [{ permissions, within: null }] }], kind)
    }
  })

  it('a narrowed token: its levels and spaces by name, one that was deleted without; also where nothing is left', async () => {
    const { body: berlin } = await organization.call('session', 'POST', '/spaces', { name: 'Berlin' })
    const { body: room } = await organization.call('session', 'POST', '/spaces', { name: 'Room', parent_id: berlin.id })
    const gone = newId()
    const narrow = async (permissions: object, within: string[]) =>
      await approveFor(service, organization.application, { permissions, within })
    const none = { devices: 'none', spaces: 'none', people: 'none', audit: 'none' }
    await narrow({ ...none, devices: 'read' }, [room.id, gone])
    const expected = { permissions: { ...none, devices: 'read', integrations: 'none' } }
    const within = [
      { id: room.id, name: 'Room' },
      { id: gone, name: null },
    ]
    assert.deepEqual((await organization.call('bearer', 'GET', '/permissions')).body, {
      reach: [{ ...expected, within }],
    })
    const refused = await organization.call('bearer', 'PATCH', `/devices/${gone}`, { name: 'Lobby' })
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.missing],
      [403, 'not_approved', 'devices: manage'],
    )
    await narrow(none, [])
    const { body } = await organization.call('bearer', 'GET', '/permissions')
    assert.deepEqual(body, { reach: [{ permissions: { ...none, integrations: 'none' }, within: [] }] })
  })

  it('a member: one entry per role', async () => {
    const email = `${newId()}@example.com`
    const body = { name: 'Mia', email, password, role: 'member' }
    const { body: member } = await service.operator('POST', `/customers/${customer_id}/users`, body)
    const own = async () => {
      const headers = await sessionHeaders(service, { email, password })
      return (await service.app.inject({ url: '/core/v1/organization/permissions', headers })).json()
    }
    const change = { can_view_devices: true }
    await organization.call('session', 'PATCH', `/users/${member.id}`, change)
    assert.deepEqual(await own(), { reach: [{ permissions: ofRole.viewer, within: null }] })
  })
})

describe('decision 6.49: users and groups respond to every token', () => {
  it('4.6 200 with an empty page for one that was not approved for people; a single person is refused', async () => {
    const other = await createOrganization(service)
    await other.call('session', 'POST', '/groups', { name: 'Night shift' })
    const permissions = { devices: 'read', spaces: 'none', people: 'none', audit: 'none' }
    const change = async (value: object | null) => await approveFor(service, other.application, { permissions: value })
    await change(permissions)
    for (const path of ['/users', '/groups', '/users?search=a', '/users?sort=name', '/groups?search=night']) {
      const { status, body } = await other.call('bearer', 'GET', path)
      assert.deepEqual([status, body], [200, { items: [], next: null }], path)
    }
    const one = await other.call('bearer', 'GET', `/users/${other.administrator.id}`)
    assert.deepEqual([one.status, one.body.code, one.body.missing], [403, 'not_approved', 'people: read'])
    await change(null)
    for (const path of ['/users', '/groups'])
      assert.equal((await other.call('bearer', 'GET', path)).body.items.length, 1, path)
  })

  it('an API key without people is refused: the contract says so of tokens only', async () => {
    const other = await createOrganization(service)
    const permissions = { devices: 'read', spaces: 'none', people: 'none', audit: 'none' }
    await service.sql`
      update api_keys set permissions = ${service.sql.json(permissions)} where customer_id = ${other.customer_id}`
    const { status, body } = await other.call('api_key', 'GET', '/users')
    assert.deepEqual([status, body.code, body.missing], [403, 'not_permitted', 'people: read'])
  })
})
