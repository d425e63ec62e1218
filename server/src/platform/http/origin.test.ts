import assert from 'node:assert/strict'
import { it } from 'node:test'
import { cookieHostOf, hostOf, isOwnOrigin, isPublicHost, requireOwnOrigin, schemeOf } from './origin.ts'

const publicUrl = 'https://landbridge.test'

for (const [title, taken, host, headers] of [
  ['its own origin', true, 'acme.test', { origin: 'https://acme.test' }],
  ['its own origin, the default port spelled out', true, 'acme.test:443', { origin: 'https://acme.test' }],
  ['a port in both', true, 'acme.test:8443', { origin: 'https://acme.test:8443' }],
  ['the browser vouches', true, 'acme.test', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ['another host', false, 'acme.test', { origin: 'https://evil.test' }],
  ['a subdomain', false, 'acme.test', { origin: 'https://a.acme.test' }],
  ['another port', false, 'acme.test', { origin: 'https://acme.test:8443' }],
  ['another scheme', false, 'acme.test', { origin: 'http://acme.test' }],
  ['a hidden origin', false, 'acme.test', { origin: 'null' }],
  ['same site is not same origin', false, 'acme.test', { 'sec-fetch-site': 'same-site' }],
  ['neither header', false, 'acme.test', {}],
  ['a host that is no host', false, '@:/', { origin: 'https://acme.test' }],
] as const) {
  it(`decision 10.2: a change with a cookie, ${title}: ${taken ? 'accepted' : 'refused'}`, () => {
    assert.equal(isOwnOrigin(publicUrl, { host, headers }), taken)
  })
}

it('decision 10.2: what is refused says why', () => {
  requireOwnOrigin(publicUrl, { host: 'acme.test', headers: { origin: 'https://acme.test' } })
  const refusal = { status: 403, code: 'foreign_origin', message: /Origin must be the site itself/ }
  assert.throws(() => requireOwnOrigin(publicUrl, { host: 'acme.test', headers: {} }), refusal)
})

it('hosts have one form, by the scheme of the public address', () => {
  assert.deepEqual([schemeOf(publicUrl), schemeOf('http://a.test')], ['https:', 'http:'])
  assert.equal(hostOf(publicUrl, 'ACME.test:443'), 'acme.test')
  assert.equal(hostOf('http://a.test', 'ACME.test:443'), 'acme.test:443')
  assert.equal(hostOf(publicUrl, '@:/'), null)
  assert.equal(isPublicHost(publicUrl, 'Landbridge.test:443'), true)
  assert.equal(isPublicHost(publicUrl, 'acme.test'), false)
  assert.equal(cookieHostOf(publicUrl, 'acme.test:8443'), 'acme.test')
  assert.equal(cookieHostOf(publicUrl, '@:/'), null)
})
