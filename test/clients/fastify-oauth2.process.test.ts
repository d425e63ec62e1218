import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import oauth2, { type OAuth2Namespace } from '@fastify/oauth2'
import fastify from 'fastify'
import { freePort } from '../support/free-port.ts'
import { startForPartners } from './partner.ts'

declare module 'fastify' {
  interface FastifyInstance {
    landbridge: OAuth2Namespace
  }
}

const partner = await startForPartners()

describe('@fastify/oauth2 as a partner would use it', () => {
  it('4.1–4.4 signs a person in with PKCE, asks userinfo, refreshes and revokes', async () => {
    const port = await freePort()
    const base = `http://127.0.0.1:${port}`
    const {
      client_id: id,
      client_secret: secret,
      walk,
      email,
    } = await partner.register({
      redirect_uri: `${base}/callback`,
    })
    const app = fastify()
    after(() => app.close())
    await app.register(oauth2, {
      name: 'landbridge',
      scope: ['openid', 'email'],
      // With its default settings, under which simple-oauth2 accepts nothing but JSON, even for the empty 200 of 4.3.
      credentials: { client: { id, secret } },
      discovery: { issuer: partner.issuer },
      pkce: 'S256',
      startRedirectPath: '/',
      callbackUri: `${base}/callback`,
    })
    app.get('/callback', async (request) => {
      const { token } = await app.landbridge.getAccessTokenFromAuthorizationCodeFlow(request)
      const info = await app.landbridge.userinfo(token)
      const next = await app.landbridge.getNewAccessTokenUsingRefreshToken(token, {})
      await app.landbridge.revokeAllToken(next.token, {})
      const gone = await app.landbridge.userinfo(next.token)
      return { info, refreshed: next.token.access_token !== token.access_token, gone }
    })
    await app.listen({ port, host: '127.0.0.1' })

    const { visit } = await walk(base)
    assert.equal(visit!.status, 200, visit!.body)
    const body = JSON.parse(visit!.body)
    assert.equal(body.info.email, email)
    assert.equal(body.refreshed, true)
    assert.deepEqual(body.gone, { error: 'invalid_token' })
  })
})
