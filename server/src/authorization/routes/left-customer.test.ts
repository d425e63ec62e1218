import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import {
  connect,
  exchange,
  openCode,
  refresh,
  registerApplication,
  type TestApplication,
  userinfo,
} from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'

const service = await startHarness()
const names = (claims: object) => Object.keys(claims).filter((name) => name.startsWith('org_'))

/** The person is not the last administrator, so that they can leave. */
async function setUp(): Promise<TestApplication> {
  const application = await registerApplication(service)
  const { customer_id } = application
  const second = { name: 'Bob', email: `bob-${customer_id}@example.com`, password: 'correct horse battery' }
  await service.operator('POST', `/customers/${customer_id}/users`, { ...second, role: 'administrator' })
  return application
}

describe('decision 6.12 a person leaves a customer: tokens stay, and nothing asserts the membership', () => {
  const leaving: [what: string, leave: (path: string) => Promise<{ status: number }>][] = [
    ['removed', (path) => service.operator('DELETE', path)],
    ['deactivated', (path) => service.operator('PATCH', path, { active: false })],
  ]
  for (const [what, leave] of leaving) {
    it(`4.4, 2.3 ${what}: userinfo, refresh and code exchange are 200 and name no organization`, async () => {
      const application = await setUp()
      const { customer_id, user_id, email } = application
      const tokens = await connect(service, application)
      const pending = await openCode(service, application)
      assert.deepEqual(names(decodeJwt(tokens.id_token)), ['org_id', 'org_name'])

      assert.ok((await leave(`/customers/${customer_id}/users/${user_id}`)).status < 300)
      const info = await userinfo(service, tokens.access_token)
      assert.deepEqual([info.status, info.body.sub, info.body.email, names(info.body)], [200, user_id, email, []])
      const refreshed = await refresh(service, application, tokens.refresh_token)
      const exchanged = await exchange(service, application, pending)
      for (const { status, body } of [refreshed, exchanged]) {
        const { sub, ...claims } = decodeJwt(body.id_token)
        assert.deepEqual([status, sub, names(claims)], [200, user_id, []])
        assert.deepEqual(names((await userinfo(service, body.access_token)).body), [])
      }
      const users = await service.app.inject({
        url: '/core/v1/organization/users',
        headers: { authorization: `Bearer ${refreshed.body.access_token}` },
      })
      assert.equal(users.statusCode, 200, 'tokens belong to the grant')
    })
  }

  it('after a return the membership is asserted again, and a new name at once', async () => {
    const application = await setUp()
    const { customer_id, user_id, email } = application
    const tokens = await connect(service, application)
    await service.operator('DELETE', `/customers/${customer_id}/users/${user_id}`)
    await joinAlso(service, customer_id, email, 'member')
    await service.sql`update users set name = 'Ada Byron' where id = ${user_id}`
    const { body } = await refresh(service, application, tokens.refresh_token)
    const claims = decodeJwt(body.id_token)
    assert.deepEqual([claims.org_id, claims.name], [customer_id, 'Ada Byron'])
  })
})
