// OpenID's config plan, and of the dynamic plan what applies to registered applications: key rotation. Each test is titled with
// the module it covers.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { registerApplication } from '../support/applications.ts'
import { startHarness } from '../support/harness.ts'
import { Flow, issuer } from './flow.ts'

const service = await startHarness()
const flow = new Flow(service, await registerApplication(service))

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
    const before = await flow.signIn()
    await service.operator('POST', '/signing-keys', { alg: 'RS256' })
    service.clock.forward(300)
    const after = await flow.signIn()
    assert.notEqual(decodeProtectedHeader(after.id_token).kid, decodeProtectedHeader(before.id_token).kid)
    const keys = createLocalJWKSet((await service.app.inject('/oauth/.well-known/jwks.json')).json())
    await jwtVerify(before.id_token, keys, { currentDate: service.clock.now() })
  })
})
