// The person an application asks for, by id_token_hint or login_hint (decision 6.6, OpenID Connect Core 3.1.2.1, 3.1.2.2).
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose'
import { exchange, registerApplication, type TestApplication } from '../../../../test/support/applications.ts'
import { authorizePath, readConsent, walkToCode } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'

const service = await startHarness()
const { clock, sql } = service
const { addUser, codesOf } = consentScene(service)

const application = await registerApplication(service)
const bob = await addUser(application.customer_id, 'bob', 'administrator')
const ada = { email: application.email, password: bob.password, id: application.user_id }

async function idTokenOf(person: { email: string }, of: TestApplication = application, scope?: string) {
  const parameters = scope ? { parameters: { scope } } : {}
  const code = await walkToCode(service, of, { email: person.email, ...parameters })
  return (await exchange(service, of, { ...code, grant_id: '' })).body.id_token as string
}
const hints = { ada: await idTokenOf(ada), bob: await idTokenOf(bob) }

async function signedIn(person: { email: string; password: string }): Promise<Browser> {
  const browser = new Browser(service, { host: 'acme.test' })
  await browser.signIn(person)
  clock.forward(1)
  return browser
}

const ask = (browser: Browser, parameters: Record<string, string>) =>
  browser.follow(`http://landbridge.test${authorizePath(application, parameters)}`)

describe('decision 6.6 prompt=none with an id_token_hint', () => {
  it('of the person who is signed in → a code', async () => {
    const visit = await ask(await signedIn(ada), { prompt: 'none', id_token_hint: hints.ada })
    assert.ok(parametersOf(visit).code, visit.location)
  })

  it('of another person → login_required, never a success', async () => {
    const before = await codesOf(application)
    const visit = await ask(await signedIn(ada), { prompt: 'none', id_token_hint: hints.bob, state: 's' })
    const { error_description, ...rest } = parametersOf(visit)
    assert.deepEqual(rest, { error: 'login_required', state: 's', iss: 'http://landbridge.test' })
    assert.ok(error_description)
    assert.equal(await codesOf(application), before)
  })

  it('of somebody, and nobody is signed in → login_required', async () => {
    const visit = await ask(new Browser(service), { prompt: 'none', id_token_hint: hints.ada })
    assert.equal(parametersOf(visit).error, 'login_required')
  })

  it('of a person who has left every organization, or whose account is gone → login_required for everyone else', async () => {
    const gone = await addUser(application.customer_id, 'gone', 'administrator')
    const hint = await idTokenOf(gone)
    await sql`delete from memberships where user_id = ${gone.id}`
    const visit = await ask(await signedIn(ada), { prompt: 'none', id_token_hint: hint })
    assert.equal(parametersOf(visit).error, 'login_required')
  })

  it('a login_hint with the email of another person → login_required; of the person → a code', async () => {
    const other = await ask(await signedIn(ada), { prompt: 'none', login_hint: bob.email })
    assert.equal(parametersOf(other).error, 'login_required')
    const own = await ask(await signedIn(ada), { prompt: 'none', login_hint: ada.email.toUpperCase() })
    assert.ok(parametersOf(own).code)
  })
})

describe('decision 6.6 which id_token_hint is accepted', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const header = decodeProtectedHeader(hints.ada) as { alg: string; kid: string }
  const claims = decodeJwt(hints.ada)
  const [head, payload, signature] = hints.ada.split('.') as [string, string, string]
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

  const invalid: [title: string, hint: () => Promise<string> | string][] = [
    ['no JWT at all', () => 'nonsense'],
    ['two parts', () => `${head}.${payload}`],
    ['a header that is no JSON', () => `${Buffer.from('{').toString('base64url')}.${payload}.${signature}`],
    ['a JWE of five parts', () => `${head}.a.b.c.d`],
    ['another person written into the claims', () => `${head}.${encode({ ...claims, sub: bob.id })}.${signature}`],
    ['signed by somebody else under our kid', () => new SignJWT(claims).setProtectedHeader(header).sign(privateKey)],
    [
      'signed by somebody else under their own kid',
      () => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'x' }).sign(privateKey),
    ],
    ['without a kid', () => new SignJWT(claims).setProtectedHeader({ alg: 'RS256' }).sign(privateKey)],
    ['alg none', () => new UnsecuredJWT(claims).encode()],
    ['alg none under our kid', () => `${encode({ alg: 'none', kid: header.kid })}.${payload}.`],
    [
      'HMAC with the public key as its secret',
      async () => {
        const [key] = await sql`select public_jwk from signing_keys where kid = ${header.kid}`
        const secret = new TextEncoder().encode(JSON.stringify(key!.public_jwk))
        return await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: header.kid }).sign(secret)
      },
    ],
    ['of another application', async () => idTokenOfAnother],
    ['longer than any of ours', () => `${head}.${'A'.repeat(9_000)}.${signature}`],
  ]
  let idTokenOfAnother = ''

  it('one that this service did not sign for this application → invalid_request on the redirect, with and without prompt=none', async () => {
    const another = await registerApplication(service)
    idTokenOfAnother = await idTokenOf({ email: another.email }, another)
    const browser = await signedIn(ada)
    for (const [title, hint] of invalid) {
      for (const prompt of ['none', 'consent']) {
        const visit = await ask(browser, { prompt, id_token_hint: await hint(), state: 's' })
        const { error_description, ...rest } = parametersOf(visit)
        assert.deepEqual(rest, { error: 'invalid_request', state: 's', iss: 'http://landbridge.test' }, title)
        assert.match(error_description!, /id_token_hint/)
      }
    }
  })

  it('sent twice → invalid_request; empty → as if it were not sent', async () => {
    const browser = await signedIn(ada)
    const path = `${authorizePath(application, { prompt: 'none', id_token_hint: hints.ada })}&id_token_hint=${hints.bob}`
    assert.equal(parametersOf(await browser.get(`http://landbridge.test${path}`)).error, 'invalid_request')
    browser.host = 'acme.test'
    assert.ok(parametersOf(await ask(browser, { prompt: 'none', id_token_hint: '' })).code)
  })

  it('an expired one still names its person', async () => {
    clock.forward(3_601)
    assert.ok(parametersOf(await ask(await signedIn(ada), { prompt: 'none', id_token_hint: hints.ada })).code)
    const other = await ask(await signedIn(ada), { prompt: 'none', id_token_hint: hints.bob })
    assert.equal(parametersOf(other).error, 'login_required')
  })

  it('one whose key has been retired counts while the key is known, one of a leaked key does not', async () => {
    const { body } = await service.operator('POST', '/signing-keys', { alg: 'RS256' })
    clock.forward(301)
    await service.operator('DELETE', `/signing-keys/${header.kid}`)
    assert.ok(parametersOf(await ask(await signedIn(ada), { prompt: 'none', id_token_hint: hints.ada })).code)
    const later = await idTokenOf(ada)
    assert.equal(decodeProtectedHeader(later).kid, body.kid)
    await service.operator('DELETE', `/signing-keys/${header.kid}?leaked=true`)
    const visit = await ask(await signedIn(ada), { prompt: 'none', id_token_hint: hints.ada })
    assert.equal(parametersOf(visit).error, 'invalid_request')
    hints.ada = later
    hints.bob = await idTokenOf(bob)
  })
})

describe('decision 6.6 without prompt=none', () => {
  it('a hint of another person leads to a sign-in as that person, and only that person connects', async () => {
    const browser = await signedIn(ada)
    const page = await ask(browser, { id_token_hint: hints.bob })
    assert.match(page.body, /name="password"/)
    assert.match(page.body, new RegExp(`name="email" value="${bob.email}"`), 'the email that the token carries')
    const returnTo = /name="return_to" value="([^"]+)"/.exec(page.body)![1]!.replaceAll('&#38;', '&')

    // Signed in as somebody else: a page says so, and even a forged POST gets no code.
    const wrong = await browser.follow((await browser.signIn(ada, returnTo)).location!)
    assert.equal(wrong.status, 403)
    assert.match(wrong.body, /Another account is needed/)
    assert.doesNotMatch(wrong.body, /name="decision"/)
    const request = new URL(returnTo, 'http://x').searchParams.get('request')!
    const before = await codesOf(application)
    const fields = { request, customer_id: application.customer_id, decision: 'approve' }
    assert.match((await browser.post('/consent', fields)).location!, /^\/sign-in/)
    assert.equal(await codesOf(application), before)

    const right = await browser.follow((await browser.signIn(bob, returnTo)).location!)
    assert.equal(readConsent(right).request, request)
    const visit = await browser.post('/consent', fields)
    const [code] = await sql`select user_id from authorization_codes order by expires_at desc limit 1`
    assert.ok(parametersOf(visit).code)
    assert.equal(code!.user_id, bob.id)
  })

  it('a hint without an email claim shows no email on the sign-in page', async () => {
    const hint = await idTokenOf(bob, application, 'openid')
    const page = await ask(await signedIn(ada), { id_token_hint: hint })
    assert.match(page.body, /name="password"/)
    assert.ok(!page.body.includes(bob.email))
  })

  it('a hint of the person goes straight to the consent screen', async () => {
    assert.match((await ask(await signedIn(ada), { id_token_hint: hints.ada })).body, /name="decision"/)
  })

  it('a login_hint of another person asks for a sign-in once, and then accepts anyone', async () => {
    const browser = await signedIn(ada)
    const page = await ask(browser, { login_hint: bob.email })
    assert.match(page.body, new RegExp(`name="email" value="${bob.email}"`))
    const returnTo = /name="return_to" value="([^"]+)"/.exec(page.body)![1]!.replaceAll('&#38;', '&')
    const consent = await browser.follow((await browser.signIn(ada, returnTo)).location!)
    assert.match(consent.body, /name="decision"/)
  })
})
