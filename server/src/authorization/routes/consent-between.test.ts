import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { password, registerApplication } from '../../../../test/support/applications.ts'
import { authorizePath, walkToCode, walkToConsent } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { overlap } from '../../../../test/support/locks.ts'

const service = await startHarness()
const { sql, clock } = service
const { addUser, reachConsent, codesOf, assertNoCode } = consentScene(service)

describe('4.1 consent: changes between the screen and the decision', () => {
  it('many people who connect at once share one grant', async () => {
    const application = await registerApplication(service)
    const people = await Promise.all(
      Array.from({ length: 6 }, (_, n) => addUser(application.customer_id, `p${n}`, 'administrator')),
    )
    const screens = await Promise.all(people.map((person) => reachConsent(person, application)))
    const visits = await Promise.all(screens.map(({ browser, form }) => browser.post('/consent', form)))
    assert.ok(visits.every((visit) => parametersOf(visit).code))
    const grants = await sql`select 1 from grants where client_id = ${application.client_id}`
    assert.equal(grants.length, 1)
  })

  it('the session ended: sign in again, see the screen again, then decide', async () => {
    const { application, browser, form } = await reachConsent()
    await sql`delete from sessions where user_id = ${application.user_id}`
    const visit = await browser.post('/consent', form)
    assert.equal(visit.status, 303)
    assert.match(visit.location!, /^\/sign-in\?return_to=%2Fconsent%3Frequest%3D/)
    assert.equal(await codesOf(application), 0)
    const back = await browser.signIn({ email: application.email, password }, `/consent?request=${form.request}`)
    assert.equal((await browser.get(back.location!)).status, 200)
    assert.ok(parametersOf(await browser.post('/consent', form)).code)
  })

  it('another person signed in in a second tab: the decision of the first is not taken for theirs', async () => {
    const { application, browser, form } = await reachConsent()
    const other = await addUser(application.customer_id, 'olga', 'administrator')
    await browser.signIn(other)
    const visit = await browser.post('/consent', form)
    await assertNoCode(visit, application, 409)
    assert.match(visit.body, new RegExp(other.email))
    assert.ok(parametersOf(await browser.post('/consent', form)).code, 'after seeing the screen, they may')
  })

  it('a request that another session saw last cannot be decided by this one', async () => {
    const { application, browser, form } = await reachConsent()
    const attacker = new Browser(service, { host: 'acme.test' })
    const eve = await addUser(application.customer_id, 'eve', 'administrator')
    await attacker.signIn(eve)
    await assertNoCode(await attacker.post('/consent', form), application, 409)
    await assertNoCode(await browser.post('/consent', form), application, 409)
  })

  it('the request expired → 410 page', async () => {
    const { application, browser, form } = await reachConsent()
    clock.forward(15 * 60)
    const visit = await browser.post('/consent', form)
    await assertNoCode(visit, application, 410)
    assert.match(visit.body, /request has expired/)
    await assertNoCode(await browser.get(`/consent?request=${form.request}`), application, 410)
  })

  it('the application was disabled in between → 400 invalid_client page, also when it declines', async () => {
    const { application, browser, form } = await reachConsent()
    await service.operator('PATCH', `/applications/${application.client_id}`, { enabled: false })
    await assertNoCode(await browser.get(`/consent?request=${form.request}`), application, 400)
    const visit = await browser.post('/consent', form)
    await assertNoCode(visit, application, 400)
    assert.match(visit.body, /<code>invalid_client<\/code>/)
    await assertNoCode(await browser.post('/consent', { ...form, decision: 'decline' }), application, 400)
  })

  it('disabling while people connect: no grant survives, whichever comes first', async () => {
    for (const connectsFirst of [true, false]) {
      const { application, browser, form } = await reachConsent()
      const connect = () => browser.post('/consent', form)
      const disable = () => service.operator('PATCH', `/applications/${application.client_id}`, { enabled: false })
      const replies = connectsFirst ? await overlap(sql, connect, disable) : await overlap(sql, disable, connect)
      assert.deepEqual(
        replies.map(({ status }) => status),
        connectsFirst ? [303, 200] : [200, 400],
      )
      const active = await sql`
        select 1 from grants where client_id = ${application.client_id} and revoked_at is null`
      assert.equal(active.length, 0)
    }
  })

  it('the redirect URI was taken away in between → 400 page, no redirect to it', async () => {
    const { application, browser, form } = await reachConsent()
    const redirect_uris = ['https://app.example.com/other']
    await service.operator('PATCH', `/applications/${application.client_id}`, { redirect_uris })
    await assertNoCode(await browser.post('/consent', form), application, 400)
  })

  it('the person lost the role, the membership, or the approval was narrowed in between → 403 page', async () => {
    const application = await registerApplication(service)
    const second = await addUser(application.customer_id, 'sam', 'administrator')
    const demoted = await reachConsent(second, application)
    await sql`update memberships set role = 'member' where user_id = ${second.id}`
    await assertNoCode(await demoted.browser.post('/consent', demoted.form), application, 403)

    await walkToCode(service, application)
    const narrowed = await reachConsent(second, application)
    await sql`update approvals set policy = 'administrators' where client_id = ${application.client_id}`
    await assertNoCode(await narrowed.browser.post('/consent', narrowed.form), application, 403, 1)

    await sql`update memberships set role = 'administrator' where user_id = ${second.id}`
    const deactivated = await reachConsent(second, application)
    await sql`update memberships set active = false where user_id = ${second.id}`
    await assertNoCode(await deactivated.browser.post('/consent', deactivated.form), application, 403, 1)
  })

  it('the portal domain moved in between: the screen is shown at the new address only', async () => {
    const { application, browser, form } = await reachConsent()
    await service.operator('PATCH', `/partners/${application.partner_id}`, { portal_domain: 'moved.test' })
    await assertNoCode(await browser.post('/consent', form), application, 421)
    await service.operator('PATCH', `/partners/${application.partner_id}`, { portal_domain: null })
    await assertNoCode(await browser.post('/consent', form), application, 500)
  })
})

describe('consent: forged and malformed decisions', () => {
  it('CSRF: a decision from a foreign page is refused', async () => {
    const { application, browser, form } = await reachConsent()
    for (const origin of ['https://app.example.com', 'null', 'http://landbridge.test', '']) {
      const visit = await browser.post('/consent', form, { origin, 'sec-fetch-site': 'cross-site' })
      await assertNoCode(visit, application, 403)
    }
  })

  it('no request, an unknown one, no decision, another decision, no row, repeated fields → a page, never a code', async () => {
    const { application, browser, form } = await reachConsent()
    const { request, ...rest } = form
    await assertNoCode(await browser.post('/consent', rest), application, 404)
    await assertNoCode(await browser.post('/consent', { ...form, request: `${request}x` }), application, 404)
    await assertNoCode(await browser.get('/consent'), application, 404)
    await assertNoCode(await browser.post('/consent', { ...form, decision: '' }), application, 400)
    await assertNoCode(await browser.post('/consent', { ...form, decision: 'Approve' }), application, 400)
    await assertNoCode(await browser.post('/consent', { ...form, customer_id: '' }), application, 422)
    const payload = `${new URLSearchParams(form)}&decision=decline`
    const headers = { ...browser.headers, 'content-type': 'application/x-www-form-urlencoded' }
    const repeated = await service.app.inject({ method: 'POST', url: '/consent', payload, headers })
    assert.equal(repeated.statusCode, 400)
    assert.equal(repeated.headers.location, undefined)
    assert.ok(parametersOf(await browser.post('/consent', form)).code, 'none of it spent the request')
  })

  it('XSS: names of applications, partners, customers, groups and people are escaped', async () => {
    const evil = `<script>alert(1)</script>"'`
    const application = await registerApplication(service)
    await sql`update partners set name = ${evil} where id = ${application.partner_id}`
    await sql`update applications set name = ${evil} where client_id = ${application.client_id}`
    await sql`update customers set name = ${evil} where id = ${application.customer_id}`
    await sql`update users set name = ${evil}, email = ${`${evil}@x.test`} where id = ${application.user_id}`
    const pages = [(await walkToConsent(service, application, { email: `${evil}@x.test` })).page]
    const member = await addUser(application.customer_id, 'mo', 'member')
    pages.push((await walkToConsent(service, application, member)).page)
    const notSignedIn = new Browser(service)
    const path = authorizePath(application, { login_hint: evil, state: evil })
    pages.push(await notSignedIn.follow(`http://landbridge.test${path}`))
    for (const page of pages) {
      assert.equal(page.status, 200)
      // Those of the service itself have attributes.
      assert.ok(!page.body.includes('<script>'))
      assert.ok(page.body.includes('&#60;script'))
    }
  })
})
