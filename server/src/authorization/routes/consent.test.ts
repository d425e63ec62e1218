import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../platform/identifiers.ts'
import { exchange, password, registerApplication, type TestApplication } from '../../testing/applications.ts'
import { Browser, type Visit } from '../../testing/browser.ts'
import { authorizePath, readConsent, walkToCode, walkToConsent } from '../../testing/consent.ts'
import { startHarness } from '../../testing/harness.ts'

const service = await startHarness()
const { sql, clock } = service

async function addUser(customerId: string, name: string, role: 'administrator' | 'member', groups: string[] = []) {
  const email = `${name}-${newId()}@example.com`
  const body = { name, email, password, role, groups }
  const created = await service.operator('POST', `/customers/${customerId}/users`, body)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  return { id: created.body.id as string, email, password }
}

async function addCustomer(application: TestApplication, name: string): Promise<string> {
  const { body } = await service.operator('POST', '/customers', { partner_id: application.partner_id, name })
  return body.id
}

/** The consent screen in front of an administrator, with the form's fields. */
async function reachConsent(walk: Parameters<typeof walkToConsent>[2] = {}, known?: TestApplication) {
  const application = known ?? (await registerApplication(service))
  const { browser, page } = await walkToConsent(service, application, walk)
  const { request, customer_ids } = readConsent(page)
  const form = { request, customer_id: customer_ids[0] ?? '', decision: 'approve' }
  return { application, browser, page, form }
}

const codesOf = async ({ client_id }: { client_id: string }) => {
  const rows = await sql`select 1 from authorization_codes where client_id = ${client_id}`
  return rows.length
}
const parametersOf = ({ location }: Visit) => Object.fromEntries(new URL(location ?? 'x:y').searchParams)

/** A clear page, no way to the application, and no code. */
async function assertNoCode(visit: Visit, application: { client_id: string }, status: number, codes = 0) {
  assert.equal(visit.status, status, visit.location ?? visit.body)
  assert.equal(visit.location, undefined)
  assert.match(visit.body, /<h1>/)
  assert.equal(await codesOf(application), codes)
}

describe('4.1 consent screen', () => {
  it('4.1 says who asks, for whom and what it may do; its form may go back to the application only', async () => {
    const { page, application } = await reachConsent()
    assert.match(page.body, /Dashboard/)
    assert.match(page.body, /made by Acme/)
    assert.match(page.body, /everything an administrator of Acme Lab can see and change/)
    assert.match(page.body, /learns your name and your email address/)
    assert.match(page.body, new RegExp(application.email))
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /form-action 'self' https:\/\/app\.example\.com(;|$)/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe-inline/)
    assert.equal(page.headers['x-frame-options'], 'DENY')
    assert.equal(page.headers['referrer-policy'], 'same-origin')
    assert.equal(page.headers['cache-control'], 'no-store')
  })

  it('4.1 approved: 303 to redirect_uri with code, state and iss; approval, grant and audit events are made', async () => {
    const { application, browser, form } = await reachConsent({ parameters: { state: 'ä b&c' } })
    const visit = await browser.post('/consent', form)
    assert.equal(visit.status, 303)
    assert.ok(visit.location!.startsWith(`${application.redirect_uri}?code=lbc_`))
    const { code, ...rest } = parametersOf(visit)
    assert.ok(code)
    assert.deepEqual(rest, { state: 'ä b&c', iss: 'http://landbridge.test' })
    const [approval] = await sql`select * from approvals where client_id = ${application.client_id}`
    assert.equal(approval!.customer_id, application.customer_id)
    assert.equal(approval!.approved_by, application.user_id)
    assert.equal(approval!.policy, 'everyone')
    const events = await sql`
      select type, actor from audit_events where application_id = ${application.client_id} and customer_id is not null
      order by type`
    assert.deepEqual(
      events.map(({ type }) => type),
      ['approval.given', 'grant.connected', 'grant.opened'],
    )
    assert.deepEqual(events[0]!.actor, { kind: 'user', id: application.user_id })
    const rows = await sql`select * from authorization_codes where client_id = ${application.client_id}`
    assert.ok(!JSON.stringify(rows).includes(code!), 'only a digest is stored')
  })

  it('7.2 declined → access_denied with state and iss, without error_description, and no grant', async () => {
    const { application, browser, form } = await reachConsent({ parameters: { state: 'xyz' } })
    const visit = await browser.post('/consent', { ...form, decision: 'decline' })
    assert.equal(visit.status, 303)
    assert.deepEqual(parametersOf(visit), { error: 'access_denied', state: 'xyz', iss: 'http://landbridge.test' })
    assert.equal(await codesOf(application), 0)
    const grants = await sql`select 1 from grants where client_id = ${application.client_id}`
    assert.equal(grants.length, 0)
  })

  it('7.2 declined without choosing a row → access_denied as well', async () => {
    const { browser, form } = await reachConsent()
    const visit = await browser.post('/consent', { request: form.request, decision: 'decline' })
    assert.equal(parametersOf(visit).error, 'access_denied')
  })

  it('2.3 a code lives 60 seconds and is bound to the challenge and the redirect URI', async () => {
    const application = await registerApplication(service)
    const late = await walkToCode(service, application)
    clock.forward(60)
    assert.equal((await exchange(service, application, { ...late, grant_id: '' })).body.error, 'invalid_grant')
    const code = await walkToCode(service, application)
    const other = { ...code, grant_id: '', code_verifier: late.code_verifier }
    assert.equal((await exchange(service, application, other)).body.error, 'invalid_grant')
    clock.forward(59)
    assert.equal((await exchange(service, application, { ...code, grant_id: '' })).status, 200)
  })

  it('2.3 one grant for an application and a customer, whoever connects; the approval is not given twice', async () => {
    const application = await registerApplication(service)
    const member = await addUser(application.customer_id, 'mary', 'member')
    await walkToCode(service, application)
    await walkToCode(service, application, member)
    await walkToCode(service, application)
    const grants = await sql`select revoked_at from grants where client_id = ${application.client_id}`
    assert.equal(grants.length, 1)
    const given = await sql`
      select 1 from audit_events where type = 'approval.given' and application_id = ${application.client_id}`
    assert.equal(given.length, 1)
  })
})

describe('4.1 which rows exist, which can be chosen, and why not', () => {
  it('4.1 every customer the person belongs to is a row; one that cannot be chosen says why', async () => {
    const application = await registerApplication(service)
    const ids: Record<string, string> = {}
    for (const name of ['Administered', 'Approved', 'Unapproved', 'Narrowed', 'Grouped', 'Left', 'Foreign']) {
      ids[name] = await addCustomer(application, name)
    }
    const person = await addUser(ids.Administered!, 'pat', 'administrator')
    const join = async (name: string, role: string) => {
      const body = { name: 'Pat', email: person.email, password, role }
      assert.equal((await service.operator('POST', `/customers/${ids[name]}/users`, body)).status, 201)
    }
    for (const name of ['Approved', 'Unapproved', 'Narrowed', 'Grouped']) await join(name, 'member')
    await join('Left', 'administrator')
    await addUser(ids.Grouped!, 'gwen', 'administrator', ['Night shift'])
    const [group] = await sql`select id from groups where customer_id = ${ids.Grouped!}`
    const approve = (customer_id: string, policy: string, group_id: string | null = null) =>
      sql`insert into approvals ${sql({ client_id: application.client_id, customer_id, policy, group_id, approved_at: clock.now() })}`
    await approve(ids.Approved!, 'everyone')
    await approve(ids.Narrowed!, 'administrators')
    await approve(ids.Grouped!, 'group', group!.id)
    await sql`update memberships set active = false where customer_id = ${ids.Left!} and user_id = ${person.id}`

    const { page, browser, form } = await reachConsent(person, application)
    assert.deepEqual(readConsent(page).customer_ids.toSorted(), [ids.Administered!, ids.Approved!].toSorted())
    assert.equal(readConsent(page).chosen, null, 'with two to choose from, none is chosen beforehand')
    for (const name of ['Administered', 'Approved', 'Unapproved', 'Narrowed', 'Grouped', 'Left']) {
      assert.match(page.body, new RegExp(`<strong>${name}</strong>`))
    }
    assert.doesNotMatch(page.body, /Foreign/)
    assert.match(page.body, /An administrator has to connect Dashboard first/)
    assert.match(page.body, /Only administrators may connect it here/)
    assert.match(page.body, /Only the group Night shift may connect it here/)
    assert.match(page.body, /Your membership is not active/)

    for (const name of ['Unapproved', 'Narrowed', 'Grouped', 'Left', 'Foreign']) {
      const visit = await browser.post('/consent', { ...form, customer_id: ids[name]! })
      await assertNoCode(visit, application, 403)
    }
    for (const customer_id of [newId(), 'nonsense', '\0', "' or 1=1"]) {
      await assertNoCode(await browser.post('/consent', { ...form, customer_id }), application, 403)
    }
    const visit = await browser.post('/consent', { ...form, customer_id: ids.Approved! })
    assert.ok(parametersOf(visit).code, 'a refused row spends nothing')
    const [approval] = await sql`
      select approved_by from approvals where client_id = ${application.client_id} and customer_id = ${ids.Approved!}`
    assert.equal(approval!.approved_by, null, 'a member approves nothing')
  })

  it('4.1 nothing selectable: no form, and no hand-made POST gets a code, a redirect or an error to the application', async () => {
    const application = await registerApplication(service)
    const member = await addUser(application.customer_id, 'moe', 'member')
    const { page, browser } = await walkToConsent(service, application, member)
    assert.equal(page.status, 200)
    assert.match(page.body, /You cannot connect Dashboard yet/)
    assert.match(page.body, new RegExp(application.email), 'who can help')
    assert.doesNotMatch(page.body, /<form|name="decision"|type="submit"/)
    const request = /request%3D(lbq_[\w-]+)/.exec(page.body)![1]!
    for (const decision of ['approve', 'decline']) {
      const visit = await browser.post('/consent', { request, customer_id: application.customer_id, decision })
      await assertNoCode(visit, application, 403)
    }
  })

  it('4.1 somebody who belongs to no customer is told who can help', async () => {
    const application = await registerApplication(service)
    const person = await addUser(application.customer_id, 'nina', 'member')
    await sql`delete from memberships where user_id = ${person.id}`
    const { page } = await walkToConsent(service, application, person)
    assert.match(page.body, /does not belong to any organization/)
    assert.doesNotMatch(page.body, /<form/)
  })

  it('3 after a revocation by the application a member connects again without a new approval', async () => {
    const application = await registerApplication(service)
    const member = await addUser(application.customer_id, 'mel', 'member')
    await walkToCode(service, application)
    await sql`update grants set revoked_at = ${clock.now()}, revoked_because = 'test' where client_id = ${application.client_id}`
    const code = await walkToCode(service, application, member)
    assert.equal((await exchange(service, application, { ...code, grant_id: '' })).status, 200)
  })

  it('2.1 disabled and enabled again: grants stay revoked, the customer connects again, the approval still stands', async () => {
    const application = await registerApplication(service)
    const member = await addUser(application.customer_id, 'max', 'member')
    const before = await walkToCode(service, application)
    for (const enabled of [false, true]) {
      await service.operator('PATCH', `/applications/${application.client_id}`, { enabled })
    }
    assert.equal((await exchange(service, application, { ...before, grant_id: '' })).body.error, 'invalid_grant')
    assert.ok(await walkToCode(service, application, member))
  })
})

describe('consent: what may happen between showing and answering', () => {
  it('back button and second tab: a request is answered once, the second answer is told so', async () => {
    const { application, browser, form } = await reachConsent()
    assert.equal((await browser.post('/consent', form)).status, 303)
    await assertNoCode(await browser.post('/consent', form), application, 410, 1)
    await assertNoCode(await browser.post('/consent', { ...form, decision: 'decline' }), application, 410, 1)
    const again = await browser.get(`/consent?request=${form.request}`)
    await assertNoCode(again, application, 410, 1)
    assert.match(again.body, /already answered/)
  })

  it('many submits of one request at once → one code', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { application, browser, form } = await reachConsent()
      const visits = await Promise.all(Array.from({ length: 8 }, () => browser.post('/consent', form)))
      assert.equal(visits.filter(({ status }) => status === 303).length, 1)
      assert.equal(visits.filter(({ status }) => status === 410).length, 7)
      assert.equal(await codesOf(application), 1)
    }
  })

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

  it('the session ended: sign in again, see the screen anew, then answer', async () => {
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

  it('another person signed in in a second tab: the answer of the first is not taken for theirs', async () => {
    const { application, browser, form } = await reachConsent()
    const other = await addUser(application.customer_id, 'olga', 'administrator')
    await browser.signIn(other)
    const visit = await browser.post('/consent', form)
    await assertNoCode(visit, application, 409)
    assert.match(visit.body, new RegExp(other.email))
    assert.ok(parametersOf(await browser.post('/consent', form)).code, 'having seen the screen, they may')
  })

  it('a request that another session saw last cannot be answered by this one', async () => {
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
    assert.match(visit.body, /took too long/)
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
    for (let round = 0; round < 8; round += 1) {
      const { application, browser, form } = await reachConsent()
      const [visit] = await Promise.all([
        browser.post('/consent', form),
        service.operator('PATCH', `/applications/${application.client_id}`, { enabled: false }),
      ])
      assert.ok([303, 400].includes(visit.status))
      const alive = await sql`
        select 1 from grants where client_id = ${application.client_id} and revoked_at is null`
      assert.equal(alive.length, 0)
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

  it('the portal domain moved in between: the screen is shown at its new place only', async () => {
    const { application, browser, form } = await reachConsent()
    await service.operator('PATCH', `/partners/${application.partner_id}`, { portal_domain: 'moved.test' })
    await assertNoCode(await browser.post('/consent', form), application, 421)
    await service.operator('PATCH', `/partners/${application.partner_id}`, { portal_domain: null })
    await assertNoCode(await browser.post('/consent', form), application, 500)
  })
})

describe('consent: forged and malformed answers', () => {
  it('CSRF: an answer from a foreign page is refused', async () => {
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
    const stranger = new Browser(service)
    const path = authorizePath(application, { login_hint: evil, state: evil })
    pages.push(await stranger.follow(`http://landbridge.test${path}`))
    for (const page of pages) {
      assert.equal(page.status, 200)
      assert.ok(!page.body.includes('<script'))
      assert.ok(page.body.includes('&#60;script'))
    }
  })
})

describe('6 prompt, max_age and login_hint', () => {
  const signedIn = async () => {
    const { browser, application } = await reachConsent()
    clock.forward(60)
    return { browser, application }
  }
  const ask = async (browser: Browser, application: TestApplication, parameters: Record<string, string>) =>
    await browser.follow(`http://landbridge.test${authorizePath(application, parameters)}`)

  it('a session is enough by itself, and consent is shown every time', async () => {
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

  it('a hand-made POST cannot skip the new sign-in', async () => {
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
    const stranger = await ask(new Browser(service), application, { prompt: 'none', state: 's' })
    const { error_description, ...rest } = parametersOf(stranger)
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
    browser.host = 'acme.test'
    const secret = (await browser.get(`http://landbridge.test${authorizePath(application, { prompt: 'none' })}`))
      .location!
    await browser.get(secret)
    assert.equal((await browser.get(secret)).status, 410, 'one-time, too')
  })

  it('prompt=none, nothing selectable or more than one approved → interaction_required', async () => {
    const application = await registerApplication(service)
    const member = await addUser(application.customer_id, 'mim', 'member')
    const browser = new Browser(service, { host: 'acme.test' })
    await browser.signIn(member)
    assert.equal(parametersOf(await ask(browser, application, { prompt: 'none' })).error, 'interaction_required')

    const second = await addCustomer(application, 'Second')
    const body = { name: 'Ada', email: application.email, password, role: 'administrator' }
    await service.operator('POST', `/customers/${second}/users`, body)
    for (const customer_id of [application.customer_id, second]) await walkToCode(service, application, { customer_id })
    const admin = new Browser(service, { host: 'acme.test' })
    await admin.signIn({ email: application.email, password })
    assert.equal(parametersOf(await ask(admin, application, { prompt: 'none' })).error, 'interaction_required')
  })
})
