import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTenant } from '../../../../test/support/api-world.ts'
import { connect, nextAddress } from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { until } from '../../../../test/support/until.ts'

const service = await startHarness({ LANDBRIDGE_RATES: 'organization=50,partner=50,credential=40' })
const second = await startHarness({ LANDBRIDGE_RATES: 'organization=50,partner=50,credential=40' }, { beside: service })

type Headers = Record<string, string>
const call = (headers: Headers, path = '/organization/groups', { app } = service) =>
  app.inject({ url: `/core/v1${path}`, headers, remoteAddress: nextAddress() })

const nextMinute = () => service.clock.forward(60)

describe('decision 10.23: calls per credential and per organization', () => {
  it('every response says what is left, in the fields of the IETF draft', async () => {
    const { headers } = await createOrganization(service)
    nextMinute()
    const first = await call(headers.bearer)
    assert.equal(first.statusCode, 200)
    assert.equal(first.headers['ratelimit-policy'], '"organization";q=50;w=60,"credential";q=40;w=60')
    assert.equal(first.headers.ratelimit, '"organization";r=49;t=60,"credential";r=39;t=60')
    service.clock.forward(20.5)
    const missing = await call(headers.bearer, '/organization/groups/none')
    assert.equal(missing.statusCode, 404)
    assert.equal(missing.headers.ratelimit, '"organization";r=48;t=40,"credential";r=38;t=40')
  })

  it('a credential beyond its rate → 429 with Retry-After, from whatever address, until the minute is over; others go on', async () => {
    const { headers } = await createOrganization(service)
    nextMinute()
    const replies = []
    for (let n = 0; n < 43; n += 1) replies.push(await call(headers.bearer))
    assert.deepEqual(replies.map(({ statusCode }) => statusCode).filter((status) => status === 200).length, 40)
    service.clock.forward(13)
    const refused = await call(headers.bearer)
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.headers['retry-after'], '47')
    assert.equal(refused.headers.ratelimit, '"credential";r=0;t=47')
    assert.deepEqual(refused.json(), {
      error: 'This application made more than 40 calls in a minute. Try again in 47 s.',
      code: 'too_many_requests',
    })
    assert.equal((await call(headers.api_key)).statusCode, 200)
    nextMinute()
    assert.equal((await call(headers.bearer)).statusCode, 200)
  })

  it('another token of the same application has no budget of its own', async () => {
    const { application, headers } = await createOrganization(service)
    nextMinute()
    for (let n = 0; n < 41; n += 1) await call(headers.bearer)
    const { access_token } = await connect(service, application)
    assert.equal((await call({ authorization: `Bearer ${access_token}` })).statusCode, 429)
  })

  it('all callers of an organization together beyond its rate → 429; a person who is signed in has a reserve', async () => {
    const { headers } = await createOrganization(service)
    nextMinute()
    for (let n = 0; n < 30; n += 1) assert.equal((await call(headers.bearer)).statusCode, 200)
    for (let n = 0; n < 20; n += 1) assert.equal((await call(headers.api_key)).statusCode, 200)
    for (const credential of ['bearer', 'api_key'] as const) {
      const refused = await call(headers[credential])
      assert.equal(refused.statusCode, 429)
      assert.match(refused.json().error, /^The callers of this organization together made more than 50 calls/)
    }
    assert.equal((await call(headers.session)).statusCode, 200)
  })

  it('a partner has the same, and other organizations do not notice', async () => {
    const { credentials } = await createTenant(service)
    const other = await createOrganization(service)
    nextMinute()
    const statuses = []
    for (let n = 0; n < 45; n += 1)
      statuses.push((await call(credentials.partner.partnerKey!, '/partner/info')).statusCode)
    assert.deepEqual([statuses.indexOf(429), statuses.lastIndexOf(200)], [40, 39])
    const person = await call(credentials.partner.session!, '/partner/info')
    assert.equal(person.statusCode, 200)
    assert.match(String(person.headers['ratelimit-policy']), /^"partner";q=50;w=60,/)
    assert.equal((await call(other.headers.bearer)).statusCode, 200)
  })

  it('401 has the headers of 7.7 and no others: who is not known is not counted', async () => {
    const { headers, raw } = await call({ authorization: 'Bearer none' }).then((response) => ({
      headers: response.headers,
      raw: response.body,
    }))
    assert.equal(raw, '{"error":"Not authorized"}')
    assert.equal(headers['www-authenticate'], 'Bearer error="invalid_token"')
    assert.ok(!('ratelimit' in headers) && !('ratelimit-policy' in headers))
  })

  it('what is counted per address has none of these headers: userinfo, discovery, health', async () => {
    const { headers } = await createOrganization(service)
    for (const url of ['/oauth/userinfo', '/.well-known/openid-configuration', '/healthz']) {
      const response = await service.app.inject({ url, headers: headers.bearer })
      assert.equal(response.statusCode, 200, url)
      assert.ok(!('ratelimit' in response.headers), url)
    }
  })

  it('a refused application is in its partner’s integration log once per minute, not once per call', async () => {
    const { application, headers } = await createOrganization(service)
    nextMinute()
    for (let n = 0; n < 60; n += 1) await call(headers.bearer)
    const rows = () =>
      service.sql`select 1 from integration_failures where application_id = ${application.client_id} and error = 'too_many_requests'`
    await until(async () => (await rows()).length > 0)
    assert.equal((await rows()).length, 1)
    const [reached] = await service.sql`
      select name, max, caller_id, refused_at is not null as refused from limits_reached
      where tenant_id = ${application.customer_id} and name = 'credential'`
    assert.deepEqual(reached, { name: 'credential', max: 40, caller_id: application.client_id, refused: true })
  })

  it('test events of a webhook: 60 per minute, more are 429 with Retry-After', async () => {
    const patient = await startHarness({}, { beside: service })
    const { credentials, ids } = await createTenant(patient)
    nextMinute()
    const url = `/core/v1/partner/webhooks/${ids.partner.webhooks}/test`
    const send = () => patient.app.inject({ method: 'POST', url, headers: credentials.partner.partnerKey! })
    const replies = await Promise.all(Array.from({ length: 62 }, send))
    assert.equal(replies.filter(({ statusCode }) => statusCode === 201 || statusCode === 202).length, 60)
    const refused = replies.filter(({ statusCode }) => statusCode === 429)
    assert.equal(refused.length, 2)
    assert.equal(refused[0]!.headers['retry-after'], '60')
  })

  it('without a count from Postgres, calls pass', async () => {
    const { headers } = await createOrganization(service)
    nextMinute()
    const { takeMany } = second.context.limits
    second.context.limits.takeMany = () => Promise.reject(new Error('unreachable'))
    try {
      for (let n = 0; n < 45; n += 1)
        assert.equal((await call(headers.bearer, '/organization/groups', second)).statusCode, 200)
    } finally {
      second.context.limits.takeMany = takeMany
    }
  })
})
