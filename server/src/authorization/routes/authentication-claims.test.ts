import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeJwt } from 'jose'
import { exchange, nextAddress, refresh, registerApplication } from '../../../../test/support/applications.ts'
import { authorizePath, readConsent, walkToCode, walkToConsent } from '../../../../test/support/consent.ts'
import { giveApp, openedWith, takeFactors } from '../../../../test/support/factors.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { sealTotpSecret } from '../../directory/accounts/factors/factors.ts'
import { codeOfStep, newTotpSecret, stepOf } from '../../directory/accounts/factors/totp.ts'

const service = await startHarness()
const { clock, sql } = service
const application = await registerApplication(service)
const { user_id, email, customer_id } = application
const mf = 'http://schemas.openid.net/pape/policies/2007/06/multi-factor'
const mfa = ['pwd', 'otp', 'mfa']

/** Signed in by password, as if before the factor was set up. */
async function signedIn(): Promise<Browser> {
  await takeFactors(service, user_id)
  const browser = new Browser(service, { address: nextAddress() })
  const { page } = await walkToConsent(service, application, { browser, email })
  assert.equal(page.status, 200)
  return browser
}

async function claimsOf(browser: Browser, parameters: Record<string, string> = {}) {
  const code = await walkToCode(service, application, { browser, parameters: { scope: 'openid', ...parameters } })
  const { body } = await exchange(service, application, { ...code, grant_id: '' })
  return { claims: decodeJwt(body.id_token), refresh_token: body.refresh_token as string }
}

/** As the prove page does. */
async function prove(methods: string[]): Promise<void> {
  await openedWith(service, user_id, methods)
  await sql`update sessions set proved_at = ${clock.now()} where user_id = ${user_id}`
}

const seconds = () => Math.floor(clock.now().getTime() / 1000)

describe('decision 6.69: what an application learns of how the person signed in', () => {
  it('a password only: amr says so, and no acr is claimed, whatever was asked for', async () => {
    const { claims } = await claimsOf(await signedIn(), { acr_values: `phr ${mf}` })
    assert.deepEqual([claims.amr, claims.acr], [['pwd'], undefined])
  })

  it('who can present what is asked for is led to it, once, and comes back; acr, amr and auth_time say it', async () => {
    const browser = await signedIn()
    await giveApp(service, user_id)
    clock.forward(60)
    const url = authorizePath(application, { acr_values: mf })
    const led = await browser.follow(new URL(url, 'http://landbridge.test').href)
    assert.match(led.location ?? led.body, /return_to/)
    const { page } = await walkToConsent(service, application, { browser, parameters: { acr_values: mf } })
    assert.equal(readConsent(page).customer_ids.length, 0, 'no decision before the factor')
    clock.forward(1)
    const at = seconds()
    await prove(mfa)
    clock.forward(5)
    const { claims, refresh_token } = await claimsOf(browser, { acr_values: mf })
    assert.deepEqual([claims.acr, claims.amr, claims.auth_time], [mf, mfa, at])
    await takeFactors(service, user_id)
    clock.forward(1_000)
    const again = await refresh(service, application, refresh_token)
    const refreshed = decodeJwt(again.body.id_token)
    assert.deepEqual([refreshed.acr, refreshed.amr, refreshed.auth_time], [mf, mfa, at])
    const third = decodeJwt((await refresh(service, application, again.body.refresh_token)).body.id_token)
    assert.deepEqual([third.acr, third.amr], [mf, mfa])
  })

  it('with a real app: a password does not step up (CVE-2026-3429), a code does, and leads back to the decision', async () => {
    const browser = await signedIn()
    const secret = newTotpSecret()
    const box = sealTotpSecret(service.context, user_id, secret)
    await sql`
      insert into totp_factors (user_id, secret, last_step, created_at, enabled_at)
      values (${user_id}, ${box}, 0, ${clock.now()}, ${clock.now()})`
    clock.forward(60)
    const led = await browser.follow(
      new URL(authorizePath(application, { acr_values: mf }), 'http://landbridge.test').href,
    )
    const return_to = decodeURIComponent(
      /name="return_to" value="([^"]+)"/.exec(led.body)![1]!.replaceAll('&#38;', '&'),
    )
    assert.match(return_to, /^\/consent\?request=/)
    const byPassword = await browser.post('/account/prove', { password: 'correct horse battery', return_to })
    assert.notEqual(byPassword.status, 303)
    const totp = codeOfStep(secret, stepOf(clock.now()))
    const proved = await browser.post('/account/prove', { totp, return_to })
    assert.deepEqual([proved.status, proved.location], [303, return_to])
    assert.equal(readConsent(await browser.follow(return_to)).customer_ids.length, 1)
    const { claims } = await claimsOf(browser, { acr_values: mf })
    assert.deepEqual([claims.acr, claims.amr, claims.auth_time], [mf, mfa, seconds()])
  })

  it('of two that were asked for, the one that was reached; without a wish, the strongest', async () => {
    const browser = await signedIn()
    await openedWith(service, user_id, ['hwk', 'user', 'mfa'])
    assert.equal((await claimsOf(browser)).claims.acr, 'phr')
    assert.equal((await claimsOf(browser, { acr_values: `${mf} phr` })).claims.acr, mf)
    await openedWith(service, user_id, mfa)
    assert.equal((await claimsOf(browser, { acr_values: 'phr' })).claims.acr, mf)
  })

  it('prompt=none asks for nothing: it says what is true', async () => {
    const browser = await signedIn()
    await claimsOf(browser)
    await giveApp(service, user_id)
    const silent = authorizePath(application, { prompt: 'none', acr_values: mf })
    const back = await browser.follow(new URL(silent, 'http://landbridge.test').href)
    assert.ok(new URL(back.location!).searchParams.get('code'))
  })

  it('acr_values twice is an error, and a very long one is none', async () => {
    const browser = await signedIn()
    const url = `${authorizePath(application, { acr_values: mf })}&acr_values=phr`
    const { location } = await browser.follow(new URL(url, 'http://landbridge.test').href)
    assert.equal(new URL(location!).searchParams.get('error'), 'invalid_request')
    const long = await walkToConsent(service, application, { browser, parameters: { acr_values: 'x '.repeat(2_000) } })
    assert.equal(long.page.status, 200)
  })

  it('a token that 1.0.0 issued has neither, and goes on', async () => {
    const { refresh_token } = await claimsOf(await signedIn())
    await sql`update refresh_tokens set acr = null, amr = null`
    const claims = decodeJwt((await refresh(service, application, refresh_token)).body.id_token)
    assert.deepEqual(['acr' in claims, 'amr' in claims], [false, false])
  })

  it('discovery names what can be asked for', async () => {
    const document = (await service.app.inject('/.well-known/openid-configuration')).json()
    assert.deepEqual(document.acr_values_supported, ['phr', mf])
    for (const claim of ['acr', 'amr', 'auth_time']) assert.ok(document.claims_supported.includes(claim))
  })
})

describe('decision 6.66: consent for an organization that requires a second factor', () => {
  it('is refused after the grace, with what to do; it is judged again at the decision, and silently too', async () => {
    const browser = await signedIn()
    const open = async () => (await walkToConsent(service, application, { browser, email })).page
    const ready = await open()
    assert.equal(readConsent(ready).customer_ids.length, 1)
    const long = new Date(clock.now().getTime() - 30 * 86_400_000)
    await sql`update memberships set created_at = ${long} where customer_id = ${customer_id}`
    await sql`
      update customers set second_factor_administrators_since = ${long}, second_factor_all_since = ${long}
      where id = ${customer_id}`
    const { request } = readConsent(ready)
    const decided = await browser.post('/consent', { request, customer_id, decision: 'approve' })
    assert.equal(decided.status, 403)
    assert.match(decided.body, /requires a second factor, and you have none yet/)
    assert.match(decided.body, /href="\/account"/)
    const silent = authorizePath(application, { prompt: 'none' })
    const back = await browser.follow(new URL(silent, 'http://landbridge.test').href)
    assert.equal(new URL(back.location!).searchParams.get('error'), 'interaction_required')
    await giveApp(service, user_id)
    const page = await open()
    assert.match(page.body, /you signed in without yours/)
    assert.match(page.body, /href="\/account\/prove\?return_to=/)
    await prove(mfa)
    assert.equal(readConsent(await open()).customer_ids.length, 1)
    assert.equal((await claimsOf(browser)).claims.acr, mf)
  })
})
