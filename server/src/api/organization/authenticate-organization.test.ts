import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { revoke } from '../../../../test/support/applications.ts'
import { withoutExports } from '../../../../test/support/exports.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'
import {
  createOrganization,
  credentialKinds,
  sessionHeaders,
  type TestOrganization,
} from '../../../../test/support/organization.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { mintSecret } from '../../platform/secrets/secrets.ts'

const service = await startHarness()
const get = (headers: Record<string, string>, path = '/users') =>
  service.app.inject({ url: `/core/v1/organization${path}`, headers })

describe('organization API: authentication', () => {
  let organization: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
  })

  describe('4.6 a bearer token, an API key and a portal session get the same responses, to the byte', () => {
    // Those that could extend a token's own reach, and the live stream, which ends only with its credential.
    const factors = ['/second-factor-policy', '/second-factors', '/second-factors/users']
    const portalOnly = ['/access', '/api-keys', '/approval-requests', '/connected-apps', ...factors]
    const prefix = '/core/v1/organization'

    it('from every list and every single resource of the OpenAPI document', async () => {
      const { paths } = (await service.app.inject({ url: '/openapi.json' })).json()
      const lists = Object.keys(paths)
        // What a person may do and what a credential may do is not the same.
        .filter((path) => path.startsWith(prefix) && paths[path].get && !/[{]|stream|permissions$/.test(path))
        .map((path) => path.slice(prefix.length))
        .map((path) => (path === '/commands/counts' ? `${path}?batch_id=${newId()}` : path))
      assert.ok(lists.length >= 9, lists.join())
      for (const path of lists) {
        const responses = await Promise.all(
          credentialKinds.map((credential) => organization.call(credential, 'GET', path)),
        )
        const [bearer, key, session] = responses.map(({ status, raw }) => `${status} ${withoutExports(raw)}`)
        assert.equal(bearer, key, path)
        if (portalOnly.includes(path)) {
          assert.equal(responses[0]!.body.code, 'portal_session_required', path)
          assert.equal(responses[2]!.status, 200, path)
        } else {
          assert.match(session!, /^200 /, path)
          assert.equal(bearer, session, path)
        }
      }
    })
  })

  it('7.7 a token that is unknown, malformed or empty → 401 with the challenge', async () => {
    for (const authorization of [`Bearer ${mintSecret('access_token')}`, 'Bearer nonsense', 'Bearer', 'bearer  x']) {
      const refused = await get({ authorization })
      assert.equal(refused.statusCode, 401)
      assert.equal(refused.body, '{"error":"Not authorized"}')
      assert.equal(refused.headers['www-authenticate'], 'Bearer error="invalid_token"')
    }
  })

  it('7.7 a token that has expired → 401 with the challenge', async () => {
    const other = await createOrganization(service)
    assert.equal((await get(other.headers.bearer)).statusCode, 200)
    service.clock.forward(3_600)
    const refused = await get(other.headers.bearer)
    assert.equal(refused.statusCode, 401)
    assert.equal(refused.headers['www-authenticate'], 'Bearer error="invalid_token"')
    organization = await createOrganization(service)
  })

  it('7.7 a token that was revoked → 401 with the challenge, at once', async () => {
    const other = await createOrganization(service)
    await revoke(service, other.application, other.headers.bearer.authorization!.slice('Bearer '.length))
    const refused = await get(other.headers.bearer)
    assert.equal(refused.statusCode, 401)
    assert.equal(refused.body, '{"error":"Not authorized"}')
    assert.equal(refused.headers['www-authenticate'], 'Bearer error="invalid_token"')
  })

  it('7.7 a wrong API key → 401, without the bearer challenge', async () => {
    const secrets = [mintSecret('api_key'), 'nonsense', 'Basic Zm9vOmJhcg==', mintSecret('access_token')]
    for (const authorization of secrets) {
      const refused = await get({ authorization })
      assert.equal(refused.statusCode, 401)
      assert.equal(refused.body, '{"error":"Not authorized"}')
      assert.equal(refused.headers['www-authenticate'], undefined)
    }
  })

  it('no credential at all → 401', async () => {
    const refused = await get({})
    assert.equal(refused.statusCode, 401)
    assert.equal(refused.body, '{"error":"Not authorized"}')
  })

  it('4.6 the role of the user who signed in to the application does not matter', async () => {
    const { customer_id, administrator } = organization
    const second = { name: 'Bob', email: 'bob@example.com', password: 'correct horse battery', role: 'administrator' }
    await service.operator('POST', `/customers/${customer_id}/users`, second)
    const path = `/users/${administrator.id}`
    const change = (role: string) => service.operator('PATCH', `/customers/${customer_id}${path}`, { role })
    assert.equal((await change('member')).status, 200)
    for (const read of ['/users', '/groups']) assert.equal((await organization.call('bearer', 'GET', read)).status, 200)
    assert.equal((await organization.call('bearer', 'POST', '/groups', { name: 'Any user' })).status, 201)
    assert.equal((await change('administrator')).status, 200)
  })

  describe('a portal session', () => {
    const person = { name: 'Cleo', email: 'cleo@example.com', password: 'correct horse battery' }

    it('of a member → 403, and the same for a customer of others and an unknown one', async () => {
      const { customer_id } = organization
      await service.operator('POST', `/customers/${customer_id}/users`, { ...person, role: 'member' })
      const headers = await sessionHeaders(service, person)
      const other = await createOrganization(service)
      const nobody = '00000000-0000-7000-8000-000000000000'
      for (const customer of [undefined, customer_id, other.customer_id, nobody, 'nonsense']) {
        const refused = await get({ ...headers, ...(customer ? { 'landbridge-customer': customer } : {}) })
        assert.equal(refused.statusCode, 403)
        assert.equal(refused.json().code, 'administrators_only')
      }
    })

    it('of someone who administers several customers names one, in the header or the query', async () => {
      const names = ['One', 'Two']
      const ids: string[] = []
      const twice = { ...person, email: 'twice@example.com', role: 'administrator' }
      for (const name of names) {
        const customer = { partner_id: organization.application.partner_id, name }
        const { id } = (await service.operator('POST', '/customers', customer)).body
        if (ids.length === 0) await service.operator('POST', `/customers/${id}/users`, twice)
        else await joinAlso(service, id, twice.email, 'administrator')
        ids.push(id)
      }
      const headers = await sessionHeaders(service, twice)
      const unnamed = await get(headers, '/info')
      assert.deepEqual([unnamed.statusCode, unnamed.json().code], [422, 'customer_required'])
      for (const [index, id] of ids.entries()) {
        assert.equal((await get({ ...headers, 'landbridge-customer': id }, '/info')).json().name, names[index])
        assert.equal((await get(headers, `/info?customer_id=${id}`)).json().name, names[index])
      }
    })

    it('decision 8.2 changes nothing without a right Origin, and needs nothing else', async () => {
      const { session } = organization.headers
      const post = (headers: Record<string, string>) =>
        service.app.inject({
          method: 'POST',
          url: '/core/v1/organization/groups',
          headers,
          payload: { name: `Group ${Math.random()}` },
        })
      const { origin, ...without } = session as { origin: string }
      assert.equal((await post({ ...without, origin })).statusCode, 201)
      assert.equal((await post({ ...without, 'sec-fetch-site': 'same-origin' })).statusCode, 201)
      for (const foreign of [
        {},
        { origin: 'http://evil.test' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const refused = await post({ ...without, ...foreign })
        assert.deepEqual([refused.statusCode, refused.json().code], [403, 'foreign_origin'])
      }
    })

    it('ends when the administrator is deactivated', async () => {
      const { customer_id } = organization
      const email = 'leaver@example.com'
      const leaver = { ...person, email, role: 'administrator' }
      const { id } = (await service.operator('POST', `/customers/${customer_id}/users`, leaver)).body
      const headers = await sessionHeaders(service, leaver)
      assert.equal((await get(headers)).statusCode, 200)
      await organization.call('session', 'PATCH', `/users/${id}`, { active: false })
      assert.equal((await get(headers)).statusCode, 403)
    })
  })
})
