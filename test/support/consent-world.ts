// A service with a partner, its application on its own origin, people, and a real browser to sign in with.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { password } from './applications.ts'
import { newContext } from './browser/browser.ts'
import { startHarness } from './harness.ts'

/** A web server on loopback, on a port and so its own origin. */
export async function startSite(respond: RequestListener): Promise<number> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return (server.address() as AddressInfo).port
}

/** `callback` is what the partner's application does at its redirect URI. */
export async function startConsentWorld(callback: RequestListener) {
  const service = await startHarness()
  await service.app.listen({ host: '127.0.0.1', port: 0 })
  const portal = `localhost:${(service.app.server.address() as AddressInfo).port}`
  service.context.addresses.publicUrl = `http://${portal}`

  // Another host and port than the service's, so another site and origin.
  const application = `http://127.0.0.1:${await startSite(callback)}`
  const redirect_uri = `${application}/callback`
  const ada = { name: 'Ada Lovelace', email: 'ada@northwind.example', password }
  const { body: partner } = await service.operator('POST', '/partners', {
    name: 'Northwind Sensors',
    portal_domain: portal,
    admin: ada,
  })
  const { body: client } = await service.operator('POST', `/partners/${partner.id}/applications`, {
    name: 'Fleet Monitor',
    redirect_uris: [redirect_uri],
  })
  const { body: acme } = await service.operator('POST', '/customers', { partner_id: partner.id, name: 'Acme Hotels' })
  const administrator = { name: 'Grace Hopper', email: 'grace@acme.example', password }
  await service.operator('POST', `/customers/${acme.id}/users`, { ...administrator, role: 'administrator' })

  async function visit(options: BrowserContextOptions, walk: (page: Page, context: BrowserContext) => Promise<void>) {
    const context = await newContext(options)
    // A busy machine is no fault of the page.
    context.setDefaultTimeout(90_000)
    const complaints: string[] = []
    const page = await context.newPage()
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/i.test(message.text())) complaints.push(message.text())
    })
    try {
      await walk(page, context)
      assert.deepEqual(complaints, [], 'the page kept to its own policy')
    } finally {
      await context.close()
    }
  }

  const code_verifier = randomBytes(32).toString('base64url')

  function authorizeUrl(more: Record<string, string> = {}): string {
    const parameters = {
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri,
      scope: 'openid profile email',
      state: 'state/of the client&',
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    }
    return `http://${portal}/oauth/authorize?${new URLSearchParams(parameters)}`
  }

  /** The token endpoint's status for a code of this application. */
  async function exchange(code: string): Promise<number> {
    const { client_id, client_secret } = client
    const body = { grant_type: 'authorization_code', code, code_verifier, redirect_uri, client_id, client_secret }
    const response = await fetch(`http://${portal}/oauth/token`, { method: 'POST', body: new URLSearchParams(body) })
    return response.status
  }

  return {
    service,
    portal,
    application,
    redirect_uri,
    partner,
    client,
    acme,
    administrator,
    visit,
    authorizeUrl,
    exchange,
  }
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** What the button says, whether it only connects or approves too. */
export const connect = /^(Connect|Approve for .+)$/

export async function untilAsked(page: Page): Promise<void> {
  await page.getByRole('heading', { name: /^Connect Fleet Monitor/ }).waitFor()
}

/** The parameters that reached the application. */
export function arrival(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams)
}
