// Decision 6.7: a session is bound to its host, and the operator console is served on the public address only.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication } from '../../../../test/support/applications.ts'
import { readConsent, walkToConsent } from '../../../../test/support/consent.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const publicHost = 'landbridge.test'
const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
const domains = { a: 'portal-a.test', b: 'portal-b.test:8443' }
const { body: partner } = await service.operator('POST', '/partners', {
  name: 'A',
  portal_domain: domains.a,
  admin: person,
})
await service.operator('POST', '/partners', { name: 'B', portal_domain: domains.b, admin: { ...person, name: 'Ada' } })

async function signedIn(host: string): Promise<Browser> {
  const browser = new Browser(service, { host })
  assert.equal((await browser.signIn(person)).status, 303)
  return browser
}

/** A stolen cookie, sent with the right headers of another host. */
function replayedAt(host: string, browser: Browser): Record<string, string> {
  return { ...browser.headers, host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }
}

const named = { 'landbridge-customer': partner.lab.customer_id, 'landbridge-partner': partner.id }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

interface Route {
  method?: 'GET' | 'POST'
  url: string
  payload?: string
  /** What somebody gets who is not signed in. */
  withoutSession: number
}

const routes: Route[] = [
  { url: '/core/v1/session', withoutSession: 401 },
  { url: '/core/v1/organization/users', withoutSession: 401 },
  { url: '/core/v1/organization/devices/stream', withoutSession: 401 },
  { url: '/core/v1/partner/models', withoutSession: 401 },
  { url: '/account', withoutSession: 303 },
  { method: 'POST', url: '/account/password', payload: 'password=x', withoutSession: 303 },
  { url: '/sign-in', withoutSession: 200 },
]

describe('decision 6.7 a session is bound to the host it was started on', () => {
  it('a cookie replayed on another host of the service is no session there, on any route', async () => {
    const hosts = [publicHost, domains.a, domains.b]
    for (const home of hosts) {
      const browser = await signedIn(home)
      for (const host of hosts.filter((other) => other !== home)) {
        for (const { method = 'GET', url, payload, withoutSession } of routes) {
          const headers = { ...replayedAt(host, browser), ...named, ...(payload ? form : {}) }
          const response = await service.app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
          assert.equal(response.statusCode, withoutSession, `${url} at ${host} with a session of ${home}`)
        }
        const headers = replayedAt(host, browser)
        for (const url of ['/sign-out', '/account/sign-out-everywhere']) {
          await service.app.inject({ method: 'POST', url, headers })
        }
      }
      const own = await service.app.inject({ url: '/core/v1/session', headers: browser.headers })
      assert.equal(own.statusCode, 200, 'and nothing that came from elsewhere ended it')
    }
  })

  it('signing in on one host leaves the session of another as it is; a new password ends them all', async () => {
    const [here, there] = [await signedIn(domains.a), await signedIn(publicHost)]
    const isIn = async (browser: Browser) => (await browser.get('/account')).status === 200
    assert.ok((await isIn(here)) && (await isIn(there)))
    const next = 'another correct horse'
    const change = { password: person.password, new_password: next, repeated_password: next }
    assert.equal((await here.post('/account/password', change)).status, 200)
    assert.ok(await isIn(here), 'the new session is bound to the host where the password was changed')
    assert.ok(!(await isIn(there)))
    const back = { password: next, new_password: person.password, repeated_password: person.password }
    assert.equal((await here.post('/account/password', back)).status, 200)
  })

  it('a one-time link signs in on the host where it is opened, and nowhere else', async () => {
    const [user] = await service.sql`select id from users where email = ${person.email}`
    const { body } = await service.operator('POST', `/users/${user!.id}/password-reset`)
    const link = new URL(body.link)
    const browser = new Browser(service, { host: domains.a })
    const fields = { new_password: person.password, repeated_password: person.password }
    assert.equal((await browser.post(link.pathname, fields)).status, 303)
    assert.equal((await browser.get('/account')).status, 200)
    const elsewhere = await service.app.inject({ url: '/account', headers: replayedAt(publicHost, browser) })
    assert.equal(elsewhere.statusCode, 303)
  })

  it('consent: a session of another host can neither see nor decide the request', async () => {
    const application = await registerApplication(service)
    const { page, browser } = await walkToConsent(service, application)
    const { request, customer_ids } = readConsent(page)
    const elsewhere = new Browser(service, { host: publicHost })
    await elsewhere.signIn({ email: application.email, password: person.password })
    const payload = new URLSearchParams({ request, customer_id: customer_ids[0]!, decision: 'approve' }).toString()
    const headers = { ...replayedAt('acme.test', elsewhere), ...form }
    const refused = await service.app.inject({ method: 'POST', url: '/consent', headers, payload })
    assert.match(String(refused.headers.location), /^\/sign-in/)
    const own = { ...browser.headers, ...form }
    const accepted = await service.app.inject({ method: 'POST', url: '/consent', headers: own, payload })
    assert.match(String(accepted.headers.location), /code=/)
  })
})

describe('decision 6.7 the operator console', () => {
  const get = (url: string, host: string) =>
    service.app.inject({ url, headers: { host, accept: 'text/html', 'sec-fetch-mode': 'navigate' } })

  it('is served on the public address, and never on a portal domain or another name of the machine', async () => {
    for (const url of ['/operator', '/operator/partners']) {
      for (const host of [publicHost, 'LANDBRIDGE.test', 'landbridge.test:80']) {
        assert.notEqual((await get(url, host)).statusCode, 404, `${url} at ${host}`)
      }
      for (const host of [domains.a, domains.b, '127.0.0.1:8080', 'localhost', 'landbridge.test:8080']) {
        const response = await get(url, host)
        assert.equal(response.statusCode, 404, `${url} at ${host}`)
        assert.ok(!response.body.includes('/assets/'), 'and nothing of it')
      }
    }
    for (const host of [publicHost, domains.a]) assert.notEqual((await get('/customer', host)).statusCode, 404)
  })

  it('says where it is served, but not on a partner’s portal domain', async () => {
    assert.match((await get('/operator', '127.0.0.1:8080')).body, /http:\/\/landbridge\.test\/operator/)
    assert.doesNotMatch((await get('/operator', domains.a)).body, /operator/)
  })
})
