import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as client from 'openid-client'
import { startForPartners } from './partner.ts'

const partner = await startForPartners()
const redirect_uri = 'http://127.0.0.1:9/callback'

describe('openid-client as a partner would use it', () => {
  for (const id_token_alg of ['RS256', 'ES256'] as const) {
    for (const authentication of [client.ClientSecretBasic, client.ClientSecretPost]) {
      it(`4.1–4.5 the whole flow with ${id_token_alg} and ${authentication.name}`, async () => {
        const { client_id, client_secret, walk, email, customer_id } = await partner.register({
          redirect_uri,
          id_token_alg,
        })
        const metadata = { client_secret, id_token_signed_response_alg: id_token_alg }
        const config = await client.discovery(
          new URL(partner.issuer),
          client_id,
          metadata,
          authentication(client_secret),
          {
            execute: [client.allowInsecureRequests],
          },
        )
        const pkceCodeVerifier = client.randomPKCECodeVerifier()
        const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
        const address = client.buildAuthorizationUrl(config, {
          redirect_uri,
          scope: 'openid profile email',
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
          state: expectedState,
          nonce: expectedNonce,
          acr_values: 'phr',
          max_age: '3600',
        })
        const { url } = await walk(address, { until: redirect_uri })
        // Checks state, iss (RFC 9207), nonce, at_hash, aud, exp and the signature by the key set.
        const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 3_600 }
        const tokens = await client.authorizationCodeGrant(config, url, checks)
        const claims = tokens.claims()!
        assert.equal(claims.email, email)
        assert.equal(claims.org_id, customer_id)
        // A password only: said, and not claimed to be more (decision 6.69).
        assert.deepEqual([claims.amr, claims.acr], [['pwd'], undefined])
        assert.equal(tokens.expires_in, 3600)

        const info = await client.fetchUserInfo(config, tokens.access_token, claims.sub)
        assert.equal(info.name, 'Ada Lovelace')

        const next = await client.refreshTokenGrant(config, tokens.refresh_token!)
        assert.equal(next.claims()!.sub, claims.sub)
        assert.deepEqual([next.claims()!.amr, next.claims()!.auth_time], [claims.amr, claims.auth_time])
        assert.notEqual(next.refresh_token, tokens.refresh_token)
        // Within 60 seconds it counts as the retry of a lost response: refused, and nothing else happens.
        await assert.rejects(client.refreshTokenGrant(config, tokens.refresh_token!), { error: 'invalid_grant' })
        await client.fetchUserInfo(config, next.access_token, claims.sub)

        await client.tokenRevocation(config, next.refresh_token!)
        await assert.rejects(client.fetchUserInfo(config, next.access_token, claims.sub), { status: 401 })
        await assert.rejects(client.refreshTokenGrant(config, next.refresh_token!), { error: 'invalid_grant' })
      })
    }
  }

  it('7.2 access_denied when the person declines', async () => {
    const { client_id, client_secret, walk } = await partner.register({ redirect_uri })
    const config = await client.discovery(new URL(partner.issuer), client_id, client_secret, undefined, {
      execute: [client.allowInsecureRequests],
    })
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const address = client.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: 'openid',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: 's',
    })
    const { url } = await walk(address, { until: redirect_uri, decision: 'decline' })
    await assert.rejects(client.authorizationCodeGrant(config, url, { pkceCodeVerifier, expectedState: 's' }), {
      error: 'access_denied',
    })
  })
})
