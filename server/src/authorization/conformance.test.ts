// The modules of the OpenID Foundation's conformance suite that apply to a code + PKCE provider with registered clients:
// the basic and config plans, and key rotation of the dynamic one. Each test is titled with the module it covers.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import {
  exchange,
  nextAddress,
  postForm,
  refresh,
  registerApplication,
  type TestApplication,
  userinfo,
} from '../../../test/support/applications.ts'
import { authorizePath, readConsent, type Walk, walkToCode, walkToConsent } from '../../../test/support/consent.ts'
import { Browser } from '../../../test/support/form-browser.ts'
import { startHarness } from '../../../test/support/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)
const issuer = 'http://landbridge.test'

async function keySet() {
  return createLocalJWKSet((await service.app.inject('/oauth/.well-known/jwks.json')).json())
}

/** The whole flow, and every check the suite makes of any id_token. */
async function signIn(walk: Walk = {}, by: TestApplication = application) {
  const code = await walkToCode(service, by, walk)
  const reply = await exchange(service, by, { ...code, grant_id: '' })
  assert.equal(reply.status, 200, reply.raw)
  const { access_token, id_token, refresh_token } = reply.body
  const { payload } = await jwtVerify(id_token, await keySet(), {
    ...{ issuer, audience: by.client_id, currentDate: service.clock.now(), requiredClaims: ['sub', 'iat', 'exp'] },
  })
  assert.ok(String(payload.sub).length <= 255)
  assert.equal(payload.at_hash, hash('sha256', access_token, 'buffer').subarray(0, 16).toString('base64url'))
  return { code, claims: payload, access_token, id_token, refresh_token }
}

/** Where the authorization endpoint sends the browser, without a person. */
async function redirectOf(browser: Browser, parameters: Record<string, string | undefined>) {
  const visit = await browser.follow(new URL(authorizePath(application, parameters), issuer).href)
  assert.ok(visit.location, `no redirect: ${visit.status} ${visit.body}`)
  return new URL(visit.location)
}

describe('OpenID conformance: basic plan', () => {
  it('oidcc-server', async () => {
    const { claims } = await signIn({ parameters: { nonce: 'a nonce' } })
    assert.equal(claims.nonce, 'a nonce')
  })

  it('oidcc-response-type-missing', async () => {
    const redirect = await redirectOf(new Browser(service), { response_type: undefined })
    assert.equal(redirect.searchParams.get('error'), 'invalid_request')
    assert.equal(redirect.searchParams.get('state'), 'state of the client')
  })

  it('oidcc-idtoken-signature, oidcc-idtoken-rs256', async () => {
    const { id_token } = await signIn()
    const header = decodeProtectedHeader(id_token)
    assert.equal(header.alg, 'RS256')
    assert.ok(header.kid)
  })

  it('oidcc-userinfo-get', async () => {
    const { access_token, claims } = await signIn()
    const { status, body, headers } = await userinfo(service, access_token)
    assert.equal(status, 200)
    assert.equal(body.sub, claims.sub)
    assert.match(String(headers['content-type']), /^application\/json/)
  })

  it('oidcc-userinfo-post-header', async () => {
    const { access_token, claims } = await signIn()
    const reply = await postForm(service, '/oauth/userinfo', {}, { authorization: `Bearer ${access_token}` })
    assert.equal(reply.body.sub, claims.sub)
  })

  it('oidcc-userinfo-post-body: not offered, the header alone counts (4.4), and the refusal is a proper one', async () => {
    const { access_token } = await signIn()
    const reply = await postForm(service, '/oauth/userinfo', { access_token })
    assert.equal(reply.status, 401)
    assert.equal(reply.headers['www-authenticate'], 'Bearer error="invalid_token"')
  })

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    assert.equal('nonce' in (await signIn({ parameters: { nonce: undefined } })).claims, false)
  })

  for (const [module, scope, present, absent] of [
    ['oidcc-scope-profile', 'openid profile', 'name', 'email'],
    ['oidcc-scope-email', 'openid email', 'email', 'name'],
    ['oidcc-scope-all', 'openid profile email', 'email', 'address'],
    ['oidcc-ensure-other-scope-order-succeeds', 'email openid', 'email', 'name'],
  ] as const) {
    it(module, async () => {
      const { access_token } = await signIn({ parameters: { scope } })
      const { body } = await userinfo(service, access_token)
      assert.equal(present in body, true)
      assert.equal(absent in body, false)
    })
  }

  for (const [module, scope] of [
    ['oidcc-scope-address', 'openid address'],
    ['oidcc-scope-phone', 'openid phone'],
  ] as const) {
    it(`${module}: refused, as discovery says (2.2)`, async () => {
      const redirect = await redirectOf(new Browser(service), { scope })
      assert.equal(redirect.searchParams.get('error'), 'invalid_scope')
    })
  }

  for (const [module, parameters] of [
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'ada@example.com' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }],
    ['oidcc-ensure-request-with-valid-pkce-succeeds', {}],
  ] as [string, Record<string, string>][]) {
    it(module, async () => {
      assert.equal((await signIn({ parameters })).claims.sub, application.user_id)
    })
  }

  it('oidcc-prompt-login: signs in again, and auth_time moves on', async () => {
    const browser = new Browser(service, { address: nextAddress() })
    const first = await signIn({ browser })
    service.clock.forward(5)
    const { page } = await walkToConsent(
      service,
      { ...application, email: 'nobody@example.com' },
      {
        browser,
        parameters: { prompt: 'login' },
      },
    )
    assert.equal(readConsent(page).request, '', 'no consent without signing in')
    const second = await signIn({ browser, parameters: { prompt: 'login' } })
    assert.ok(Number(second.claims.auth_time) > Number(first.claims.auth_time))
    assert.equal(second.claims.sub, first.claims.sub)
  })

  it('oidcc-prompt-none-not-logged-in', async () => {
    const redirect = await redirectOf(new Browser(service, { address: nextAddress() }), { prompt: 'none' })
    assert.equal(redirect.searchParams.get('error'), 'login_required')
  })

  it('oidcc-prompt-none-logged-in', async () => {
    const browser = new Browser(service, { address: nextAddress() })
    const first = await signIn({ browser })
    service.clock.forward(5)
    const redirect = await redirectOf(browser, { prompt: 'none' })
    assert.ok(redirect.searchParams.get('code'), redirect.href)
    assert.equal(redirect.searchParams.get('state'), 'state of the client')
    // The same sign-in as before: auth_time and sub must not have moved.
    const [row] = await service.sql`select auth_time from authorization_codes order by expires_at desc limit 1`
    assert.equal(row!.auth_time.getTime() / 1000, first.claims.auth_time)
  })

  it('oidcc-max-age-1: an older sign-in is not enough', async () => {
    const browser = new Browser(service, { address: nextAddress() })
    const first = await signIn({ browser })
    service.clock.forward(5)
    const second = await signIn({ browser, parameters: { max_age: '1' } })
    assert.ok(Number(second.claims.auth_time) > Number(first.claims.auth_time))
  })

  it('oidcc-max-age-10000: a recent one is', async () => {
    const browser = new Browser(service, { address: nextAddress() })
    const first = await signIn({ browser })
    service.clock.forward(5)
    const second = await signIn({ browser, parameters: { max_age: '10000' } })
    assert.equal(second.claims.auth_time, first.claims.auth_time)
  })

  it('oidcc-codereuse', async () => {
    const { code } = await signIn()
    const again = await exchange(service, application, { ...code, grant_id: '' })
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  })

  it('oidcc-codereuse-30seconds', async () => {
    const { code } = await signIn()
    service.clock.forward(30)
    const again = await exchange(service, application, { ...code, grant_id: '' })
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  })

  it('oidcc-ensure-registered-redirect-uri: an error page, no redirect', async () => {
    const redirect_uri = `${application.redirect_uri}/other`
    const visit = await new Browser(service).get(new URL(authorizePath(application, { redirect_uri }), issuer).href)
    assert.equal(visit.status, 400)
    assert.equal(visit.location, undefined)
  })

  it('oidcc-ensure-post-request-succeeds', async () => {
    const form = Object.fromEntries(new URL(authorizePath(application), issuer).searchParams)
    const visit = await new Browser(service, { address: nextAddress() }).post('/oauth/authorize', form)
    assert.equal(visit.status, 303)
    assert.equal(new URL(visit.location!).searchParams.has('error'), false)
  })

  it('oidcc-server-client-secret-post, and client_secret_basic', async () => {
    const { client_id, client_secret } = application
    const { code, code_verifier, redirect_uri } = await walkToCode(service, application)
    const fields = { grant_type: 'authorization_code', code, code_verifier, redirect_uri }
    const basic = { authorization: `Basic ${btoa(`${client_id}:${client_secret}`)}` }
    assert.equal((await postForm(service, '/oauth/token', fields, basic)).status, 200)
    await signIn()
  })

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const document = (await service.app.inject('/.well-known/openid-configuration')).json()
    assert.equal(document.request_parameter_supported, false)
    const request = `${btoa('{"alg":"none"}')}.${btoa('{"redirect_uri":"https://evil.example"}')}.`
    const redirect = await redirectOf(new Browser(service), { request })
    assert.equal(redirect.searchParams.get('error'), 'request_not_supported')
    assert.equal(redirect.origin, new URL(application.redirect_uri).origin)
  })

  it('oidcc-refresh-token', async () => {
    const first = await signIn()
    const { body } = await refresh(service, application, first.refresh_token)
    const claims = decodeJwt(body.id_token)
    for (const name of ['iss', 'sub', 'aud', 'auth_time'] as const) assert.deepEqual(claims[name], first.claims[name])
    assert.equal((await userinfo(service, body.access_token)).body.sub, first.claims.sub)
  })

  it('oidcc-refresh-token of another client is refused', async () => {
    const other = await registerApplication(service)
    const { refresh_token } = await signIn()
    assert.equal((await refresh(service, other, refresh_token)).body.error, 'invalid_grant')
  })
})

describe('OpenID conformance: config plan', () => {
  it('oidcc-discovery-endpoint-verification', async () => {
    const response = await service.app.inject('/.well-known/openid-configuration')
    assert.match(String(response.headers['content-type']), /^application\/json/)
    const document = response.json()
    assert.equal(document.issuer, issuer)
    for (const name of ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
      assert.equal(new URL(document[name]).origin, issuer)
    }
    assert.ok(document.response_types_supported.includes('code'))
    assert.ok(document.subject_types_supported.includes('public'))
    assert.ok(document.id_token_signing_alg_values_supported.includes('RS256'))
    assert.ok(document.scopes_supported.includes('openid'))
    assert.ok(document.claims_supported.includes('sub'))
    assert.ok(document.token_endpoint_auth_methods_supported.includes('client_secret_basic'))
    assert.deepEqual(document.code_challenge_methods_supported, ['S256'])
  })

  it('oidcc-discovery-jwks: unique kids, no private part, an alg and a use for each', async () => {
    const { keys } = (await service.app.inject('/oauth/.well-known/jwks.json')).json()
    assert.equal(new Set(keys.map(({ kid }: { kid: string }) => kid)).size, keys.length)
    for (const key of keys) {
      assert.equal('d' in key, false)
      assert.equal(key.use, 'sig')
      assert.ok(['RS256', 'ES256'].includes(key.alg))
    }
  })
})

describe('OpenID conformance: dynamic plan, what applies', () => {
  it('oidcc-server-rotate-keys: a new kid, and both id_tokens verify', async () => {
    const before = await signIn()
    await service.operator('POST', '/signing-keys', { alg: 'RS256' })
    service.clock.forward(300)
    const after = await signIn()
    assert.notEqual(decodeProtectedHeader(after.id_token).kid, decodeProtectedHeader(before.id_token).kid)
    await jwtVerify(before.id_token, await keySet(), { currentDate: service.clock.now() })
  })
})
