import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()

describe('4.5 discovery and key set', () => {
  it('the issuer is the public address, whatever the Host header says', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const response = await service.app.inject({ url: '/.well-known/openid-configuration', headers })
    const document = response.json()
    assert.equal(document.issuer, 'http://landbridge.test')
    assert.equal(response.body.includes('evil'), false)
  })

  it('every endpoint in the discovery document responds', async () => {
    const document = (await service.app.inject('/.well-known/openid-configuration')).json()
    const statuses: Record<string, number> = {}
    for (const name of ['token_endpoint', 'revocation_endpoint', 'userinfo_endpoint', 'jwks_uri']) {
      const method = name === 'jwks_uri' ? 'GET' : 'POST'
      statuses[name] = (await service.app.inject({ method, url: new URL(document[name]).pathname })).statusCode
    }
    const expected = { token_endpoint: 400, revocation_endpoint: 400, userinfo_endpoint: 401, jwks_uri: 200 }
    assert.deepEqual(statuses, expected)
  })

  it('RFC 8414 gives the same document', async () => {
    const [oidc, oauth] = await Promise.all([
      service.app.inject('/.well-known/openid-configuration'),
      service.app.inject('/.well-known/oauth-authorization-server'),
    ])
    assert.equal(oauth.body, oidc.body)
  })

  it('the key set holds public keys only, one of each kind on an empty database', async () => {
    const { keys } = (await service.app.inject('/oauth/.well-known/jwks.json')).json()
    assert.deepEqual(keys.map(({ alg }: { alg: string }) => alg).toSorted(), ['ES256', 'RS256'])
    for (const key of keys) {
      assert.equal(key.use, 'sig')
      assert.ok(key.kid)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) assert.equal(secret in key, false)
    }
  })

  for (const [url, age] of [
    ['/.well-known/openid-configuration', 3600],
    ['/oauth/.well-known/jwks.json', 300],
  ] as const) {
    it(`${url}: cached for ${age} s, read from any origin, 304 for its ETag`, async () => {
      const response = await service.app.inject(url)
      assert.equal(response.statusCode, 200)
      assert.equal(response.headers['cache-control'], `public, max-age=${age}`)
      assert.equal(response.headers['access-control-allow-origin'], '*')
      assert.match(String(response.headers['content-type']), /^application\/json/)
      const etag = String(response.headers.etag)
      for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        const again = await service.app.inject({ url, headers: { 'if-none-match': tag } })
        assert.equal(again.statusCode, 304)
        assert.equal(again.body, '')
        assert.equal(again.headers.etag, etag)
      }
      assert.equal((await service.app.inject({ url, headers: { 'if-none-match': '"x"' } })).statusCode, 200)
      const head = await service.app.inject({ method: 'HEAD', url })
      assert.equal(head.statusCode, 200)
      assert.equal(head.body, '')
    })
  }
})
