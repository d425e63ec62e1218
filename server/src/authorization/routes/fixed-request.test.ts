// CVE-2026-7571: what an application asked for stands on the server; nothing of it is taken again from the browser.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exchange, registerApplication } from '../../../../test/support/applications.ts'
import { readConsent, walkToConsent } from '../../../../test/support/consent.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)
const other = await registerApplication(service)
const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

const foreign = {
  client_id: other.client_id,
  redirect_uri: 'https://evil.example/callback',
  scope: 'openid',
  state: 'of the attacker',
  nonce: 'of the attacker',
  code_challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  code_challenge_method: 'S256',
  response_mode: 'fragment',
  prompt: 'none',
  user_id: other.user_id,
}

describe('CVE-2026-7571: parameters changed between sign-in and consent', () => {
  it('in the address of the consent screen: it shows the same request', async () => {
    const { browser, page } = await walkToConsent(service, application)
    const { request } = readConsent(page)
    const changed = await browser.get(`/consent?${new URLSearchParams({ request, ...foreign })}`)
    assert.equal(changed.status, 200)
    assert.equal(readConsent(changed).request, request)
    assert.doesNotMatch(changed.body, /evil\.example|of the attacker/)
  })

  it('in the form: code, state and address are those of the application', async () => {
    const { browser, page } = await walkToConsent(service, application)
    const { request, customer_ids } = readConsent(page)
    const form = { ...foreign, request, customer_id: customer_ids[0]!, decision: 'approve' }
    const { status, location } = await browser.post('/consent', form)
    assert.equal(status, 303)
    const redirect = new URL(location!)
    assert.equal(`${redirect.origin}${redirect.pathname}`, application.redirect_uri)
    assert.equal(redirect.searchParams.get('state'), 'state of the client')
    assert.equal(redirect.hash, '')
    const code = redirect.searchParams.get('code')!
    const { redirect_uri } = application
    const stolen = await exchange(service, other, { code, code_verifier, redirect_uri, grant_id: '' })
    assert.equal(stolen.status, 400, 'no code for the application that the form named')
  })

  it('and its code is for the challenge and the scope of before', async () => {
    const { browser, page } = await walkToConsent(service, application)
    const { request, customer_ids } = readConsent(page)
    const form = { ...foreign, request, customer_id: customer_ids[0]!, decision: 'approve' }
    const { location } = await browser.post('/consent', form)
    const code = new URL(location!).searchParams.get('code')!
    const { redirect_uri } = application
    const { status, body } = await exchange(service, application, { code, code_verifier, redirect_uri, grant_id: '' })
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(body.scope ?? 'openid profile email', /profile/)
    const claims = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString())
    assert.deepEqual([claims.sub !== other.user_id, claims.nonce], [true, undefined])
  })

  it('the request of one person is not decided by another who is signed in', async () => {
    const { page } = await walkToConsent(service, application)
    const { request, customer_ids } = readConsent(page)
    const stranger = await walkToConsent(service, other)
    const form = { request, customer_id: customer_ids[0]!, decision: 'approve' }
    const { location, status } = await stranger.browser.post('/consent', form)
    assert.ok(status >= 400 && !location, `${status} ${location}`)
  })
})
