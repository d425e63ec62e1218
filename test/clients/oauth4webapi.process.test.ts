import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as oauth from 'oauth4webapi'
import { startForPartners } from './partner.ts'

const partner = await startForPartners()
const redirect_uri = 'http://127.0.0.1:9/callback'
const insecure = { [oauth.allowInsecureRequests]: true }

describe('oauth4webapi as a partner would use it', () => {
  for (const algorithm of ['oidc', 'oauth2'] as const) {
    it(`4.1–4.5 the whole flow, discovered by ${algorithm}`, async () => {
      const { client_id, client_secret, walk, email } = await partner.register({
        redirect_uri,
        id_token_alg: 'ES256',
      })
      const issuer = new URL(partner.issuer)
      const response = await oauth.discoveryRequest(issuer, { algorithm, ...insecure })
      const server = await oauth.processDiscoveryResponse(issuer, response)
      const client = { client_id, id_token_signed_response_alg: 'ES256' }
      const authentication = oauth.ClientSecretBasic(client_secret)

      const verifier = oauth.generateRandomCodeVerifier()
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
      const address = new URL(server.authorization_endpoint!)
      for (const [name, value] of Object.entries({
        ...{ client_id, redirect_uri, response_type: 'code', scope: 'openid email', state, nonce },
        ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
      })) {
        address.searchParams.set(name, value)
      }
      const { url } = await walk(address, { until: redirect_uri })
      const callback = oauth.validateAuthResponse(server, client, url, state)
      const exchanged = await oauth.authorizationCodeGrantRequest(
        ...([server, client, authentication, callback, redirect_uri, verifier, insecure] as const),
      )
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      await oauth.validateApplicationLevelSignature(server, exchanged, insecure)
      const { sub } = oauth.getValidatedIdTokenClaims(tokens)!

      const asked = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
      assert.equal((await oauth.processUserInfoResponse(server, client, sub, asked)).email, email)

      const refreshing = await oauth.refreshTokenGrantRequest(
        ...([server, client, authentication, tokens.refresh_token!, insecure] as const),
      )
      const next = await oauth.processRefreshTokenResponse(server, client, refreshing)
      assert.equal(oauth.getValidatedIdTokenClaims(next)!.sub, sub)

      const revoking = await oauth.revocationRequest(server, client, authentication, next.access_token, insecure)
      assert.equal(await oauth.processRevocationResponse(revoking), undefined)
      const refused = await oauth.userInfoRequest(server, client, next.access_token, insecure)
      await assert.rejects(oauth.processUserInfoResponse(server, client, sub, refused), (error) => {
        assert.ok(error instanceof oauth.WWWAuthenticateChallengeError)
        assert.equal(error.cause[0]?.parameters.error, 'invalid_token')
        return true
      })
    })
  }
})
