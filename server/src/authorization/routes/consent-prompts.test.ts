import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { password, registerApplication, type TestApplication } from '../../../../test/support/applications.ts'
import { authorizePath, readConsent, walkToCode, walkToConsent } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'

const service = await startHarness()
const { clock } = service
const { addUser, addCustomer, reachConsent, codesOf } = consentScene(service)

describe('decision 6.6 prompt, max_age and login_hint', () => {
  const signedIn = async () => {
    const { browser, application } = await reachConsent()
    clock.forward(60)
    return { browser, application }
  }
  const ask = async (browser: Browser, application: TestApplication, parameters: Record<string, string>) =>
    await browser.follow(`http://landbridge.test${authorizePath(application, parameters)}`)

  it('a session is enough, and the consent screen is shown every time', async () => {
    const { browser, application } = await signedIn()
    for (const prompt of ['', 'consent']) {
      assert.match((await ask(browser, application, { prompt })).body, /name="decision"/)
    }
  })

  it('prompt=login and max_age passed: the person signs in again, once', async () => {
    for (const parameters of [{ prompt: 'login' }, { max_age: '59' }, { max_age: '0' }, { prompt: 'login consent' }]) {
      const { browser, application } = await signedIn()
      const page = await ask(browser, application, parameters)
      assert.match(page.body, /name="password"/, JSON.stringify(parameters))
      const again = await walkToConsent(service, application, { browser, parameters })
      assert.match(again.page.body, /name="decision"/)
      const form = readConsent(again.page)
      clock.forward(30)
      const fields = { request: form.request, customer_id: form.customer_ids[0]!, decision: 'approve' }
      assert.ok(parametersOf(await browser.post('/consent', fields)).code)
    }
  })

  it('max_age not passed: no new sign-in; auth_time is that of the sign-in', async () => {
    const { browser, application } = await signedIn()
    assert.match((await ask(browser, application, { max_age: '60' })).body, /name="decision"/)
    assert.match((await ask(browser, application, { max_age: '99999999999999' })).body, /name="decision"/)
  })

  it('a forged POST cannot skip the new sign-in', async () => {
    const { browser, application } = await signedIn()
    const start = await browser.get(`http://landbridge.test${authorizePath(application, { prompt: 'login' })}`)
    const request = new URL(start.location!).searchParams.get('request')!
    browser.host = 'acme.test'
    const form = { request, customer_id: application.customer_id, decision: 'approve' }
    const visit = await browser.post('/consent', form)
    assert.match(visit.location!, /^\/sign-in\?/)
    assert.equal(await codesOf(application), 0)
  })

  it('prompt=select_account: the person chooses who they are first', async () => {
    const { browser, application } = await signedIn()
    const page = await ask(browser, application, { prompt: 'select_account' })
    assert.match(page.body, /Which account\?/)
    const next = /href="(\/consent\?request=[^"]+)"/.exec(page.body)![1]!.replaceAll('&#38;', '&')
    assert.match((await browser.get(next)).body, /name="decision"/)
  })

  it('login_hint fills in the email', async () => {
    const application = await registerApplication(service)
    const browser = new Browser(service)
    const page = await ask(browser, application, { login_hint: 'somebody@example.com' })
    assert.match(page.body, /name="email" value="somebody@example.com"/)
  })

  it('prompt=none, not signed in → login_required; signed in too long ago for max_age → login_required', async () => {
    const application = await registerApplication(service)
    const notSignedIn = await ask(new Browser(service), application, { prompt: 'none', state: 's' })
    const { error_description, ...rest } = parametersOf(notSignedIn)
    assert.deepEqual(rest, { error: 'login_required', state: 's', iss: 'http://landbridge.test' })
    assert.ok(error_description)
    const known = await signedIn()
    const late = await ask(known.browser, known.application, { prompt: 'none', max_age: '59' })
    assert.equal(parametersOf(late).error, 'login_required')
  })

  it('prompt=none, not approved → consent_required; approved → a code without a screen', async () => {
    const { browser, application } = await signedIn()
    const first = await ask(browser, application, { prompt: 'none' })
    assert.equal(parametersOf(first).error, 'consent_required')
    await walkToCode(service, application, { browser })
    const second = await ask(browser, application, { prompt: 'none', state: 'silent' })
    assert.ok(second.location!.startsWith(`${application.redirect_uri}?code=lbc_`))
    assert.equal(parametersOf(second).state, 'silent')
  })

  it('prompt=none, nothing selectable or more than one approved → interaction_required', async () => {
    const application = await registerApplication(service)
    const member = await addUser(application.customer_id, 'mim', 'member')
    const browser = new Browser(service, { host: 'acme.test' })
    await browser.signIn(member)
    assert.equal(parametersOf(await ask(browser, application, { prompt: 'none' })).error, 'interaction_required')

    const second = await addCustomer(application, 'Second')
    await joinAlso(service, second, application.email, 'administrator')
    for (const customer_id of [application.customer_id, second]) await walkToCode(service, application, { customer_id })
    const admin = new Browser(service, { host: 'acme.test' })
    await admin.signIn({ email: application.email, password })
    assert.equal(parametersOf(await ask(admin, application, { prompt: 'none' })).error, 'interaction_required')
  })
})
