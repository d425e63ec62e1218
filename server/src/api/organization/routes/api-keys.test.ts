import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHarness } from '../../../../../test/support/harness.ts'
import { holdLocks } from '../../../../../test/support/locks.ts'
import { createOrganization, type TestOrganization } from '../../../../../test/support/organization.ts'
import { until } from '../../../../../test/support/until.ts'
import { digest } from '../../../platform/secrets/secrets.ts'

const service = await startHarness()

describe('organization API: API keys', () => {
  let organization: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
  })
  const use = (key: string) =>
    service.app.inject({ url: '/core/v1/organization/info', headers: { authorization: key } })

  it('a key is returned once, works at once, and is listed by its first characters', async () => {
    const created = await organization.call('session', 'POST', '/api-keys', { name: 'Warehouse' })
    assert.equal(created.status, 201)
    assert.match(created.body.key, /^lbk_/)
    assert.equal((await use(created.body.key)).statusCode, 200)
    const list = await organization.call('session', 'GET', '/api-keys')
    assert.ok(!list.raw.includes(created.body.key))
    const found = list.body.items.find(({ id }: { id: string }) => id === created.body.id)
    assert.ok(created.body.key.startsWith(found.hint))
    assert.equal(found.created_by, organization.administrator.id)
    const [stored] = await service.sql`select digest, api_keys::text as row from api_keys where id = ${created.body.id}`
    assert.deepEqual(stored!.digest, digest(created.body.key))
    assert.ok(!stored!.row.includes(created.body.key))
  })

  it('last use is recorded at most once per minute, and no request waits for it', async () => {
    const { id, key } = (await organization.call('session', 'POST', '/api-keys', { name: 'Counter' })).body
    const lastUsed = async () => (await organization.call('session', 'GET', `/api-keys/${id}`)).body.last_used_at
    const now = () => service.clock.now().toISOString()
    assert.equal(await lastUsed(), null)
    await use(key)
    await until(async () => (await lastUsed()) === now(), 'last used')
    const first = now()
    service.clock.forward(59)
    await use(key)
    await sleep(50)
    assert.equal(await lastUsed(), first)
    service.clock.forward(1)
    await use(key)
    await until(async () => (await lastUsed()) === now(), 'last used, a minute later')
    service.clock.forward(60)
    const release = await holdLocks(service.sql, (hold) => hold`select from api_keys where id = ${id} for update`)
    const response = await Promise.race([use(key), sleep(2_000, { statusCode: 'waits for the lock' }, { ref: false })])
    await release()
    assert.equal(response.statusCode, 200)
  })

  it('a revoked key fails from the next request on, and is no longer listed', async () => {
    const { id, key } = (await organization.call('session', 'POST', '/api-keys', { name: 'Leaked' })).body
    assert.equal((await organization.call('session', 'DELETE', `/api-keys/${id}`)).status, 204)
    assert.equal((await use(key)).statusCode, 401)
    assert.equal((await organization.call('session', 'GET', `/api-keys/${id}`)).status, 404)
    assert.equal((await organization.call('session', 'DELETE', `/api-keys/${id}`)).status, 404)
    const { items } = (await organization.call('session', 'GET', '/audit-events?type=api_key.revoked')).body
    assert.equal(items[0].details.api_key_id, id)
  })

  it('a token and an API key must not extend their own reach → 403', async () => {
    for (const credential of ['bearer', 'api_key'] as const) {
      const refused = [
        await organization.call(credential, 'GET', '/api-keys'),
        await organization.call(credential, 'POST', '/api-keys', { name: 'Mine' }),
        await organization.call(credential, 'DELETE', '/api-keys/nonsense'),
      ]
      for (const { status, body } of refused) assert.deepEqual([status, body.code], [403, 'portal_session_required'])
    }
  })

  it("another customer's key is a 404", async () => {
    const other = await createOrganization(service)
    const { id } = (await other.call('session', 'POST', '/api-keys', { name: 'Theirs' })).body
    assert.equal((await organization.call('session', 'GET', `/api-keys/${id}`)).status, 404)
    assert.equal((await organization.call('session', 'DELETE', `/api-keys/${id}`)).status, 404)
    assert.equal((await other.call('session', 'GET', `/api-keys/${id}`)).status, 200)
  })

  it("a partner's key does not open a customer's API", async () => {
    const { createApiKey } = await import('../../../directory/api-keys.ts')
    const { partner_id } = organization.application
    const { key } = await createApiKey(service.context, { kind: 'operator' }, { partner_id }, { name: 'Partner' })
    assert.equal((await use(key)).statusCode, 401)
  })
})
