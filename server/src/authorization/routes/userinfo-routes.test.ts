import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { connect, nextAddress, registerApplication, revoke, userinfo } from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)

async function ask(method: 'GET' | 'POST', headers: Record<string, string>, payload?: string) {
  return await service.app.inject({
    method,
    url: '/oauth/userinfo',
    headers,
    remoteAddress: nextAddress(),
    ...(payload === undefined ? {} : { payload }),
  })
}

describe('4.4 userinfo', () => {
  const cases: [scope: string, claims: string[]][] = [
    ['openid', ['sub', 'org_id', 'org_name']],
    ['openid profile', ['sub', 'name', 'org_id', 'org_name']],
    ['openid email', ['sub', 'email', 'email_verified', 'org_id', 'org_name']],
    ['openid profile email', ['sub', 'name', 'email', 'email_verified', 'org_id', 'org_name']],
  ]
  for (const [scope, claims] of cases) {
    it(`${scope} → ${claims.join(', ')}`, async () => {
      const { status, body } = await userinfo(service, (await connect(service, application, scope)).access_token)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body).toSorted(), claims.toSorted())
      assert.equal(body.sub, application.user_id)
      assert.equal(body.org_id, application.customer_id)
    })
  }

  it('callers at the same moment share a statement, and each gets its own claims', async () => {
    const another = await registerApplication(service)
    const applications = [application, another]
    const tokens = await Promise.all(applications.map(async (one) => (await connect(service, one)).access_token))
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, n) => userinfo(service, n === 20 ? 'lbat_unknown' : tokens[n % 2]!)),
    )
    for (const [n, { status, body }] of responses.entries()) {
      const { user_id, customer_id } = applications[n % 2]!
      if (n === 20) assert.equal(status, 401)
      else assert.deepEqual([status, body.sub, body.org_id], [200, user_id, customer_id])
    }
  })

  it('POST responds like GET, whatever its body', async () => {
    const { access_token } = await connect(service, application)
    const authorization = `Bearer ${access_token}`
    const expected = (await ask('GET', { authorization })).body
    for (const [type, payload] of [
      [undefined, undefined],
      ['application/x-www-form-urlencoded', 'a=b'],
      ['application/json', '{not json'],
      ['text/plain', 'x'],
    ] as const) {
      const response = await ask('POST', { authorization, ...(type ? { 'content-type': type } : {}) }, payload)
      assert.equal(response.statusCode, 200)
      assert.equal(response.body, expected)
    }
  })

  it('4.4 the role of the user does not matter', async () => {
    const { access_token } = await connect(service, application)
    await service.sql`update memberships set role = 'member' where user_id = ${application.user_id}`
    assert.equal((await userinfo(service, access_token)).body.org_id, application.customer_id)
    await service.sql`update memberships set role = 'administrator' where user_id = ${application.user_id}`
  })

  it('the scheme may be written in any case', async () => {
    const { access_token } = await connect(service, application)
    assert.equal((await ask('GET', { authorization: `bEARER ${access_token}` })).statusCode, 200)
  })
})

describe('7.5 userinfo: 401 invalid_token', () => {
  async function assertInvalidToken(headers: Record<string, string>): Promise<void> {
    for (const method of ['GET', 'POST'] as const) {
      const response = await ask(method, headers)
      assert.equal(response.statusCode, 401)
      assert.equal(response.body, '{"error":"invalid_token"}')
      assert.equal(response.headers['www-authenticate'], 'Bearer error="invalid_token"')
    }
  }

  it('missing', async () => {
    await assertInvalidToken({})
    await assertInvalidToken({ authorization: 'Bearer' })
    await assertInvalidToken({ authorization: 'Bearer ' })
  })

  it('malformed, or no bearer token at all', async () => {
    const { access_token, refresh_token } = await connect(service, application)
    for (const authorization of [
      'Bearer x',
      'Bearer \u00ff',
      `Bearer ${access_token}x`,
      `Bearer ${access_token} ${access_token}`,
      `Bearer ${refresh_token}`,
      `Basic ${access_token}`,
      access_token,
    ]) {
      await assertInvalidToken({ authorization })
    }
  })

  it('in the query or in a body it does not count', async () => {
    const { access_token } = await connect(service, application)
    const url = `/oauth/userinfo?access_token=${access_token}`
    assert.equal((await service.app.inject({ url, remoteAddress: nextAddress() })).statusCode, 401)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    assert.equal((await ask('POST', headers, `access_token=${access_token}`)).statusCode, 401)
  })

  it('3 expired', async () => {
    const { access_token } = await connect(service, application)
    service.clock.forward(3599.999)
    assert.equal((await userinfo(service, access_token)).status, 200)
    service.clock.forward(0.001)
    await assertInvalidToken({ authorization: `Bearer ${access_token}` })
  })

  it('3 revoked', async () => {
    const { access_token } = await connect(service, application)
    await revoke(service, application, access_token)
    await assertInvalidToken({ authorization: `Bearer ${access_token}` })
  })

  it('its application is disabled', async () => {
    const other = await registerApplication(service)
    const { access_token } = await connect(service, other)
    await service.operator('PATCH', `/applications/${other.client_id}`, { enabled: false })
    await assertInvalidToken({ authorization: `Bearer ${access_token}` })
    await service.operator('PATCH', `/applications/${other.client_id}`, { enabled: true })
    await assertInvalidToken({ authorization: `Bearer ${access_token}` })
  })
})

describe('7.5 userinfo: 403 insufficient_scope', () => {
  for (const scope of ['', 'profile', 'profile email']) {
    it(`authorization did not request openid: ${JSON.stringify(scope)}`, async () => {
      const { access_token } = await connect(service, application, scope)
      const reply = await userinfo(service, access_token)
      assert.equal(reply.status, 403)
      assert.equal(reply.raw, '{"error":"insufficient_scope"}')
      assert.equal(reply.headers['www-authenticate'], 'Bearer error="insufficient_scope"')
    })
  }
})
