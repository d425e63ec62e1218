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
import { runJob } from '../../platform/jobs.ts'
import { expiryJob } from '../token/token-expiry.ts'

const service = await startHarness()
const day = 24 * 3600

async function assertInvalidGrant(application: TestApplication, token: string): Promise<void> {
  const { status, body } = await refresh(service, application, token)
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
}

const events = async (application: TestApplication, type: string) =>
  (await service.operator('GET', `/audit-events?type=${type}`)).body.items.filter(
    (event: { application_id: string }) => event.application_id === application.client_id,
  )

describe('3 refresh token', () => {
  it('valid → rotated: a new refresh token is issued, and the old access token goes on', async () => {
    const application = await registerApplication(service)
    const first = await connect(service, application)
    service.clock.forward(1800)
    const { status, body } = await refresh(service, application, first.refresh_token)
    assert.equal(status, 200)
    assert.notEqual(body.refresh_token, first.refresh_token)
    assert.equal((await userinfo(service, body.access_token)).status, 200)
    assert.equal((await userinfo(service, first.access_token)).status, 200)
    const [before, after] = [decodeJwt(first.id_token), decodeJwt(body.id_token)]
    assert.equal(after.sub, before.sub)
    assert.equal(after.auth_time, before.auth_time)
    assert.equal(after.iat, before.iat! + 1800)
  })

  it('the nonce is in the id_token of the code exchange only', async () => {
    const application = await registerApplication(service)
    const code = await openCode(service, application, { nonce: 'once' })
    const { body } = await exchange(service, application, code)
    assert.equal(decodeJwt(body.id_token).nonce, 'once')
    const next = await refresh(service, application, body.refresh_token)
    assert.equal('nonce' in decodeJwt(next.body.id_token), false)
  })

  it('rotated, again within 60 s → 400 invalid_grant, grant stays valid', async () => {
    const application = await registerApplication(service)
    const first = await connect(service, application)
    const second = await refresh(service, application, first.refresh_token)
    service.clock.forward(60)
    await assertInvalidGrant(application, first.refresh_token)
    assert.equal((await userinfo(service, second.body.access_token)).status, 200)
    assert.equal((await refresh(service, application, second.body.refresh_token)).status, 200)
    assert.equal((await events(application, 'refresh_token.replayed')).length, 0)
  })

  it('rotated, again later than 60 s → 400 invalid_grant, no token or code of the grant works, audit event', async () => {
    const application = await registerApplication(service)
    const first = await connect(service, application)
    const second = await refresh(service, application, first.refresh_token)
    const pending = await openCode(service, application)
    const others = await connect(service, application)
    service.clock.forward(30)
    const fresh = await openCode(service, application)
    service.clock.forward(30.001)

    await assertInvalidGrant(application, first.refresh_token)
    assert.equal((await userinfo(service, second.body.access_token)).status, 401)
    assert.equal((await userinfo(service, others.access_token)).status, 401)
    await assertInvalidGrant(application, second.body.refresh_token)
    await assertInvalidGrant(application, others.refresh_token)
    for (const code of [pending, fresh]) assert.equal((await exchange(service, application, code)).status, 400)

    const [event, ...more] = await events(application, 'refresh_token.replayed')
    assert.equal(more.length, 0)
    assert.equal(event.customer_id, application.customer_id)
    assert.equal(event.details.grant_id, first.grant_id)
    assert.equal((await events(application, 'grant.revoked')).length, 1)
    // The approval is untouched: the customer's next consent opens a new grant.
    assert.equal((await connect(service, application)).grant_id === first.grant_id, false)
  })

  it('many replays at once leave one event', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application)
    await refresh(service, application, refresh_token)
    service.clock.forward(61)
    await Promise.all(Array.from({ length: 10 }, () => assertInvalidGrant(application, refresh_token)))
    assert.equal((await events(application, 'refresh_token.replayed')).length, 1)
  })

  it('replay detection works to the last of its 90 days, with the expiry job running', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application)
    const second = await refresh(service, application, refresh_token)
    service.clock.forward(89 * day)
    await runJob(service.sql, expiryJob(service.context))
    await assertInvalidGrant(application, refresh_token)
    await assertInvalidGrant(application, second.body.refresh_token)
    assert.equal((await events(application, 'refresh_token.replayed')).length, 1)
  })

  it('valid → expired: 90 days elapsed; each new token lives 90 days from its own issue', async () => {
    const application = await registerApplication(service)
    const [a, b] = [await connect(service, application), await connect(service, application)]
    service.clock.forward(90 * day - 1)
    const renewed = await refresh(service, application, a.refresh_token)
    assert.equal(renewed.status, 200)
    service.clock.forward(1)
    await assertInvalidGrant(application, b.refresh_token)
    service.clock.forward(89 * day)
    assert.equal((await refresh(service, application, renewed.body.refresh_token)).status, 200)
  })

  it('an expired rotated token is expired, no replay', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application)
    const second = await refresh(service, application, refresh_token)
    service.clock.forward(80 * day)
    const third = await refresh(service, application, second.body.refresh_token)
    service.clock.forward(10 * day)
    await assertInvalidGrant(application, refresh_token)
    assert.equal((await refresh(service, application, third.body.refresh_token)).status, 200)
  })

  it('grant revoked → invalid_grant, and stays so when the application was disabled and enabled again', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application)
    await service.operator('PATCH', `/applications/${application.client_id}`, { enabled: false })
    await service.operator('PATCH', `/applications/${application.client_id}`, { enabled: true })
    await assertInvalidGrant(application, refresh_token)
  })

  it('one of 64 simultaneous refreshes wins', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application)
    const replies = await Promise.all(Array.from({ length: 64 }, () => refresh(service, application, refresh_token)))
    const won = replies.filter(({ status }) => status === 200)
    assert.equal(won.length, 1)
    const rows = await service.sql`
      select 1 from refresh_tokens t join grants g on g.id = t.grant_id where g.client_id = ${application.client_id}`
    assert.equal(rows.length, 1, 'no token was stored for those who lost')
  })
})

describe('4.2 refresh with scope', () => {
  it('may narrow; the next refresh has all of it again (RFC 6749 section 6)', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application)
    const narrow = await refresh(service, application, refresh_token, 'openid email')
    assert.equal(narrow.body.scope, 'openid email')
    const { body } = await userinfo(service, narrow.body.access_token)
    assert.equal('name' in body, false)
    assert.equal(body.email, application.email)
    const wide = await refresh(service, application, narrow.body.refresh_token)
    assert.equal(wide.body.scope, 'openid profile email')
  })

  it('may not widen: 400 invalid_scope, and the token stays valid', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application, 'openid')
    const { status, body } = await refresh(service, application, refresh_token, 'openid profile')
    assert.deepEqual([status, body.error], [400, 'invalid_scope'])
    assert.equal((await refresh(service, application, refresh_token)).status, 200)
  })

  it('without openid there is no id_token', async () => {
    const application = await registerApplication(service)
    const { refresh_token } = await connect(service, application)
    assert.equal('id_token' in (await refresh(service, application, refresh_token, 'email')).body, false)
  })
})
