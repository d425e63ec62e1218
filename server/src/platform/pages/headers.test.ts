import assert from 'node:assert/strict'
import { it } from 'node:test'
import { contentSecurityPolicy, isolatedFromOpener, pageHeaders } from './headers.ts'

const policy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

it('decision 10.3: a page has no script, no frame around it, no copy in a cache and no powers', () => {
  assert.deepEqual(pageHeaders(), {
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  })
  assert.deepEqual(isolatedFromOpener, { 'cross-origin-opener-policy': 'same-origin' })
})

it('a page may widen or leave out a directive', () => {
  assert.equal(contentSecurityPolicy({ 'script-src': "'self'" }), `${policy}; script-src 'self'`)
  assert.equal(contentSecurityPolicy({ 'form-action': null }), policy.replace(" form-action 'self';", ''))
})
