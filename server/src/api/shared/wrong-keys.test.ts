import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextAddress } from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { mintSecret } from '../../platform/secrets/secrets.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const events = async () =>
  (await service.sql`select details from audit_events where type = 'key.guessing_limited'`).map(
    ({ details }) => details,
  )

describe('decision 10.22: wrong keys of one address are limited', () => {
  for (const path of ['/core/v1/operator/partners', '/core/v1/organization/info', '/core/v1/partner/info']) {
    it(`${path}: 60 per minute are 401, more are 429 with Retry-After and one audit event`, async () => {
      const remoteAddress = nextAddress()
      const before = (await events()).length
      const send = () =>
        service.app.inject({ url: path, headers: { authorization: mintSecret('api_key') }, remoteAddress })
      const replies = await Promise.all(Array.from({ length: 70 }, send))
      const refused = replies.filter(({ statusCode }) => statusCode === 429)
      assert.equal(replies.filter(({ statusCode }) => statusCode === 401).length, 60)
      assert.equal(refused.length, 10)
      assert.equal(refused[0]!.headers['retry-after'], '60')
      assert.equal(refused[0]!.json().code, 'too_many_attempts')
      const after = await events()
      assert.equal(after.length, before + 1)
      assert.equal(after.filter(({ address }) => address === remoteAddress).length, 1)
    })
  }

  it('a right key from the same address still works', async () => {
    const remoteAddress = nextAddress()
    const url = '/core/v1/organization/info'
    const send = (authorization: string) => service.app.inject({ url, headers: { authorization }, remoteAddress })
    await Promise.all(Array.from({ length: 70 }, () => send('wrong')))
    assert.equal((await send('wrong')).statusCode, 429)
    assert.equal((await send(organization.headers.api_key!.authorization!)).statusCode, 200)
  })
})
