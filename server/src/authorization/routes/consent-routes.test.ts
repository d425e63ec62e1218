import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exchange, registerApplication } from '../../../../test/support/applications.ts'
import { readConsent, walkToCode, walkToConsent } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'
import { newId } from '../../platform/secrets/identifiers.ts'

const service = await startHarness()
const { sql, clock } = service
const { addUser, addCustomer, reachConsent, codesOf, assertNoCode } = consentScene(service)

describe('4.1 consent screen', () => {
  it('4.1 names the application, the organization and the access, under a strict policy', async () => {
    const { page, application } = await reachConsent()
    assert.match(page.body, /Dashboard/)
    assert.match(page.body, /by Acme asks for access to Acme \(test tenant\)\. It will be able to:/)
    assert.match(page.body, /learns your name and your email address/)
    assert.match(page.body, new RegExp(application.email))
    const policy = String(page.headers['content-security-policy'])
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe-inline/)
    assert.equal(page.headers['x-frame-options'], 'DENY')
    assert.equal(page.headers['cross-origin-opener-policy'], undefined, '12.22: it may be a popup')
    assert.equal(page.headers['referrer-policy'], 'same-origin')
    assert.equal(page.headers['cache-control'], 'no-store')
  })

  it('4.1 approved: 303 to redirect_uri with code, state and iss; approval, grant and audit events are created', async () => {
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

  it('2.3 one grant for an application and a customer, no matter who connects; the approval is recorded once', async () => {
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
    const join = (name: string, role: 'administrator' | 'member') => joinAlso(service, ids[name]!, person.email, role)
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

  it('4.1 nothing selectable: no form, and no forged POST gets a code, a redirect or an error to the application', async () => {
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

  it('4.1 the page says who can help a person without an organization', async () => {
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

  it('2.1 disabled and enabled again: grants stay revoked, the customer connects again, the approval is still valid', async () => {
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
