import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import express from 'express'
import oidc from 'express-openid-connect'
import { startForPartners } from './partner.ts'

const partner = await startForPartners()

describe('express-openid-connect as a partner would use it', () => {
  it('4.1–4.5 signs a person in, asks userinfo, refreshes', async () => {
    const app = express()
    const server = app.listen(0, '127.0.0.1')
    after(() => server.close())
    await once(server, 'listening')
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { client_id, client_secret, walk, email, customer_id } = await partner.register({
      redirect_uri: `${baseURL}/callback`,
    })
    app.use(
      oidc.auth({
        issuerBaseURL: partner.issuer,
        baseURL,
        clientID: client_id,
        clientSecret: client_secret,
        secret: 'a secret of the application, long enough',
        authRequired: true,
        idpLogout: false,
        authorizationParams: { response_type: 'code', scope: 'openid profile email' },
      }),
    )
    app.get('/', async (request, response) => {
      const { oidc: session } = request
      const info = await session.fetchUserInfo()
      const before = session.accessToken!.access_token
      await session.accessToken!.refresh()
      const after = session.accessToken!.access_token
      response.json({ claims: session.user, info, refreshed: before !== after })
    })

    const { visit } = await walk(baseURL)
    assert.equal(visit!.status, 200, visit!.body)
    const body = JSON.parse(visit!.body)
    assert.equal(body.claims.email, email)
    assert.equal(body.claims.org_id, customer_id)
    assert.equal(body.info.sub, body.claims.sub)
    assert.equal(body.refreshed, true)
  })
})
