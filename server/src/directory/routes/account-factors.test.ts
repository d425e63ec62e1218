import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  addApp,
  addPasskey,
  codeNow,
  codesOn,
  createPerson,
  secretOn,
  signedIn,
} from '../../../../test/support/account.ts'
import { Authenticator, type Faults, passkeyOptions } from '../../../../test/support/authenticator.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const settings = { LANDBRIDGE_MAIL_URL: 'smtp://127.0.0.1:1', LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' }
const service = await startHarness(settings)
const { sql, clock } = service
const isSignedIn = async (browser: Browser) => (await browser.get('/account')).status === 200
const eventsOf = async (userId: string, type: string) =>
  await sql<{ details: Record<string, unknown> }[]>`
    select details from audit_events where type = ${type} and actor->>'id' = ${userId} order by id`
const mailsTo = async (email: string) =>
  (
    await sql<
      { subject: string }[]
    >`select subject from mails where recipient = ${email} and kind = 'factor_changed' order by id`
  ).map(({ subject }) => subject)

describe('an authenticator app', () => {
  it('is added once its first code is right, with ten recovery codes; other browsers are signed out', async () => {
    const person = await createPerson(service)
    const [here, elsewhere] = [await signedIn(service, person), await signedIn(service, person)]
    const page = await here.get('/account/authenticator')
    assert.match(page.body, /<svg class="qr" viewBox/)
    assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
    assert.doesNotMatch(String(page.headers['content-security-policy']), /script-src|unsafe|data:/)
    const secret = secretOn(page.body)
    assert.equal(secretOn((await here.get('/account/authenticator')).body), secret, 'a second click shows the same')
    const [stored] = await sql`select secret from totp_factors where user_id = ${person.id}`
    assert.ok(!stored!.secret.toString('latin1').includes(secret), 'sealed')
    assert.equal((await here.post('/account/authenticator', { totp: '000000' })).status, 422)
    assert.equal((await new Browser(service).signIn(person)).location, '/', 'it does not count yet')
    const added = await here.post('/account/authenticator', { totp: codeNow(service, secret) })
    const codes = codesOn(added.body)
    assert.deepEqual([added.status, codes.length, new Set(codes).size], [200, 10, 10])
    assert.ok(await isSignedIn(here))
    assert.ok(!(await isSignedIn(elsewhere)))
    assert.match((await here.get('/account')).body, /10 codes are left/)
    const stores = JSON.stringify(await sql`select * from recovery_codes where user_id = ${person.id}`)
    assert.ok(!codes.some((code) => stores.includes(code)))
    const again = await here.post('/account/authenticator', { totp: codeNow(service, secret, 1) })
    assert.equal(again.location, '/account#factors', 'a double click adds nothing twice')
    const [event] = await eventsOf(person.id, 'user.totp_enabled')
    assert.equal(event!.details.ended_sessions, 2)
    assert.deepEqual(await mailsTo(person.email), ['An authenticator app was added'])
    assert.ok(!JSON.stringify(event).includes(secret))
  })

  it('is removed, with its recovery codes; the password alone signs in again', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    await addApp(service, browser)
    const removed = await browser.post('/account/authenticator/remove', {})
    assert.match(removed.body, /The authenticator app is removed/)
    assert.equal((await browser.post('/account/authenticator/remove', {})).status, 409)
    assert.equal((await sql`select from recovery_codes where user_id = ${person.id}`).length, 0)
    assert.equal((await new Browser(service).signIn(person)).location, '/')
    assert.deepEqual((await mailsTo(person.email)).at(-1), 'The authenticator app was removed')
  })

  it('of two that enable at once, one gets codes', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    const secret = secretOn((await browser.get('/account/authenticator')).body)
    const totp = codeNow(service, secret)
    const visits = await Promise.all([1, 2, 3].map(() => browser.post('/account/authenticator', { totp })))
    assert.deepEqual(visits.map(({ status }) => status).toSorted(), [200, 303, 303])
  })
})

describe('passkeys on the account page', () => {
  it('several, each with its name; removed one by one', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    const { codes } = await addPasskey(browser, 'Work laptop')
    assert.equal(codes.length, 10)
    const second = await addPasskey(browser, '')
    assert.deepEqual(second.codes, [], 'the second comes with no new codes')
    const page = (await browser.get('/account')).body
    assert.match(page, /<strong>Work laptop<\/strong>\s*<span>not used yet/)
    assert.match(page, /<strong>Passkey 2<\/strong>/)
    const [first] = await sql`select id from passkeys where user_id = ${person.id} order by id`
    assert.match((await browser.post('/account/passkeys/remove', { id: first!.id })).body, /The passkey is removed/)
    assert.equal((await browser.post('/account/passkeys/remove', { id: first!.id })).status, 409)
    assert.equal((await browser.post('/account/passkeys/remove', { id: 'x' })).status, 409)
    assert.doesNotMatch((await browser.get('/account')).body, /Work laptop/)
    assert.equal((await sql`select from recovery_codes where user_id = ${person.id}`).length, 10, 'one is left')
    const added = await eventsOf(person.id, 'user.passkey_added')
    assert.deepEqual(
      added.map(({ details }) => details.name),
      ['Work laptop', 'Passkey 2'],
    )
    assert.deepEqual(await mailsTo(person.email), [
      ...['A passkey was added', 'A passkey was added', 'A passkey was removed'],
    ])
  })

  it('of another person are not removed', async () => {
    const [ada, eve] = [await createPerson(service), await createPerson(service)]
    await addPasskey(await signedIn(service, ada))
    const [passkey] = await sql`select id from passkeys where user_id = ${ada.id}`
    const browser = await signedIn(service, eve)
    assert.equal((await browser.post('/account/passkeys/remove', { id: passkey!.id })).status, 409)
    assert.equal((await sql`select from passkeys where user_id = ${ada.id}`).length, 1)
  })

  it('what is wrong with a new one is refused', async () => {
    const [ada, eve] = [await createPerson(service), await createPerson(service)]
    const [browser, other] = [await signedIn(service, ada), await signedIn(service, eve)]
    const ask = async (from = browser) => passkeyOptions((await from.get('/account/passkeys/new')).body)
    const refused: [title: string, Faults][] = [
      ['another origin', { origin: 'https://evil.test' }],
      ['another port', { origin: 'http://landbridge.test:8080' }],
      ['another domain', { rpId: 'evil.test' }],
      ['not unlocked by its owner', { userVerified: false }],
      ['made in a frame of another site', { crossOrigin: true }],
      ['an assertion', { type: 'webauthn.get' }],
      ['an invented challenge', { challenge: Buffer.alloc(100, 7).toString('base64url') }],
      ["somebody else's challenge", { challenge: (await ask(other)).challenge }],
      [
        'a challenge to sign in',
        { challenge: passkeyOptions((await new Browser(service).get('/sign-in')).body).challenge },
      ],
    ]
    for (const [title, faults] of refused) {
      const credential = new Authenticator('http://landbridge.test').create(await ask(), faults)
      assert.equal((await browser.post('/account/passkeys', { credential })).status, 422, title)
    }
    for (const credential of ['', '{', '[]', 'null', '{"type":"public-key"}', '1'.repeat(9_000)]) {
      assert.equal((await browser.post('/account/passkeys', { credential })).status, 422, credential.slice(0, 30))
    }
    const options = await ask()
    const credential = new Authenticator('http://landbridge.test').create(options)
    assert.equal((await browser.post('/account/passkeys', { credential, name: 'a\u0007b' })).status, 422)
    assert.equal((await browser.post('/account/passkeys', { credential })).status, 200)
    assert.equal((await browser.post('/account/passkeys', { credential })).status, 422, 'a challenge counts once')
    const another = new Authenticator('http://landbridge.test').create(options)
    assert.equal((await browser.post('/account/passkeys', { credential: another })).status, 422, 'for any passkey')
    const late = new Authenticator('http://landbridge.test').create(await ask())
    clock.forward(31 * 60)
    await browser.post('/account/prove', { recovery_code: 'x' })
    assert.notEqual((await browser.post('/account/passkeys', { credential: late })).status, 200)
    assert.equal((await sql`select from passkeys where user_id = ${ada.id}`).length, 1)
  })

  it('at most 20', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    for (let n = 0; n < 20; n += 1) await addPasskey(browser)
    const options = passkeyOptions((await browser.get('/account/passkeys/new')).body)
    const credential = new Authenticator('http://landbridge.test').create(options)
    assert.equal((await browser.post('/account/passkeys', { credential })).status, 409)
  })

  it('an address that is no portal has none', async () => {
    const person = await createPerson(service)
    for (const host of ['127.0.0.1', '[::1]', 'elsewhere.test']) {
      const browser = await signedIn(service, person, host)
      assert.match((await browser.get('/account')).body, /there can be no passkeys/)
      assert.equal((await browser.get('/account/passkeys/new')).location, '/account#factors')
      assert.doesNotMatch((await new Browser(service, { host }).get('/sign-in')).body, /data-passkey/)
    }
  })
})

describe('recovery codes', () => {
  it('a new set replaces the old; few left are warned of', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    assert.equal((await browser.post('/account/recovery-codes', {})).status, 409, 'without a factor there are none')
    const { codes } = await addApp(service, browser)
    const fresh = codesOn((await browser.post('/account/recovery-codes', {})).body)
    assert.equal(new Set([...codes, ...fresh]).size, 20)
    const use = async (recovery_code: string) => {
      const visitor = new Browser(service)
      await visitor.signIn(person)
      return (await visitor.post('/sign-in/second-factor', { recovery_code })).status
    }
    assert.equal(await use(codes[0]!), 401)
    for (const code of fresh.slice(0, 7)) assert.equal(await use(code.toUpperCase().replaceAll('-', ' ')), 303)
    assert.equal(await use(fresh[0]!), 401, 'each once')
    assert.match((await browser.get('/account')).body, /class="alert"><p>3 codes are left\. Create new ones/)
    const used = await eventsOf(person.id, 'user.recovery_code_used')
    assert.deepEqual(
      used.map(({ details }) => details.left),
      [9, 8, 7, 6, 5, 4, 3],
    )
    assert.ok((await mailsTo(person.email)).includes('A recovery code was used'))
    assert.ok(!JSON.stringify(used).includes(fresh[0]!))
  })
})

describe('CVE-2026-3429: with the password alone nobody changes a factor', () => {
  const routes: [path: string, form: (person: { id: string }) => Promise<Record<string, string>>][] = [
    ['/account/authenticator', async () => ({ totp: '123456' })],
    ['/account/authenticator/remove', async () => ({})],
    ['/account/passkeys', async () => ({ credential: '{}' })],
    [
      '/account/passkeys/remove',
      async ({ id }) => ({ id: (await sql`select id from passkeys where user_id = ${id}`)[0]!.id }),
    ],
    ['/account/recovery-codes', async () => ({})],
  ]
  it('every route', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    await addApp(service, browser)
    await addPasskey(browser)
    const state = async () =>
      JSON.stringify([
        await sql`select enabled_at, secret from totp_factors where user_id = ${person.id}`,
        await sql`select id from passkeys where user_id = ${person.id}`,
        await sql`select digest from recovery_codes where user_id = ${person.id} order by digest`,
      ])
    const before = await state()
    clock.forward(601)
    // A thief with the cookie and the password.
    assert.equal((await browser.post('/account/prove', { password: person.password })).status, 401)
    for (const [path, form] of routes) {
      const { status, location } = await browser.post(path, await form(person))
      assert.deepEqual([status, location?.startsWith('/account/prove?return_to=')], [303, true], path)
    }
    for (const path of ['/account/authenticator', '/account/passkeys/new']) {
      const { location } = await browser.get(path)
      assert.ok(location?.startsWith('/account/prove?return_to='), path)
    }
    const change = {
      password: person.password,
      new_password: 'another long sentence',
      repeated_password: 'another long sentence',
    }
    await browser.post('/account/password', change)
    assert.equal((await browser.post('/account/authenticator/remove', {})).status, 303, 'nor by way of a new password')
    assert.equal(await state(), before)
    const page = (await browser.get('/account/prove')).body
    assert.doesNotMatch(page, /type="password"/)
  })

  it('a session that was ended by a change makes none, though its request had begun', async () => {
    const person = await createPerson(service)
    const [owner, thief] = [await signedIn(service, person), await signedIn(service, person)]
    const secret = secretOn((await owner.get('/account/authenticator')).body)
    const options = passkeyOptions((await thief.get('/account/passkeys/new')).body)
    const credential = new Authenticator('http://landbridge.test').create(options)
    for (let round = 0; round < 5; round += 1) {
      const [enabled, added] = await Promise.all([
        owner.post('/account/authenticator', { totp: codeNow(service, secret) }),
        thief.post('/account/passkeys', { credential }),
      ])
      if (enabled.status === 200) assert.notEqual(added.status, 200)
    }
    const rows = await sql`select from sessions where user_id = ${person.id}`
    const passkeys = await sql`select from passkeys where user_id = ${person.id}`
    assert.equal(rows.length, 1)
    assert.ok((await isSignedIn(owner)) ? passkeys.length === 0 : passkeys.length === 1)
  })

  it('without a session, or from another site, nothing', async () => {
    const person = await createPerson(service)
    const browser = await signedIn(service, person)
    await addApp(service, browser)
    for (const [path] of routes) {
      const { location } = await new Browser(service).post(path, {})
      assert.equal(location, '/sign-in?return_to=/account', path)
      assert.equal((await browser.post(path, {}, { origin: 'https://evil.test' })).status, 403, path)
    }
  })
})
