// People with a password and further factors, in as much of a browser as forms need.
import assert from 'node:assert/strict'
import { codeOfStep, stepOf } from '../../server/src/directory/accounts/factors/totp.ts'
import { Authenticator, passkeyOptions } from './authenticator.ts'
import { Browser } from './form-browser.ts'
import type { Harness } from './harness.ts'

export interface Person {
  id: string
  name: string
  email: string
  password: string
}

let people = 0

export async function createPerson(service: Harness): Promise<Person> {
  people += 1
  const admin = { name: `Person ${people}`, email: `person${people}@example.com`, password: 'correct horse battery' }
  const partner = { name: `Company ${people}`, portal_domain: null, admin }
  const { status, body } = await service.operator('POST', '/partners', partner)
  assert.equal(status, 201, JSON.stringify(body))
  const [user] = await service.sql<{ id: string }[]>`select id from users where email = ${admin.email}`
  // With mail, a factor needs a verified email (decision 6.58).
  if (service.context.mail.enabled) await service.sql`update users set email_verified = true where id = ${user!.id}`
  return { ...admin, id: user!.id }
}

export async function signedIn(service: Harness, person: Person, host = 'landbridge.test'): Promise<Browser> {
  const browser = new Browser(service, { host })
  const { status, location } = await browser.signIn(person)
  assert.deepEqual([status, location], [303, '/'])
  return browser
}

/** Adds an app; returns its secret and the recovery codes that were shown. */
export async function addApp(service: Harness, browser: Browser): Promise<{ secret: string; codes: string[] }> {
  const page = await browser.get('/account/authenticator')
  assert.equal(page.status, 200, page.location)
  const secret = secretOn(page.body)
  const added = await browser.post('/account/authenticator', { totp: codeNow(service, secret) })
  assert.equal(added.status === 303 ? 200 : added.status, 200, added.body)
  return { secret, codes: codesOn(added.body) }
}

export function secretOn(page: string): string {
  const [, text] = /<p><code>([A-Z2-7 ]+)<\/code>/.exec(page) ?? []
  return text!.replaceAll(' ', '')
}

export function codesOn(page: string): string[] {
  return [...page.matchAll(/<li><code>([^<]+)<\/code>/g)].map(([, code]) => code!)
}

export function codeNow(service: Pick<Harness, 'clock'>, secret: string, steps = 0): string {
  return codeOfStep(secret, stepOf(service.clock.now()) + steps)
}

/** Adds a passkey; returns it and the recovery codes that were shown. */
export async function addPasskey(browser: Browser, name = 'Work laptop') {
  const page = await browser.get('/account/passkeys/new')
  assert.equal(page.status, 200, page.location)
  const authenticator = new Authenticator(`http://${browser.host}`)
  const credential = authenticator.create(passkeyOptions(page.body))
  const added = await browser.post('/account/passkeys', { name, credential })
  assert.ok(added.status === 200 || added.location === '/account#factors', `${added.status} ${added.body}`)
  return { authenticator, codes: codesOn(added.body) }
}
