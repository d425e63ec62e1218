import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { credentialsOf, nextAddress, registerApplication } from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)

type Ask = (address: string) => Promise<{ statusCode: number; body: string; headers: object }>

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const inject = (method: 'GET' | 'POST', url: string): Ask => {
  return (remoteAddress) =>
    service.app.inject({ method, url, remoteAddress, ...(method === 'POST' ? { headers: form, payload: 'a=b' } : {}) })
}

function assertTooMany(response: Awaited<ReturnType<Ask>>): void {
  assert.equal(response.statusCode, 429)
  assert.equal(response.body, '{"error":"Too many requests"}')
  const names = Object.keys(response.headers)
  assert.equal(names.includes('retry-after'), false)
  assert.equal(names.includes('www-authenticate'), false)
  assert.equal(
    names.some((name) => name.startsWith('x-ratelimit')),
    false,
  )
}

const endpoints: [section: string, title: string, max: number, ask: Ask][] = [
  ['7.3', 'token endpoint', 60, inject('POST', '/oauth/token')],
  ['7.4', 'revocation endpoint', 60, inject('POST', '/oauth/revoke')],
  ['7.5', 'userinfo', 120, inject('GET', '/oauth/userinfo')],
  ['7.6', 'discovery', 120, inject('GET', '/.well-known/openid-configuration')],
  ['7.6', 'JWKS', 120, inject('GET', '/oauth/.well-known/jwks.json')],
]

for (const [section, title, max, ask] of endpoints) {
  describe(`8 ${title}: ${max} requests per minute per IP address`, () => {
    it(`${section} request ${max + 1} → 429, the body to the byte, no Retry-After; another address is served`, async () => {
      const address = nextAddress()
      for (let n = 0; n < max; n += 1) assert.notEqual((await ask(address)).statusCode, 429)
      assertTooMany(await ask(address))
      assert.notEqual((await ask(nextAddress())).statusCode, 429)
    })

    it('the window of 60 s starts at the first request, and refused requests count', async () => {
      const address = nextAddress()
      await ask(address)
      service.clock.forward(59)
      for (let n = 1; n < max; n += 1) await ask(address)
      for (let n = 0; n < 5; n += 1) assertTooMany(await ask(address))
      service.clock.forward(1)
      assert.notEqual((await ask(address)).statusCode, 429)
    })
  })
}

describe('8 limits are counted apart', () => {
  it('discovery and JWKS each have their own 120', async () => {
    const address = nextAddress()
    for (let n = 0; n < 121; n += 1) await inject('GET', '/.well-known/openid-configuration')(address)
    assert.equal((await inject('GET', '/oauth/.well-known/jwks.json')(address)).statusCode, 200)
  })

  it('userinfo by GET and by POST is one limit', async () => {
    const address = nextAddress()
    for (let n = 0; n < 60; n += 1) {
      await inject('GET', '/oauth/userinfo')(address)
      await inject('POST', '/oauth/userinfo')(address)
    }
    assertTooMany(await inject('GET', '/oauth/userinfo')(address))
  })

  it('an IPv6 address counts with its whole /64', async () => {
    const ask = inject('POST', '/oauth/token')
    for (let n = 0; n < 60; n += 1) await ask(`2001:db8:7:7::${n.toString(16)}`)
    assertTooMany(await ask('2001:db8:7:7:ffff::1'))
    assert.notEqual((await ask('2001:db8:7:8::1')).statusCode, 429)
  })

  it('without trusted proxies X-Forwarded-For is ignored', async () => {
    const remoteAddress = nextAddress()
    const ask = (n: number) =>
      service.app.inject({
        method: 'POST',
        url: '/oauth/token',
        remoteAddress,
        headers: { ...form, 'x-forwarded-for': `203.0.113.${n}` },
        payload: 'a=b',
      })
    for (let n = 0; n < 60; n += 1) await ask(n)
    assertTooMany(await ask(200))
  })
})

describe('8 token endpoint: 300 requests per minute per client_id', () => {
  const ask = (credentials: { client_id: string; client_secret: string }) =>
    service.app.inject({
      method: 'POST',
      url: '/oauth/token',
      remoteAddress: nextAddress(),
      headers: form,
      payload: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', ...credentials }).toString(),
    })

  it('7.3 request 301 → 429, from whichever address; another client is served', async () => {
    const other = await registerApplication(service)
    for (let n = 0; n < 300; n += 1) assert.equal((await ask(credentialsOf(other))).statusCode, 400)
    assertTooMany(await ask(credentialsOf(other)))
    assert.equal((await ask(credentialsOf(application))).statusCode, 400)
  })

  it('only a caller with the secret can use up a client’s limit', async () => {
    const { client_id } = application
    for (let n = 0; n < 301; n += 1) await ask({ client_id, client_secret: 'wrong' })
    assert.equal((await ask(credentialsOf(application))).statusCode, 400)
  })
})
