import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  connect,
  credentialsOf,
  exchange,
  openCode,
  postForm,
  refresh,
  registerApplication,
  revoke,
  userinfo,
} from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)

async function assertRevoked200(token: string, by = application): Promise<void> {
  const reply = await revoke(service, by, token)
  assert.equal(reply.status, 200)
  assert.equal(reply.raw, '')
}

describe('4.3 revocation endpoint', () => {
  for (const kind of ['access_token', 'refresh_token'] as const) {
    it(`3 grant active → revoked by an ${kind}: no token or code of it works, the approval stays`, async () => {
      const { sql } = service
      const { client_id, customer_id } = application
      await sql`
        insert into approvals (client_id, customer_id, approved_at) values (${client_id}, ${customer_id}, now())
        on conflict do nothing`
      const [mine, others] = [await connect(service, application), await connect(service, application)]
      const pending = await openCode(service, application)
      await assertRevoked200(mine[kind])
      assert.equal((await userinfo(service, others.access_token)).status, 401)
      assert.equal((await refresh(service, application, others.refresh_token)).body.error, 'invalid_grant')
      assert.equal((await exchange(service, application, pending)).body.error, 'invalid_grant')
      const approvals = await sql`select 1 from approvals where client_id = ${client_id}`
      assert.equal(approvals.length, 1)
      // Authorizing again opens a new grant.
      assert.equal((await userinfo(service, (await connect(service, application)).access_token)).status, 200)
    })
  }

  it('leaves an audit event that names the application', async () => {
    const { grant_id, access_token } = await connect(service, application)
    await assertRevoked200(access_token)
    const { body } = await service.operator('GET', '/audit-events?type=grant.revoked')
    const event = body.items.find(({ details }: { details: { grant_id: string } }) => details.grant_id === grant_id)
    assert.deepEqual(event.actor, { kind: 'application', id: application.client_id, name: 'Dashboard' })
    assert.equal(event.details.because, 'revoked_by_application')
  })

  it('200 with an empty body for unknown, malformed, expired and already revoked tokens', async () => {
    const { access_token } = await connect(service, application)
    for (const token of ['unknown', 'lba_', `lba_${'x'.repeat(49)}`, '\0', 'é'.repeat(300)])
      await assertRevoked200(token)
    await assertRevoked200(access_token)
    await assertRevoked200(access_token)
    const late = await connect(service, application)
    service.clock.forward(3600)
    await assertRevoked200(late.access_token)
    assert.equal((await refresh(service, application, late.refresh_token)).status, 200, 'an expired token ends nothing')
  })

  it('200 for a token of another client, with no effect', async () => {
    const other = await registerApplication(service)
    const { access_token, refresh_token } = await connect(service, application)
    await assertRevoked200(access_token, other)
    await assertRevoked200(refresh_token, other)
    assert.equal((await userinfo(service, access_token)).status, 200)
  })

  it('token_type_hint changes nothing', async () => {
    const { access_token } = await connect(service, application)
    const fields = { token: access_token, token_type_hint: 'refresh_token', ...credentialsOf(application) }
    assert.equal((await postForm(service, '/oauth/revoke', fields)).status, 200)
    assert.equal((await userinfo(service, access_token)).status, 401)
  })
})

describe('7.4 revocation endpoint: errors', () => {
  const { client_id, client_secret } = application
  const authorization = `Basic ${btoa(`${client_id}:${client_secret}`)}`
  const cases: [string, Record<string, string>, Record<string, string>, number, string][] = [
    ['token missing', { client_id, client_secret }, {}, 400, 'invalid_request'],
    ['token empty', { token: '', client_id, client_secret }, {}, 400, 'invalid_request'],
    ['JSON', { token: 'x' }, { 'content-type': 'application/json', authorization }, 400, 'invalid_request'],
    ['credentials differ', { token: 'x', client_secret: 'y' }, { authorization }, 400, 'invalid_request'],
    ['no credentials', { token: 'x' }, {}, 400, 'invalid_request'],
    ['wrong secret', { token: 'x', client_id, client_secret: 'y' }, {}, 401, 'invalid_client'],
    ['unknown client', { token: 'x', client_id: 'y', client_secret: 'y' }, {}, 401, 'invalid_client'],
  ]
  for (const [title, fields, headers, status, error] of cases) {
    it(`${title} → ${status} ${error}`, async () => {
      const reply = await postForm(service, '/oauth/revoke', fields, headers)
      assert.deepEqual([reply.status, reply.body.error], [status, error])
      assert.equal(reply.headers['cache-control'], 'no-store')
    })
  }

  it('a disabled application → 401 invalid_client', async () => {
    const other = await registerApplication(service)
    await service.operator('PATCH', `/applications/${other.client_id}`, { enabled: false })
    assert.equal((await revoke(service, other, 'x')).status, 401)
  })

  it('5 with HTTP Basic the 401 carries the challenge', async () => {
    const headers = { authorization: `Basic ${btoa(`${client_id}:wrong`)}` }
    const reply = await postForm(service, '/oauth/revoke', { token: 'x' }, headers)
    assert.equal(reply.headers['www-authenticate'], 'Basic realm="oauth"')
  })
})
