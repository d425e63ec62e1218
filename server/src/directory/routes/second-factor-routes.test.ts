import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addApp, addPasskey, codeNow, createPerson, type Person, signedIn } from '../../../../test/support/account.ts'
import { type Faults, passkeyOptions } from '../../../../test/support/authenticator.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const { sql, clock } = service
const path = '/sign-in/second-factor'
const isSignedIn = async (browser: Browser) => (await browser.get('/account')).status === 200
const sessionsOf = async ({ id }: Person) => [
  ...(await sql<{ methods: string[] }[]>`select methods from sessions where user_id = ${id} order by signed_in_at, id`),
]
const newestMethods = async (person: Person) => (await sessionsOf(person)).at(-1)?.methods

/** A person with an app, whose every browser is signed out. */
async function withApp() {
  const person = await createPerson(service)
  const owner = await signedIn(service, person)
  const app = await addApp(service, owner)
  await owner.post('/sign-out', {})
  clock.forward(60)
  return { person, owner, ...app }
}

async function withPasskey(host?: string) {
  const person = await createPerson(service)
  const owner = await signedIn(service, person, host)
  const passkey = await addPasskey(owner)
  await owner.post('/sign-out', {})
  clock.forward(60)
  return { person, owner, ...passkey }
}

/** Password given, second factor asked for. */
async function halfway(person: Person, browser = new Browser(service)) {
  const { location } = await browser.signIn(person)
  assert.equal(location, path)
  assert.ok(!(await isSignedIn(browser)))
  return browser
}

describe('decision 6.61: the second factor', () => {
  it('a right password opens no session; the code of the app does, and leads on', async () => {
    const { person, secret } = await withApp()
    const browser = new Browser(service)
    const asked = await browser.signIn(person, '/consent?request=a%20b')
    assert.equal(asked.location, `${path}?return_to=${encodeURIComponent('/consent?request=a%20b')}`)
    assert.deepEqual(await sessionsOf(person), [])
    const page = await browser.get(asked.location!)
    assert.match(page.body, /name="return_to" value="\/consent\?request=a%20b"/)
    assert.match(page.body, /autocomplete="one-time-code"/)
    assert.equal((await browser.post(path, { totp: '000000', return_to: '/x' })).status, 401)
    assert.equal((await browser.post(path, {})).status, 422)
    assert.deepEqual(await sessionsOf(person), [])
    const form = { totp: codeNow(service, secret), return_to: '/consent?request=a%20b' }
    assert.equal((await browser.post(path, form)).location, '/consent?request=a%20b')
    assert.ok(await isSignedIn(browser))
    assert.deepEqual(await newestMethods(person), ['pwd', 'otp', 'mfa'])
    const events = await sql`
      select type, details from audit_events where details->>'user_id' = ${person.id} or actor->>'id' = ${person.id} order by id`
    const failed = events.find(({ type }) => type === 'session.second_factor_failed')!
    assert.equal(failed.details.because, 'wrong_totp')
    const signed = events.findLast(({ type }) => type === 'session.signed_in')!
    assert.deepEqual([signed.details.methods, signed.details.second_factor], [['pwd', 'otp', 'mfa'], 'totp'])
  })

  it('a code counts once, also for two at once; and none before it', async () => {
    const { person, secret } = await withApp()
    const browsers = await Promise.all([1, 2, 3].map(() => halfway(person)))
    const totp = codeNow(service, secret)
    const visits = await Promise.all(browsers.map((browser) => browser.post(path, { totp })))
    assert.deepEqual(visits.map(({ status }) => status).toSorted(), [303, 401, 401])
    const later = await halfway(person)
    assert.equal((await later.post(path, { totp: codeNow(service, secret, -1) })).status, 401)
    assert.equal((await later.post(path, { totp: codeNow(service, secret, 1) })).status, 303)
  })

  it('five tries in five minutes for all who have the password; a browser known from before has its own', async () => {
    const { person, owner, secret } = await withApp()
    const thief = await halfway(person)
    const statuses: number[] = []
    for (let n = 0; n < 6; n += 1) statuses.push((await thief.post(path, { totp: '000000' })).status)
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429])
    const another = await halfway(person)
    assert.equal((await another.post(path, { totp: codeNow(service, secret) })).status, 429, 'also the right one')
    assert.equal((await another.post(path, { recovery_code: 'x' })).status, 429)
    assert.equal((await (await halfway(person, owner)).post(path, { totp: codeNow(service, secret) })).status, 303)
    clock.forward(301)
    assert.equal((await (await halfway(person)).post(path, { totp: codeNow(service, secret) })).status, 303)
  })

  it('that arrive all at once: no more than five are tried', async () => {
    const { person } = await withApp()
    const thief = await halfway(person)
    const visits = await Promise.all(Array.from({ length: 20 }, () => thief.post(path, { totp: '000000' })))
    assert.equal(visits.filter(({ status }) => status === 401).length, 5)
  })

  it('who lacks the password uses up no try of the owner', async () => {
    const { person, secret } = await withApp()
    const outsider = new Browser(service, { address: '203.0.113.77' })
    for (let n = 0; n < 30; n += 1) await outsider.signIn({ ...person, password: 'wrong' })
    for (let n = 0; n < 30; n += 1) assert.equal((await outsider.post(path, { totp: '000000' })).location, '/sign-in')
    assert.equal((await (await halfway(person)).post(path, { totp: codeNow(service, secret) })).status, 303)
  })

  it('a recovery code counts once, also for two at once', async () => {
    const { person, codes } = await withApp()
    const browsers = await Promise.all([1, 2, 3].map(() => halfway(person)))
    const visits = await Promise.all(browsers.map((browser) => browser.post(path, { recovery_code: codes[0]! })))
    assert.deepEqual(visits.map(({ status }) => status).toSorted(), [303, 401, 401])
    assert.deepEqual(await newestMethods(person), ['pwd', 'mfa'])
  })

  it("somebody else's code or passkey is refused", async () => {
    const [{ person }, other, third] = [await withApp(), await withApp(), await withPasskey()]
    const browser = await halfway(person)
    assert.equal((await browser.post(path, { totp: codeNow(service, other.secret) })).status, 401)
    assert.equal((await browser.post(path, { recovery_code: other.codes[0]! })).status, 401)
    const options = passkeyOptions((await (await halfway(third.person)).get(path)).body)
    assert.equal((await browser.post(path, { credential: third.authenticator.get(options) })).status, 401)
  })

  it('a passkey after the password', async () => {
    const { person, authenticator } = await withPasskey()
    const browser = await halfway(person)
    const page = await browser.get(path)
    assert.match(String(page.headers['content-security-policy']), /script-src 'self'(;|$)/)
    const credential = authenticator.get(passkeyOptions(page.body))
    assert.equal((await browser.post(path, { credential })).status, 303)
    assert.deepEqual(await newestMethods(person), ['pwd', 'hwk', 'user', 'mfa'])
    assert.equal((await (await halfway(person)).post(path, { credential })).status, 401, 'once')
  })

  it('a passkey of another domain: the page says where it works, and recovery codes do', async () => {
    await service.operator('POST', '/partners', {
      name: 'Two domains',
      portal_domain: 'portal.two.test',
      admin: { name: 'Zed', email: 'zed@example.com', password: 'correct horse battery' },
    })
    const { person, codes } = await withPasskey('portal.two.test')
    const browser = await halfway(person)
    const page = (await browser.get(path)).body
    assert.match(page, /Your passkeys work on portal\.two\.test only/)
    assert.doesNotMatch(page, /data-passkey/)
    assert.equal((await browser.post(path, { recovery_code: codes[0]! })).status, 303)
  })
})

describe('CVE-2026-25748: what stands between password and second factor', () => {
  it('ends after ten minutes, with the password, on another host, and when it is malformed', async () => {
    const { person, secret } = await withApp()
    const refused = async (browser: Browser, headers = {}) => {
      const visit = await browser.post(path, { totp: codeNow(service, secret) }, headers)
      return visit.status === 303 && visit.location === '/sign-in'
    }
    const late = await halfway(person)
    clock.forward(600)
    assert.ok(await refused(late))
    const browser = await halfway(person)
    const cookie = browser.headers.cookie
    assert.match(cookie, /^landbridge-second-factor=[\w-]{100,}$/)
    const [name, box = ''] = cookie.split('=')
    const malformed = [
      `${name}=${box.slice(0, -1)}`,
      `${name}=${box.slice(0, 20)}`,
      `${name}=`,
      `${name}=${'A'.repeat(8_000)}`,
      `${name}=${box}${box}`,
      `${name}=${'\u00c3\u0028\u00ff'}`,
      `${name}=%00${box}`,
      `${name}=x; ${cookie}`,
      `${name}=${Buffer.from('{"id":1}').toString('base64url')}`,
      `${name}=${service.context.masterKey.seal('known browser', '[]').toString('base64url')}`,
      `${name}=${service.context.masterKey.seal('second factor pending', '[]').toString('base64url')}`,
    ]
    for (const header of malformed)
      assert.ok(await refused(new Browser(service), { cookie: header }), header.slice(0, 60))
    assert.ok(await refused(new Browser(service, { host: 'acme.test' }), { cookie, origin: 'http://acme.test' }))
    await sql`update users set password_hash = 'changed' where id = ${person.id}`
    assert.ok(await refused(browser))
    assert.deepEqual(await sessionsOf(person), [])
  })

  it('is no session, and opens nothing else', async () => {
    const { person } = await withApp()
    const browser = await halfway(person)
    const headers = browser.headers
    for (const url of ['/account', '/account/prove', '/account/authenticator']) {
      assert.equal((await service.app.inject({ url, headers })).statusCode, 303, url)
    }
    assert.equal((await service.app.inject({ url: '/core/v1/session', headers })).statusCode, 401)
  })

  it('a factor that was removed meanwhile: signing in starts again', async () => {
    const { person, secret } = await withApp()
    const browser = await halfway(person)
    await sql`delete from totp_factors where user_id = ${person.id}`
    assert.equal((await browser.get(path)).location, '/sign-in')
    assert.equal((await browser.post(path, { totp: codeNow(service, secret) })).location, '/sign-in')
  })
})

describe('a passkey alone', () => {
  const ask = async (browser = new Browser(service)) => passkeyOptions((await browser.get('/sign-in')).body)
  const present = async (credential: string, browser = new Browser(service)) =>
    await browser.post('/sign-in/passkey', { credential, return_to: '/consent?request=1' })

  it('signs in: three requests, without email or password', async () => {
    const { person, authenticator } = await withPasskey()
    const browser = new Browser(service)
    const options = await ask(browser)
    assert.deepEqual((options as { allowCredentials?: [] }).allowCredentials, [])
    const { status, location } = await present(authenticator.get(options), browser)
    assert.deepEqual([status, location], [303, '/consent?request=1'])
    assert.ok(await isSignedIn(browser))
    assert.deepEqual(await newestMethods(person), ['hwk', 'user', 'mfa'])
    assert.match((await browser.get('/account')).body, /last used/)
    assert.match((await browser.get('/account')).body, /Work laptop/)
    assert.equal((await sql`select from spent_challenges`).length > 0, true)
  })

  it('the page writes nothing, however often it is opened', async () => {
    const count = async () => (await sql`select count(*)::int as count from spent_challenges`)[0]!.count
    const before = await count()
    for (let n = 0; n < 5; n += 1) await new Browser(service).get('/sign-in')
    assert.equal(await count(), before)
  })

  it('whatever is wrong gets the same response as an unknown one', async () => {
    const { authenticator } = await withPasskey()
    const { authenticator: other, person: otherPerson } = await withPasskey()
    const { authenticator: unknown } = await withPasskey()
    await sql`delete from passkeys where credential_id = ${unknown.credentialId}`
    const second = passkeyOptions((await (await halfway(otherPerson)).get(path)).body)
    const cases: [title: string, Faults][] = [
      ['another origin', { origin: 'https://evil.test' }],
      ['another port', { origin: 'http://landbridge.test:81' }],
      ['https instead of http', { origin: 'https://landbridge.test' }],
      ['another domain', { rpId: 'evil.test' }],
      ['not unlocked', { userVerified: false }],
      ['in a frame', { crossOrigin: true }],
      ['a registration', { type: 'webauthn.create' }],
      ['an invented challenge', { challenge: 'AAAA' }],
      ['a challenge of the second factor', { challenge: second.challenge }],
      ['the handle of somebody else', { userHandle: other.userHandle }],
      ['no handle', { userHandle: null }],
      ['a wrong signature', { signature: 'MEUCIQ' }],
      ["another person's credential", { id: other.credentialId.toString('base64url') }],
    ]
    const plain = (body: string) => body.replaceAll(/data-options="[^"]*"/g, '')
    const reference = await present(unknown.get(await ask()))
    assert.equal(reference.status, 401)
    for (const [title, faults] of cases) {
      const visit = await present(authenticator.get(await ask(), faults))
      assert.deepEqual([visit.status, plain(visit.body)], [401, plain(reference.body)], title)
    }
    for (const credential of ['', '{}', 'null', '[1]', '{"response":null}', `{"id":"${'a'.repeat(20_000)}"}`]) {
      assert.equal((await present(credential)).status, 401)
    }
    assert.equal((await present(authenticator.get(await ask()))).status, 303, 'and the right one still works')
  })

  it('a challenge counts once, also for two at once, and for thirty minutes', async () => {
    const { authenticator } = await withPasskey()
    const options = await ask()
    const both = [authenticator.get(options), authenticator.get(options)]
    const visits = await Promise.all(both.map((credential) => present(credential)))
    assert.deepEqual(visits.map(({ status }) => status).toSorted(), [303, 401])
    const late = await ask()
    clock.forward(1_800)
    assert.equal((await present(authenticator.get(late))).status, 401)
  })

  it('a counter that goes back, or stands still, is refused', async () => {
    const { authenticator } = await withPasskey()
    authenticator.counter = 10
    assert.equal((await present(authenticator.get(await ask()))).status, 303)
    for (const counter of [11, 10, 1, 0]) {
      assert.equal((await present(authenticator.get(await ask(), { counter }))).status, 401, String(counter))
    }
    assert.equal((await present(authenticator.get(await ask(), { counter: 4_294_967_295 }))).status, 303)
    const { authenticator: still } = await withPasskey()
    for (let n = 0; n < 2; n += 1) {
      assert.equal((await present(still.get(await ask(), { counter: 0 }))).status, 303, 'one that does not count')
    }
  })

  it('on its own domain only, with its port', async () => {
    await service.operator('POST', '/partners', {
      name: 'With a port',
      portal_domain: 'localhost:8080',
      admin: { name: 'Lea', email: 'lea@example.com', password: 'correct horse battery' },
    })
    const { authenticator } = await withPasskey('localhost:8080')
    const here = () => new Browser(service, { host: 'localhost:8080' })
    assert.equal((await present(authenticator.get(await ask(here())), here())).status, 303)
    assert.equal((await present(authenticator.get(await ask(here())), new Browser(service))).status, 401)
    assert.equal((await present(authenticator.get(await ask()))).status, 401)
  })

  it('of an account whose email was released: it signs in no more', async () => {
    const { person, authenticator } = await withPasskey()
    const { status } = await service.operator('POST', `/users/${person.id}/release-email`)
    assert.equal(status, 200)
    assert.equal((await present(authenticator.get(await ask()))).status, 401)
  })

  it('from another site it is refused', async () => {
    const { authenticator } = await withPasskey()
    const credential = authenticator.get(await ask())
    const foreign = { origin: 'https://evil.test' }
    assert.equal((await new Browser(service).post('/sign-in/passkey', { credential }, foreign)).status, 403)
  })
})

describe('every way to a session asks for the second factor', () => {
  it('a link for a new password', async () => {
    const { person, secret } = await withApp()
    const { body } = await service.operator('POST', `/users/${person.id}/password-reset`)
    const link = new URL(body.link).pathname
    const browser = new Browser(service)
    const password = 'a sentence that is new'
    const visit = await browser.post(link, { new_password: password, repeated_password: password })
    assert.equal(visit.location, path)
    assert.deepEqual(await sessionsOf(person), [])
    assert.equal((await browser.post(path, { totp: codeNow(service, secret) })).status, 303)
    assert.deepEqual(await newestMethods(person), ['pwd', 'otp', 'mfa'])
  })

  it('a new password keeps what the session was opened with, and when it was proved', async () => {
    const { person, secret } = await withApp()
    const browser = await halfway(person)
    await browser.post(path, { totp: codeNow(service, secret) })
    const times = async () =>
      await sql`select methods, signed_in_at, proved_at from sessions where user_id = ${person.id}`
    const before = await times()
    clock.forward(30)
    const next = 'a sentence that is new'
    const change = { password: person.password, new_password: next, repeated_password: next }
    assert.equal((await browser.post('/account/password', change)).status, 200)
    assert.deepEqual(await times(), before)
  })

  it('confirming one’s identity: the factor, never the password', async () => {
    const { person, secret, codes } = await withApp()
    const browser = await halfway(person)
    await browser.post(path, { totp: codeNow(service, secret) })
    clock.forward(601)
    const prove = (form: Record<string, string>) => browser.post('/account/prove', { ...form, return_to: '/account' })
    assert.equal((await prove({ password: person.password })).status, 401)
    assert.equal((await prove({ totp: '000000' })).status, 401)
    assert.equal((await browser.get('/account/passkeys/new')).status, 303)
    assert.equal((await prove({ totp: codeNow(service, secret) })).location, '/account')
    assert.equal((await prove({ totp: codeNow(service, secret) })).status, 401, 'once')
    const { authenticator } = await addPasskey(browser)
    clock.forward(601)
    assert.equal((await prove({ recovery_code: codes[0]! })).location, '/account')
    assert.equal((await prove({ recovery_code: codes[0]! })).status, 401)
    clock.forward(601)
    const credential = authenticator.get(passkeyOptions((await browser.get('/account/prove')).body))
    assert.equal((await prove({ credential })).location, '/account')
    assert.equal((await browser.get('/account/passkeys/new')).status, 200)
    const proofs = await sql`
      select details->'methods' as methods from audit_events where type = 'session.proved' and actor->>'id' = ${person.id} order by id`
    assert.deepEqual(
      proofs.map(({ methods }) => methods),
      [['otp', 'mfa'], ['mfa'], ['hwk', 'user', 'mfa']],
    )
  })

  it('decision 6.59: where a passkey works, the code of an app confirms nothing, nor does a sign-in with it', async () => {
    const { person, secret, codes } = await withApp()
    const first = await halfway(person)
    await first.post(path, { totp: codeNow(service, secret) })
    const { authenticator } = await addPasskey(first)
    clock.forward(60)
    const browser = await halfway(person)
    await browser.post(path, { totp: codeNow(service, secret) })
    const mayChange = async () => (await browser.get('/account/passkeys/new')).status === 200
    assert.equal(await mayChange(), false, 'signed in with the code just now')
    clock.forward(60)
    const page = (await browser.get('/account/prove')).body
    assert.doesNotMatch(page, /name="totp"/)
    assert.equal((await browser.post('/account/prove', { totp: codeNow(service, secret) })).status, 401)
    assert.equal(await mayChange(), false)
    assert.equal((await browser.post('/account/prove', { recovery_code: codes[0]! })).status, 303)
    assert.equal(await mayChange(), true, 'a recovery code stands for a passkey that was lost')
    clock.forward(601)
    assert.equal(await mayChange(), false)
    await browser.post('/account/prove', { credential: authenticator.get(passkeyOptions(page)) })
    assert.equal(await mayChange(), true)
  })
})
