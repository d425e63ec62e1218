// What the consent screen says and offers; consent-routes.test.ts has what a decision does.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication } from '../../../../test/support/applications.ts'
import { readConsent, walkToConsent } from '../../../../test/support/consent.ts'
import { consentScene, parametersOf } from '../../../../test/support/consent-scene.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { maxRows } from '../consent/consent-rows.ts'

const service = await startHarness()
const { sql, clock } = service
const { addUser, reachConsent } = consentScene(service)

const button = (body: string) =>
  /<button class="primary" name="decision" value="approve">(.*?)<\/button>/s.exec(body)?.[1]

describe('the button says what it does', () => {
  it('approves for the organization the first time, and only connects from then on', async () => {
    const { application, browser, form, page } = await reachConsent()
    assert.equal(button(page.body), 'Approve for Acme (test tenant)')
    await browser.post('/consent', form)
    assert.equal(button((await walkToConsent(service, application)).page.body), 'Connect')
  })

  it('with several organizations it has the words of each, and the stylesheet shows those of the chosen one', async () => {
    const { application } = await reachConsent()
    const person = await manyCustomers(application, 3, 'administrator')
    const { page } = await walkToConsent(service, application, person)
    const names = [...page.body.matchAll(/<span><strong>(.*?)<\/strong>/g)].map(([, name]) => name)
    assert.equal(names.length, 4)
    const words = names.map((name, n) => `<span class="when-approving for-row-${n + 1}">Approve for ${name}</span>`)
    assert.equal(button(page.body), `<span class="when-connecting">Connect</span>${words.join('')}`)
    const [, address] = /href="(\/pages\/stylesheet-[^"]+)"/.exec(page.body)!
    const { body: styles } = await service.app.inject({ url: address! })
    for (let row = 1; row <= maxRows; row += 1) {
      assert.ok(styles.includes(`form:has(li:nth-child(${row}) .approves:checked) .for-row-${row}`), `row ${row}`)
    }
    assert.equal(page.body.match(/class="approves"/g)!.length, 4)
    assert.equal(page.body.match(/<button[^>]*name="decision"/g)!.length, 2, 'one to approve and one to decline')
  })
})

/** A person who also belongs to this many new customers, named `Site 1` and so on. */
async function manyCustomers(
  application: { partner_id: string; customer_id: string },
  count: number,
  role: 'administrator' | 'member',
) {
  const person = await addUser(application.customer_id, `max-${newId()}`, 'administrator')
  for (let n = 1; n <= count; n += 1) {
    const id = newId()
    await sql`
      insert into customers ${sql({ id, partner_id: application.partner_id, name: `Site ${n}`, created_at: clock.now() })}`
    await sql`
      insert into memberships ${sql({ customer_id: id, user_id: person.id, role, created_at: clock.now() })}`
  }
  return person
}

describe('many organizations', () => {
  it('have a search by a part of the name; those that cannot be chosen come last and folded', async () => {
    const application = await registerApplication(service)
    const person = await manyCustomers(application, 120, 'member')
    const { browser, page } = await walkToConsent(service, application, person)
    const { request, customer_ids } = readConsent(page)
    assert.deepEqual(customer_ids, [application.customer_id])
    const [form, folded] = page.body.split('<details>')
    assert.doesNotMatch(form!, /Site \d/)
    assert.match(folded!, /<summary>50 organizations you cannot choose<\/summary>/)
    assert.match(page.body, /70 more organizations\. Search for one by its name\./)
    const found = await browser.get(`/consent?request=${request}&search=${encodeURIComponent(' ITE 11')}`)
    assert.equal(found.body.match(/<strong>Site 11/g)!.length, 11)
    for (const text of ['<script>alert(1)</script>', '\0', '%', 'x'.repeat(5_000), '‮']) {
      const visit = await browser.get(`/consent?request=${request}&search=${encodeURIComponent(text)}`)
      assert.equal(visit.status, 200)
      assert.doesNotMatch(visit.body, /<script|<strong>Site/)
    }
    const none = await browser.get(`/consent?request=${request}&search=nothing`)
    assert.equal(button(none.body), undefined, 'nothing to approve')
    assert.match(none.body, /No organization that you can choose has this name/)
    const visit = await browser.post('/consent', { request, customer_id: application.customer_id, decision: 'approve' })
    assert.ok(parametersOf(visit).code, 'a search decides nothing')
  })

  it('of 60 that can be chosen, 50 are shown; the others are found, and can be chosen without being shown', async () => {
    const application = await registerApplication(service)
    const person = await manyCustomers(application, 60, 'administrator')
    const { browser, page } = await walkToConsent(service, application, person)
    const { request, customer_ids } = readConsent(page)
    assert.equal(customer_ids.length, 50)
    const [hidden] = await sql`select id from customers where name = 'Site 9' order by id desc limit 1`
    assert.ok(!customer_ids.includes(hidden!.id))
    const found = readConsent(await browser.get(`/consent?request=${request}&search=site+9`))
    assert.deepEqual([found.customer_ids, found.chosen], [[hidden!.id], hidden!.id])
    assert.ok(
      parametersOf(await browser.post('/consent', { request, customer_id: hidden!.id, decision: 'approve' })).code,
    )
  })
})

describe('2.3 an administrator narrows a new approval on the screen', () => {
  it('to administrators or to one group of this customer; a foreign, deleted or invented one changes nothing', async () => {
    const { application, browser, form, page } = await reachConsent()
    const { customer_id, client_id } = application
    const field = `policy_${customer_id}`
    assert.ok(page.body.includes(`<select name="${field}">`))
    const { body: group } = await service.operator('POST', `/customers/${customer_id}/groups`, { name: 'Night <i>' })
    const again = await walkToConsent(service, application)
    assert.match(again.page.body, /Administrators and the group Night &#60;i&#62;</)
    const other = await registerApplication(service)
    const { body: foreign } = await service.operator('POST', `/customers/${other.customer_id}/groups`, { name: 'X' })
    for (const policy of [foreign.id, newId(), 'nobody', '\0']) {
      const visit = await browser.post('/consent', { ...form, [field]: policy })
      assert.equal(visit.status, 422, policy)
    }
    assert.equal((await sql`select 1 from approvals where client_id = ${client_id}`).length, 0)
    assert.ok(parametersOf(await browser.post('/consent', { ...form, [field]: group.id })).code)
    const read = async () => (await sql`select policy, group_id from approvals where client_id = ${client_id}`)[0]
    assert.deepEqual(await read(), { policy: 'group', group_id: group.id })
    const [event] = await sql`
      select details from audit_events where type = 'approval.given' and application_id = ${client_id}`
    const narrowed = { policy: 'group', group_id: group.id, permissions: ['everything'], within: null }
    assert.deepEqual(event!.details, narrowed)
    // A later connection of an administrator does not widen it, whatever the form says.
    const { browser: later, page: next } = await walkToConsent(service, application)
    assert.doesNotMatch(next.body, /<select/)
    const { request } = readConsent(next)
    await later.post('/consent', { request, customer_id, decision: 'approve', [field]: 'everyone' })
    assert.deepEqual(await read(), { policy: 'group', group_id: group.id })
  })

  it('a member cannot set it', async () => {
    const { application, browser, form } = await reachConsent()
    await browser.post('/consent', form)
    const member = await addUser(application.customer_id, `may-${newId()}`, 'member')
    const { browser: theirs, page } = await walkToConsent(service, application, member)
    const { request } = readConsent(page)
    const field = `policy_${application.customer_id}`
    await theirs.post('/consent', { ...form, request, [field]: 'administrators' })
    const [row] = await sql`select policy from approvals where client_id = ${application.client_id}`
    assert.equal(row!.policy, 'everyone')
  })
})
