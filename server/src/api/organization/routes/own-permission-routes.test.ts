import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { password } from '../../../../../test/support/applications.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization, credentialKinds, sessionHeaders } from '../../../../../test/support/organization.ts'
import { everything, ofCredential, ofRole } from '../../../directory/permissions.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const { customer_id } = organization
const { client_id } = organization.application

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
      await service.sql`
        update approvals set permissions = ${service.sql.json(permissions as never)}, within = ${within}
        where client_id = ${client_id} and customer_id = ${customer_id}`
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
