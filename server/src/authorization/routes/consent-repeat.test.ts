// Decision 6.15: a second click of the same session redirects again, with a code that works.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exchange, password, registerApplication, type TestApplication } from '../../../../test/support/applications.ts'
import { authorizePath, walkToCode } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import { Browser, type Visit } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { buildApp } from '../../build-app.ts'
import { openDatabase } from '../../platform/database/database.ts'
import { ownLimits } from '../../platform/own-limits.ts'

const service = await startHarness()
const { sql, clock } = service
const { addUser, addCustomer, reachConsent, codesOf, assertNoCode } = consentScene(service)

/** The verifier of the challenge that `authorizePath` sends (RFC 7636 appendix B). */
const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

async function assertWorksOnce(application: TestApplication, location: string | undefined) {
  const { code, ...rest } = parametersOf({ location } as Visit)
  assert.ok(code, location)
  assert.deepEqual(rest, { state: 'state of the client', iss: 'http://landbridge.test' })
  const presented = { code, code_verifier, redirect_uri: application.redirect_uri, grant_id: '' }
  assert.equal((await exchange(service, application, presented)).status, 200)
  assert.equal((await exchange(service, application, presented)).body.error, 'invalid_grant')
}

describe('decision 6.15 the same decision again, by the session that made it', () => {
  it('Connect twice: both lead back, each with its own code that works once', async () => {
    const { application, browser, form } = await reachConsent()
    const [first, second] = [await browser.post('/consent', form), await browser.post('/consent', form)]
    assert.deepEqual([first.status, second.status], [303, 303])
    assert.notEqual(parametersOf(first).code, parametersOf(second).code)
    await assertWorksOnce(application, second.location)
    await assertWorksOnce(application, first.location)
    const grants = await sql`select 1 from grants where client_id = ${application.client_id}`
    assert.equal(grants.length, 1)
    const given = await sql`
      select 1 from audit_events where type = 'approval.given' and application_id = ${application.client_id}`
    assert.equal(given.length, 1, 'the approval is not given twice')
  })

  it('Decline twice: both lead back with access_denied', async () => {
    const { application, browser, form } = await reachConsent()
    for (let click = 0; click < 2; click += 1) {
      const visit = await browser.post('/consent', { ...form, decision: 'decline' })
      assert.equal(visit.status, 303)
      assert.equal(parametersOf(visit).error, 'access_denied')
    }
    assert.equal(await codesOf(application), 0)
  })

  it('many at the same moment, on two processes: all lead back, each with a working code', async () => {
    const other = openDatabase({ url: service.databaseUrl, max: 4 })
    const app = await buildApp({ ...service.context, sql: other })
    for (let round = 0; round < 3; round += 1) {
      const { application, browser, form } = await reachConsent()
      const headers = { ...browser.headers, 'content-type': 'application/x-www-form-urlencoded' }
      const payload = new URLSearchParams(form).toString()
      const responses = await Promise.all(
        [service.app, app, service.app, app].map((instance) =>
          instance.inject({ method: 'POST', url: '/consent', headers, payload }),
        ),
      )
      for (const { statusCode, headers: sent } of responses) {
        assert.equal(statusCode, 303)
        await assertWorksOnce(application, sent.location)
      }
      const grants = await sql`select 1 from grants where client_id = ${application.client_id}`
      assert.equal(grants.length, 1)
    }
    await app.close()
    await other.end({ timeout: 1 })
  })

  it('the page loaded again (back button) offers the way back, and shows no question', async () => {
    for (const decision of ['approve', 'decline']) {
      const { browser, form } = await reachConsent()
      await browser.post('/consent', { ...form, decision })
      const page = await browser.get(`/consent?request=${form.request}`)
      assert.equal(page.status, 200)
      assert.match(page.body, /You have already decided/)
      assert.doesNotMatch(page.body, /type="radio"/)
      const fields = [...page.body.matchAll(/name="(request|customer_id|decision)" value="([^"]+)"/g)]
      const visit = await browser.post('/consent', Object.fromEntries(fields.map(([, name, value]) => [name, value])))
      const { code, error } = parametersOf(visit)
      if (decision === 'approve') assert.ok(code)
      else assert.equal(error, 'access_denied')
    }
  })

  it('prompt=none loaded again leads back again: with a code, or with the same error', async () => {
    const { application, browser } = await reachConsent()
    await walkToCode(service, application, { browser })
    const path = `http://landbridge.test${authorizePath(application, { prompt: 'none' })}`
    const silent = (await browser.get(path)).location!
    for (let load = 0; load < 2; load += 1) await assertWorksOnce(application, (await browser.get(silent)).location)
    const notSignedIn = new Browser(service)
    const refused = (await notSignedIn.get(path)).location!
    for (let load = 0; load < 2; load += 1) {
      assert.equal(parametersOf(await notSignedIn.get(refused)).error, 'login_required')
    }
    await assertNoCode(await browser.get(refused), application, 410, await codesOf(application))
    await assertNoCode(await notSignedIn.get(silent), application, 410, await codesOf(application))
  })
})

describe('decision 6.15 what is not a repeat', () => {
  it('another decision: the first one stays, in either direction, and so does the organization', async () => {
    const application = await registerApplication(service)
    const second = await addCustomer(application, 'Second')
    const body = { name: 'Ada', email: application.email, password, role: 'administrator' }
    await service.operator('POST', `/customers/${second}/users`, body)
    const approved = await reachConsent({}, application)
    const form = { ...approved.form, customer_id: application.customer_id }
    await approved.browser.post('/consent', form)
    const { browser } = approved
    await assertNoCode(await browser.post('/consent', { ...form, decision: 'decline' }), application, 410, 1)
    await assertNoCode(await browser.post('/consent', { ...form, customer_id: second }), application, 410, 1)

    const declined = await reachConsent()
    await declined.browser.post('/consent', { ...declined.form, decision: 'decline' })
    await assertNoCode(await declined.browser.post('/consent', declined.form), declined.application, 410)
  })

  it('another session, of another person or of the same one, or none at all: refused, and nothing changes hands', async () => {
    const { application, browser, form } = await reachConsent()
    const colleague = await addUser(application.customer_id, 'eve', 'administrator')
    await browser.post('/consent', form)
    for (const person of [colleague, { email: application.email, password }]) {
      const other = new Browser(service, { host: 'acme.test' })
      await other.signIn(person)
      await assertNoCode(await other.post('/consent', form), application, 410, 1)
      await assertNoCode(await other.get(`/consent?request=${form.request}`), application, 410, 1)
    }
    const signedOut = new Browser(service, { host: 'acme.test' })
    await assertNoCode(await signedOut.post('/consent', form), application, 410, 1)
    assert.ok(parametersOf(await browser.post('/consent', form)).code, 'the session that decided still can')
  })

  it('a session that has ended, or that a password change ended: refused', async () => {
    const { application, browser, form } = await reachConsent()
    await browser.post('/consent', form)
    await sql`delete from sessions where user_id = ${application.user_id}`
    await assertNoCode(await browser.post('/consent', form), application, 410, 1)
  })

  it('after the request has expired, or after too many: refused', async () => {
    const late = await reachConsent()
    await late.browser.post('/consent', late.form)
    clock.forward(15 * 60)
    const refused = await late.browser.post('/consent', late.form)
    await assertNoCode(refused, late.application, 410, 1)
    assert.doesNotMatch(refused.body, /Nothing was connected/, 'which would not be true')

    const { application, browser, form } = await reachConsent()
    for (let click = 0; click < ownLimits.decisionsPerRequest; click += 1) {
      assert.equal((await browser.post('/consent', form)).status, 303)
    }
    await assertNoCode(await browser.post('/consent', form), application, 410, ownLimits.decisionsPerRequest)
  })

  it('every condition is checked again: application, redirect URI, role, max_age, portal domain', async () => {
    const disabled = await reachConsent()
    await disabled.browser.post('/consent', disabled.form)
    await service.operator('PATCH', `/applications/${disabled.application.client_id}`, { enabled: false })
    await assertNoCode(await disabled.browser.post('/consent', disabled.form), disabled.application, 400, 1)

    const moved = await reachConsent()
    await moved.browser.post('/consent', moved.form)
    const redirect_uris = ['https://app.example.com/other']
    await service.operator('PATCH', `/applications/${moved.application.client_id}`, { redirect_uris })
    await assertNoCode(await moved.browser.post('/consent', moved.form), moved.application, 400, 1)

    const removed = await reachConsent()
    await removed.browser.post('/consent', removed.form)
    await sql`delete from memberships where user_id = ${removed.application.user_id}`
    await assertNoCode(await removed.browser.post('/consent', removed.form), removed.application, 403, 1)

    const elsewhere = await reachConsent()
    await elsewhere.browser.post('/consent', elsewhere.form)
    await service.operator('PATCH', `/partners/${elsewhere.application.partner_id}`, { portal_domain: 'moved.test' })
    await assertNoCode(await elsewhere.browser.post('/consent', elsewhere.form), elsewhere.application, 421, 1)

    const { application, browser } = await reachConsent()
    clock.forward(30)
    const aged = await reachConsent({ browser, parameters: { max_age: '60' } }, application)
    assert.equal((await browser.post('/consent', aged.form)).status, 303)
    clock.forward(31)
    await assertNoCode(await browser.post('/consent', aged.form), application, 410, 1)
  })

  it('an approval withdrawn in between stays withdrawn', async () => {
    const { application, browser, form } = await reachConsent()
    await browser.post('/consent', form)
    const url = `/core/v1/organization/connected-apps/${application.client_id}`
    const withdrawn = await service.app.inject({ method: 'DELETE', url, headers: browser.headers })
    assert.equal(withdrawn.statusCode, 200, withdrawn.body)
    await assertNoCode(await browser.post('/consent', form), application, 410, 1)
    assert.equal((await sql`select 1 from approvals where client_id = ${application.client_id}`).length, 0)
  })

  it('a session whose grant was revoked in between gets a code of a new grant, as a new request would', async () => {
    const { application, browser, form } = await reachConsent()
    const first = await browser.post('/consent', form)
    await sql`update grants set revoked_at = ${clock.now()}, revoked_because = 'test' where client_id = ${application.client_id}`
    const presented = {
      code: parametersOf(first).code!,
      code_verifier,
      redirect_uri: application.redirect_uri,
      grant_id: '',
    }
    assert.equal((await exchange(service, application, presented)).body.error, 'invalid_grant')
    await assertWorksOnce(application, (await browser.post('/consent', form)).location)
  })
})
