// Nothing that can be sent to a page makes it fail, and nothing comes back as markup.
import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { registerApplication } from './support/applications.ts'
import { authorizePath, readConsent, walkToConsent } from './support/consent.ts'
import { fuzzSeed } from './support/fuzz-seed.ts'
import { startHarness } from './support/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)
const { browser, page } = await walkToConsent(service, application)
const { request } = readConsent(page)
// Neither the session nor the request is used up by what is sent: every run meets both alive.
const right = Object.fromEntries(new URL(authorizePath(application), 'http://x').searchParams)

const nasty = fc.constantFrom(
  '',
  '\0',
  '%',
  '%ff',
  '<script>x</script>',
  '"><i>',
  '\r\nx: y',
  '💥'.repeat(600),
  'a'.repeat(5_000),
)
const text = fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 60 }))
const names = [
  ...Object.keys(right),
  'nonce',
  'prompt',
  'max_age',
  'login_hint',
  'request',
  'request_uri',
  'x',
  'account',
  'again',
]
const own = ['email', 'password', 'return_to', 'customer_id', 'decision', 'name', 'new_password', 'repeated_password']
const name = fc.oneof(fc.constantFrom(...names, ...own), fc.string({ maxLength: 10 }))
const known = Object.entries({ ...right, request, customer_id: application.customer_id })
const pairs = fc.tuple(fc.subarray(known), fc.array(fc.tuple(name, text), { maxLength: 6 }))
const paths = ['/oauth/authorize', '/sign-in', '/consent', '/account', '/account/password', '/link/lbo_x']

it('decision 10.2: no query and no form makes a page fail, redirects elsewhere, or reflects markup', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...paths),
    fc.constantFrom('GET' as const, 'POST' as const),
    pairs,
    async (path, method, [fixed, random]) => {
      const query = [...fixed, ...random].map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const response = await service.app.inject({
        method,
        url: method === 'GET' ? `${path}?${query}` : path,
        headers: { ...browser.headers, ...(method === 'POST' ? form : {}) },
        ...(method === 'POST' ? { payload: query } : {}),
      })
      assert.ok(response.statusCode < 500, `${method} ${path}?${query} → ${response.statusCode} ${response.body}`)
      assert.ok(!/<script|<i>/.test(response.body), `${method} ${path}?${query}`)
      const { location } = response.headers
      if (location)
        assert.match(location, /^(\/(?![/\\])|http:\/\/acme\.test\/|https:\/\/app\.example\.com\/callback\?)/)
    },
  )
  await fc.assert(property, { numRuns: 1_500, seed: fuzzSeed })
  // With a session or a request that had ended on the way, the rest would have shown nothing.
  assert.equal((await browser.get('/account')).status, 200)
  assert.equal(readConsent(await browser.get(`/consent?request=${encodeURIComponent(request)}`)).request, request)
})

/** What is half encoded already stays so: a lone `%` or a broken byte must reach the parser as such. */
function encode(value: string): string {
  return /^%/.test(value) ? value : encodeURIComponent(value.toWellFormed())
}
