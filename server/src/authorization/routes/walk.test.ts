import assert from 'node:assert/strict'
import { it } from 'node:test'
import { exchange, registerApplication, userinfo } from '../../../../test/support/applications.ts'
import { walkToCode } from '../../../../test/support/consent.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()

it('4.1 authorize → sign in → consent → code → tokens → userinfo, without JavaScript', async () => {
  const application = await registerApplication(service)
  const code = await walkToCode(service, application, { parameters: { state: 'a b&c=ä"', nonce: 'n-1' } })
  assert.equal(code.state, 'a b&c=ä"')
  assert.equal(code.iss, 'http://landbridge.test')
  const tokens = await exchange(service, application, { ...code, grant_id: '' })
  assert.equal(tokens.status, 200, tokens.raw)
  const claims = await userinfo(service, tokens.body.access_token)
  assert.equal(claims.body.email, application.email)
  assert.equal(claims.body.org_id, application.customer_id)
})
