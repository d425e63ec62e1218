import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Document, fill, kindsOf, operationsOf } from '../../../../test/openapi/document.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../test/support/organization.ts'
import { ofRole, permits } from '../../directory/permissions.ts'

const service = await startHarness()
const prefix = '/core/v1/organization'

describe('decision 8.14: a member who can view devices', () => {
  const person = { name: 'Vera', email: 'vera@example.com', password: 'correct horse battery' }
  let organization: TestOrganization
  let id: string
  let headers: Record<string, string>
  const call = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, more = {}) =>
    service.app.inject({ method, url: path, headers: { ...headers, ...more } })
  const allowViewing = (can_view_devices: boolean, kind: 'session' | 'bearer' | 'api_key' = 'session') =>
    organization.call(kind, 'PATCH', `/users/${id}`, { can_view_devices })

  before(async () => {
    organization = await createOrganization(service)
    const { customer_id } = organization
    const added = await service.operator('POST', `/customers/${customer_id}/users`, { ...person, role: 'member' })
    id = added.body.id
    headers = await sessionHeaders(service, person)
  })

  it('is an ordinary member until an administrator says so, and the change is audited', async () => {
    assert.equal((await call('GET', `${prefix}/devices`)).statusCode, 403)
    const allowed = await allowViewing(true)
    assert.deepEqual([allowed.status, allowed.body.role, allowed.body.can_view_devices], [200, 'member', true])
    assert.equal((await call('GET', `${prefix}/devices`)).statusCode, 200)
    const { customers } = (await call('GET', '/core/v1/session')).json()
    assert.equal(customers[0].can_view_devices, true)
    const log = await organization.call('session', 'GET', '/audit-events?type=member.changed&limit=1')
    assert.deepEqual(log.body.items[0].details, { user_id: id, can_view_devices: true })
  })

  it('no token and no API key may say so: the person would outlive its revocation', async () => {
    for (const kind of ['bearer', 'api_key'] as const) {
      const refused = await allowViewing(true, kind)
      assert.deepEqual([refused.status, refused.body.code], [403, 'administrators_protected'])
    }
  })

  it('reads devices, spaces, models and counts; every other operation of the OpenAPI document is 403', async () => {
    const document = (await service.app.inject({ url: '/openapi.json' })).json() as Document
    const operations = operationsOf(document).filter(({ path }) => path.startsWith(`${prefix}/`))
    assert.ok(operations.length > 40, 'the document was read')
    const reads: string[] = []
    for (const { method, path, permission } of operations) {
      const ids = Object.fromEntries(kindsOf(path).map(({ name }) => [name, id]))
      const name = `${method} ${path}`
      // The stream stays open, so that it is asked for by a method that has no body.
      const response = await service.app.inject({
        method: path.endsWith('/stream') ? 'HEAD' : method,
        url: fill(path, ids),
        headers,
        ...(method === 'GET' || method === 'DELETE' ? {} : { payload: {} }),
      })
      if (permits(ofRole.viewer, permission)) {
        reads.push(name)
        assert.notEqual(response.statusCode, 403, name)
      } else {
        assert.deepEqual([response.statusCode, response.json().code], [403, 'administrators_only'], name)
      }
    }
    assert.ok(reads.length >= 9, reads.join('\n'))
  })

  it('reads all that the pages of devices and spaces show: tags, saved views and the export too', async () => {
    for (const path of ['/devices.csv', '/device-tags', '/device-views', '/devices/total', '/devices/trend', '/models'])
      assert.equal((await call('GET', `${prefix}${path}`)).statusCode, 200, path)
    const view = { name: 'Mine', query: {} }
    const saved = await service.app.inject({ method: 'POST', url: `${prefix}/device-views`, headers, payload: view })
    assert.equal(saved.statusCode, 403)
  })

  it('method overrides, odd paths and other customers change nothing about it', async () => {
    const space = await organization.call('session', 'POST', '/spaces', { name: 'Roof' })
    const override = await call('POST', `${prefix}/spaces/${space.body.id}`, { 'x-http-method-override': 'DELETE' })
    assert.ok([403, 404, 405].includes(override.statusCode))
    for (const path of ['/devices/../users', '/devices/%2e%2e/users', '//users', '/devicesx', '/info/../api-keys'])
      assert.notEqual((await call('GET', `${prefix}${path}`)).statusCode, 200, path)
    const other = await createOrganization(service)
    const foreign = await call('GET', `${prefix}/devices`, { 'landbridge-customer': other.customer_id })
    assert.deepEqual([foreign.statusCode, foreign.json().code], [403, 'administrators_only'])
  })

  it('without a name the session acts for the customer it administers, before those it views', async () => {
    const own = await createOrganization(service)
    await joinAlso(service, own.customer_id, person.email, 'administrator')
    assert.equal((await call('GET', `${prefix}/info`)).json().id, own.customer_id)
    const named = { 'landbridge-customer': organization.customer_id }
    assert.equal((await call('GET', `${prefix}/info`, named)).json().id, organization.customer_id)
    assert.equal((await call('GET', `${prefix}/users`, named)).statusCode, 403)
  })

  it('loses it at once, when it ends or the person is deactivated', async () => {
    const named = { 'landbridge-customer': organization.customer_id }
    const status = async () => (await call('GET', `${prefix}/devices`, named)).statusCode
    assert.equal(await status(), 200)
    await allowViewing(false)
    assert.equal(await status(), 403)
    await allowViewing(true)
    await organization.call('session', 'PATCH', `/users/${id}`, { active: false })
    assert.equal(await status(), 403)
  })
})
