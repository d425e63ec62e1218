import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication, type TestApplication } from '../../../../test/support/applications.ts'
import { readConsent, type Walk, walkToConsent } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import type { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness, type TestResponse, toTestResponse } from '../../../../test/support/harness.ts'
import { overlap } from '../../../../test/support/locks.ts'
import { mailSettings, mailsTo } from '../../../../test/support/mails.ts'
import { sessionHeaders } from '../../../../test/support/organization.ts'
import { newId } from '../../platform/secrets/identifiers.ts'

const service = await startHarness(mailSettings)
const { sql, clock } = service
const { addUser, addCustomer } = consentScene(service)

/** A member in front of the screen of an application that nobody has approved. */
async function memberAtConsent(known?: TestApplication) {
  const application = known ?? (await registerApplication(service))
  const member = await addUser(application.customer_id, `mia-${newId()}`, 'member')
  const { browser, page } = await walkToConsent(service, application, member)
  return { application, member, browser, page, request: requestOf(page.body) }
}

function requestOf(body: string): string {
  return /request=(lb[\w-]+)/.exec(body)![1]!
}

async function ask(browser: Browser, request: string, customer_id: string, note = '') {
  return await browser.post('/consent/ask', { request, customer_id, note })
}

/** The portal of the application's administrator. */
async function administrator({ email, customer_id }: { email: string; customer_id: string }) {
  const session = await sessionHeaders(service, { email, password: 'correct horse battery' })
  const headers = { ...session, 'landbridge-customer': customer_id }
  return async (method: 'GET' | 'POST', path: string, payload?: object): Promise<TestResponse> =>
    toTestResponse(
      await service.app.inject({
        method,
        url: `/core/v1/organization${path}`,
        headers,
        ...(payload ? { payload } : {}),
      }),
    )
}

async function again(application: TestApplication, person: Walk) {
  return (await walkToConsent(service, application, person)).page
}

async function webhookTypes(application: TestApplication): Promise<{ type: string; data: object }[]> {
  const rows = await sql<{ payload: string }[]>`
    select payload::text from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where e.partner_id = ${application.partner_id} order by d.event_id`
  return rows.map(({ payload }) => JSON.parse(payload)).map(({ type, data }) => ({ type, data }))
}

async function listenAll(application: TestApplication): Promise<void> {
  await sql`
    insert into webhook_endpoints ${sql({
      id: newId(),
      partner_id: application.partner_id,
      url: 'https://cloud.example.com/hook',
      events: ['approval.requested', 'approval.given', 'grant.connected'],
      secret: Buffer.alloc(32),
      created_at: clock.now(),
    })}`
}

describe('a member asks an administrator to approve', () => {
  it('4.1 the consent screen has nothing to submit; it leads to a page that asks, and the request is sent once', async () => {
    const { application, browser, page, request } = await memberAtConsent()
    assert.doesNotMatch(page.body, /<form|name="decision"|type="submit"/)
    const link = `/consent/ask?request=${request}&customer_id=${application.customer_id}`
    assert.ok(page.body.includes(`href="${link.replace('&', '&#38;')}"`), page.body)
    const form = await browser.get(link)
    assert.match(form.body, /Ask an administrator of Acme \(test tenant\)/)
    assert.match(form.body, /<strong>Administrators<\/strong>/)
    assert.match(form.body, /<textarea name="note"/)
    for (let click = 0; click < 2; click += 1) {
      const sent = await ask(browser, request, application.customer_id, ' <b>For\n the \0report</b> ')
      assert.deepEqual([sent.status, sent.location], [303, link])
    }
    assert.match((await browser.get(link)).body, /Request sent/)
    const portal = await administrator(application)
    const { items } = (await portal('GET', '/approval-requests')).body
    assert.equal(items.length, 1)
    assert.equal(items[0].note, '<b>For the ?report</b>')
    assert.equal(items[0].application.client_id, application.client_id)
    const events = await sql`
      select type from audit_events where customer_id = ${application.customer_id} and type like 'approval%'`
    assert.deepEqual(
      events.map(({ type }) => type),
      ['approval.requested'],
    )
  })

  it('administrators are mailed once, of the request and of the approval, but not who caused it or wants no such mails', async () => {
    const { application, browser, request } = await memberAtConsent()
    const { customer_id, email } = application
    const second = await addUser(customer_id, 'ada', 'administrator')
    const without = await addUser(customer_id, 'quiet', 'administrator')
    await sql`update users set mails_off = '{applications}' where id = ${without.id}`
    for (let click = 0; click < 2; click += 1) await ask(browser, request, customer_id)
    const counts = async (kind: 'approval_requested' | 'approval_decided') =>
      await Promise.all(
        [email, second.email, without.email].map(async (to) => (await mailsTo(service, to, kind)).length),
      )
    assert.deepEqual(await counts('approval_requested'), [1, 1, 0])
    const [mail] = await mailsTo(service, second.email, 'approval_requested')
    assert.match(mail!.subject, / waits for approval at Acme/)
    const portal = await administrator(application)
    const { items } = (await portal('GET', '/approval-requests')).body
    await portal('POST', `/approval-requests/${items[0].id}/approve`, { policy: { kind: 'everyone' } })
    assert.deepEqual(await counts('approval_decided'), [0, 1, 0])
  })

  it('an administrator approves, for one group if wanted: the member learns it, may connect, and the partner is told', async () => {
    const application = await registerApplication(service)
    await listenAll(application)
    const { member, browser, request } = await memberAtConsent(application)
    const other = await memberAtConsent(application)
    for (const { browser: from, request: by } of [{ browser, request }, other])
      await ask(from, by, application.customer_id)
    const { body: group } = await service.operator('POST', `/customers/${application.customer_id}/groups`, {
      name: 'Night',
    })
    await sql`
      insert into group_members ${sql({ customer_id: application.customer_id, group_id: group.id, user_id: member.id })}`
    const portal = await administrator(application)
    const [first, second] = (await portal('GET', '/approval-requests')).body.items
    const policy = { kind: 'group', group_id: group.id }
    assert.equal(
      (await portal('POST', `/approval-requests/${first.id}/approve`, { policy: { kind: 'group', group_id: newId() } }))
        .status,
      404,
    )
    const approved = await portal('POST', `/approval-requests/${first.id}/approve`, { policy })
    assert.deepEqual([approved.status, approved.body.policy.group_name], [200, 'Night'])
    assert.deepEqual((await portal('GET', '/approval-requests')).body.items, [], 'decides the requests of everybody')
    assert.equal((await portal('POST', `/approval-requests/${second.id}/decline`)).body.code, 'already_decided')

    const screen = await again(application, member)
    assert.match(screen.body, /Approved by your organization on <time.*as you asked/)
    assert.match(screen.body, />Connect<\/button>/)
    assert.match((await browser.get('/approval-requests')).body, /Dashboard for Acme \(test tenant\).*Approved on/s)
    assert.match((await again(application, other.member)).body, /Only the group Night may connect it here/)
    const consent = readConsent(screen)
    const { browser: connecting, page } = await walkToConsent(service, application, member)
    const form = { request: readConsent(page).request, customer_id: consent.customer_ids[0]!, decision: 'approve' }
    for (let click = 0; click < 2; click += 1) assert.ok(parametersOf(await connecting.post('/consent', form)).code)
    const { client_id, customer_id: org_id } = application
    assert.deepEqual(await webhookTypes(application), [
      { type: 'approval.requested', data: { client_id } },
      { type: 'approval.requested', data: { client_id } },
      { type: 'approval.given', data: { client_id, org_id } },
      { type: 'grant.connected', data: { client_id, org_id } },
    ])
  })

  it('declined: the member learns it, and may ask again after seven days', async () => {
    const { application, member, browser, request } = await memberAtConsent()
    await ask(browser, request, application.customer_id)
    const portal = await administrator(application)
    const [item] = (await portal('GET', '/approval-requests')).body.items
    assert.equal((await portal('POST', `/approval-requests/${item.id}/decline`)).status, 204)
    assert.match((await again(application, member)).body, /An administrator declined your request on/)
    assert.match((await browser.get('/approval-requests')).body, /Declined by an administrator/)
    const tooSoon = await ask(browser, request, application.customer_id)
    assert.equal(tooSoon.status, 409)
    assert.match(tooSoon.body, /seven days/)
    clock.forward(7 * 86_400 + 1)
    const later = await walkToConsent(service, application, member)
    assert.equal((await ask(later.browser, requestOf(later.page.body), application.customer_id)).status, 303)
    const events = await sql`
      select type from audit_events where application_id = ${application.client_id} and type like 'approval%' order by id`
    assert.deepEqual(
      events.map(({ type }) => type),
      ['approval.requested', 'approval.declined', 'approval.requested'],
    )
  })

  it('two administrators decide at once: one outcome', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { application, browser, request } = await memberAtConsent()
      await ask(browser, request, application.customer_id)
      const second = await addUser(application.customer_id, `boss-${newId()}`, 'administrator')
      const portals = [
        await administrator(application),
        await administrator({ email: second.email, customer_id: application.customer_id }),
      ]
      const [item] = (await portals[0]!('GET', '/approval-requests')).body.items
      const path = `/approval-requests/${item.id}`
      const decisions = await Promise.all([
        portals[0]!('POST', `${path}/approve`),
        portals[1]!('POST', `${path}/${round % 2 ? 'approve' : 'decline'}`),
      ])
      const outcomes = decisions.map(({ status, body }) => (status < 300 ? 'done' : body.code)).toSorted()
      assert.deepEqual(outcomes, ['already_decided', 'done'])
      const [row] = await sql`select outcome from approval_requests where client_id = ${application.client_id}`
      const approvals = await sql`select 1 from approvals where client_id = ${application.client_id}`
      assert.equal(approvals.length, row!.outcome === 'approved' ? 1 : 0)
    }
  })

  it('a member asks while an approval is being stored: nothing is left to wait for', async () => {
    const { application, browser, request } = await memberAtConsent()
    const approving = await memberAtConsent(application)
    await ask(approving.browser, approving.request, application.customer_id)
    const call = await administrator(application)
    const { id } = (await call('GET', '/approval-requests')).body.items[0]
    const [approved, asked] = await overlap(
      service.sql,
      () => call('POST', `/approval-requests/${id}/approve`),
      () => ask(browser, request, application.customer_id),
    )
    assert.equal(approved.status, 200)
    assert.equal(asked.headers.location, `/consent?request=${request}`, 'the screen lets them connect now')
    const open = await service.sql`
      select from approval_requests where client_id = ${application.client_id} and outcome is null`
    assert.equal(open.length, 0)
  })

  it('a request ends with the membership, with an approval given elsewhere, and with the application', async () => {
    const removed = await memberAtConsent()
    const { application } = removed
    const portal = await administrator(application)
    const open = async () => (await portal('GET', '/approval-requests')).body.items.length
    await ask(removed.browser, removed.request, application.customer_id)
    const path = `/customers/${application.customer_id}/users/${removed.member.id}`
    await service.operator('PATCH', path, { active: false })
    assert.equal(await open(), 0, 'not while the member is deactivated')
    await service.operator('PATCH', path, { active: true })
    assert.equal(await open(), 1)
    await service.operator('DELETE', path)
    assert.equal(await open(), 0)

    const disabled = await memberAtConsent(application)
    await ask(disabled.browser, disabled.request, application.customer_id)
    const [item] = (await portal('GET', '/approval-requests')).body.items
    await service.operator('PATCH', `/applications/${application.client_id}`, { enabled: false })
    assert.equal(await open(), 0)
    assert.equal((await portal('POST', `/approval-requests/${item.id}/approve`)).body.code, 'already_decided')
    assert.match((await disabled.browser.get('/approval-requests')).body, /the application was disabled/)
    await service.operator('PATCH', `/applications/${application.client_id}`, { enabled: true })
    assert.equal(await open(), 0, 'enabling opens none again')

    const overtaken = await memberAtConsent(application)
    await ask(overtaken.browser, overtaken.request, application.customer_id)
    assert.equal(await open(), 1)
    const walk = await walkToConsent(service, application)
    await walk.browser.post('/consent', {
      request: readConsent(walk.page).request,
      customer_id: application.customer_id,
      decision: 'approve',
    })
    assert.equal(await open(), 0)
    const [row] = await sql`select outcome from approval_requests where user_id = ${overtaken.member.id}`
    assert.equal(row!.outcome, 'approved')
  })

  it('nobody can ask for what they need not, too often, in a foreign organization, or from another page', async () => {
    const { application, browser, request, member } = await memberAtConsent()
    const foreign = await addCustomer(application, 'Foreign')
    for (const id of [foreign, newId(), 'nonsense', '\0']) {
      const visit = await ask(browser, request, id)
      assert.deepEqual([visit.status, visit.location], [303, `/consent?request=${request}`])
    }
    service.clock.forward(61)
    const fresh = await walkToConsent(service, application, member)
    for (let asked = 0; asked < 5; asked += 1) {
      const more = await registerApplication(service)
      const { browser: at, page } = await walkToConsent(service, more, member)
      assert.equal((await ask(at, requestOf(page.body), application.customer_id)).status, 303)
    }
    assert.equal((await ask(fresh.browser, requestOf(fresh.page.body), application.customer_id)).status, 429)
    const rows = await sql`select 1 from approval_requests where user_id = ${member.id}`
    assert.equal(rows.length, 5)

    const stranger = await memberAtConsent(application)
    const elsewhere = await stranger.browser.post('/consent/ask', { request, customer_id: application.customer_id })
    assert.equal(elsewhere.status, 303, 'a request of another session')
    assert.match(elsewhere.location!, /^\/sign-in/)
  })

  it('7.2 a decided authorization request asks nothing any more', async () => {
    const { application, browser, request } = await memberAtConsent()
    clock.forward(15 * 60)
    assert.equal((await ask(browser, request, application.customer_id)).status, 410)
  })

  it('1.5 neither a token nor an API key sees or decides requests', async () => {
    const { application, browser, request } = await memberAtConsent()
    await ask(browser, request, application.customer_id)
    const portal = await administrator(application)
    const { key } = (await portal('POST', '/api-keys', { name: 'key' })).body
    const response = await service.app.inject({
      url: '/core/v1/organization/approval-requests',
      headers: { authorization: key },
    })
    assert.equal(response.statusCode, 403)
  })
})
