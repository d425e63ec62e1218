// Over https, with the issuer and the portal domain on different hosts, as a partner runs it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { createCertificate } from '../server/src/platform/tls/self-signed-certificate.ts'
import { it, newContext } from './support/browser/browser.ts'
import { authorizePath } from './support/consent.ts'
import { connect } from './support/consent-world.ts'
import { startHarness } from './support/harness.ts'

const service = await startHarness()
const tls = await createCertificate(['issuer.localhost', 'portal.localhost'], new Date())
// TLS ends in front of the service, as it does behind a proxy that passes the Host header on.
const front = createServer({ cert: tls.certificate, key: tls.privateKey }, (request, response) =>
  service.app.routing(request, response),
).listen(0, '127.0.0.1')
await once(front, 'listening')
const { port } = front.address() as AddressInfo
const issuer = `https://issuer.localhost:${port}`
const portal = `portal.localhost:${port}`
service.context.addresses.publicUrl = issuer

const application = createHttpServer((_request, response) => response.end('arrived')).listen(0, '127.0.0.1')
await once(application, 'listening')
const redirect_uri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback?tenant=a%2Fb`
after(() => {
  front.close()
  application.close()
})

const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
const created = await service.operator('POST', '/partners', { name: 'Northwind', portal_domain: portal, admin })
const { body: client } = await service.operator('POST', `/partners/${created.body.id}/applications`, {
  name: 'Fleet Monitor',
  redirect_uris: [redirect_uri],
})

async function openContext(): Promise<BrowserContext> {
  const context = await newContext({ ignoreHTTPSErrors: true })
  // A busy machine is no fault of the page.
  context.setDefaultTimeout(90_000)
  return context
}

it('4.1 authorize at the issuer, sign in and consent at the portal domain, back to the registered bytes', async () => {
  const context = await openContext()
  const page = await context.newPage()
  await page.goto(issuer + authorizePath({ client_id: client.client_id, redirect_uri }))
  assert.equal(new URL(page.url()).host, portal)
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: connect }).click()
  await page.waitForURL(`${redirect_uri}&code=**`)
  assert.equal(new URL(page.url()).searchParams.get('iss'), issuer)

  const cookies = await context.cookies()
  assert.deepEqual(cookies.map(({ name }) => name).toSorted(), ['__Host-landbridge', '__Host-landbridge-known'])
  for (const { secure, httpOnly, sameSite, domain, path } of cookies) {
    assert.deepEqual(
      { secure, httpOnly, sameSite, domain, path },
      { secure: true, httpOnly: true, sameSite: 'Lax', domain: 'portal.localhost', path: '/' },
    )
  }
  await context.close()
})

it('decision 6.7 the session and the consent screen are on the portal domain only', async () => {
  const context = await openContext()
  const page = await context.newPage()
  await page.goto(issuer + authorizePath({ client_id: client.client_id, redirect_uri }))
  const request = new URLSearchParams(new URL(page.url()).searchParams.get('return_to')!.split('?')[1]).get('request')
  const response = await page.goto(`${issuer}/consent?request=${request}`)
  assert.equal(response!.status(), 421)
  assert.match(await page.content(), new RegExp(`https://${portal}`))
  await context.close()
})
