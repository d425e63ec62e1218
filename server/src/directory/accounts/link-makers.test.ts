import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness, type TestResponse, toTestResponse } from '../../../../test/support/harness.ts'
import { overlap } from '../../../../test/support/locks.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../test/support/organization.ts'
import { newPartner } from '../../../../test/support/partners.ts'
import { acceptInvitation, readLink, resetPassword } from './links.ts'

const service = await startHarness()
const { context, sql } = service
const password = 'correct horse battery'
const newcomer = { name: 'Nia', password: 'a password of my own' }
const secretOf = (link: string) => link.slice(link.lastIndexOf('/') + 1)
let people = 0

interface Person {
  id: string
  email: string
  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<TestResponse>
}

async function addPerson({ customer_id }: TestOrganization, role: 'administrator' | 'member'): Promise<Person> {
  people += 1
  const email = `person${people}@example.com`
  const added = await service.operator('POST', `/customers/${customer_id}/users`, { name: 'P', email, password, role })
  const headers = await sessionHeaders(service, { email, password })
  return {
    id: added.body.id,
    email,
    async call(method, path, body) {
      const url = `/core/v1/organization${path}`
      const response = await service.app.inject({ method, url, headers, ...(body ? { payload: body } : {}) })
      return toTestResponse(response)
    },
  }
}

const freshEmail = () => {
  people += 1
  return `new${people}@example.com`
}
const invite = async (person: Person) =>
  secretOf((await person.call('POST', '/invitations', { email: freshEmail(), role: 'administrator' })).body.link)
const createReset = async (person: Person, userId: string) =>
  secretOf((await person.call('POST', `/users/${userId}/password-reset`)).body.link)

describe('decision 6.11 a one-time link ends with the right of its maker', () => {
  let organization: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
  })
  const asAdministrator = (method: 'PATCH' | 'DELETE', { id }: Person, body?: object) =>
    organization.call('session', method, `/users/${id}`, body)
  const pendingEmails = async () =>
    (await organization.call('session', 'GET', '/invitations?limit=100')).body.items.map(
      ({ email }: { email: string }) => email,
    )

  const changes: [what: string, change: (person: Person) => Promise<{ status: number }>][] = [
    ['removed', (person) => asAdministrator('DELETE', person)],
    ['demoted', (person) => asAdministrator('PATCH', person, { role: 'member' })],
    ['deactivated', (person) => asAdministrator('PATCH', person, { active: false })],
  ]
  for (const [what, change] of changes) {
    it(`an administrator who is ${what} keeps no invitation and no reset link, not even when promoted again`, async () => {
      const leaver = await addPerson(organization, 'administrator')
      const member = await addPerson(organization, 'member')
      const invitation = await invite(leaver)
      const reset = await createReset(leaver, member.id)
      const colleague = (
        await organization.call('session', 'POST', '/invitations', { email: freshEmail(), role: 'member' })
      ).body
      const reissued = secretOf((await leaver.call('POST', `/invitations/${colleague.id}/link`)).body.link)
      for (const secret of [invitation, reset, reissued]) assert.ok(await readLink(context, secret))

      assert.ok((await change(leaver)).status < 300)
      for (const again of [false, true]) {
        if (again && what !== 'removed') await asAdministrator('PATCH', leaver, { role: 'administrator', active: true })
        for (const secret of [invitation, reset, reissued]) assert.equal(await readLink(context, secret), null)
        assert.deepEqual(await acceptInvitation(context, invitation, newcomer), { verdict: 'void' })
        assert.deepEqual(await acceptInvitation(context, reissued, newcomer), { verdict: 'void' })
        assert.deepEqual(await resetPassword(context, reset, 'taken over now'), { verdict: 'void' })
        assert.equal((await new Browser(service, { host: 'acme.test' }).get(`/link/${invitation}`)).status, 410)
      }
      const waiting = (await organization.call('session', 'GET', '/invitations?limit=100')).body.items
      const kept = waiting.find(({ id }: { id: string }) => id === colleague.id)
      assert.equal(kept?.has_link, false, 'the invitation of another waits for a new link')
      const renewed = await organization.call('session', 'POST', `/invitations/${colleague.id}/link`)
      assert.equal((await acceptInvitation(context, secretOf(renewed.body.link), newcomer)).verdict, 'accepted')
      const events = await sql`
        select type from audit_events where details ->> 'maker_id' = ${leaver.id} order by type`
      assert.deepEqual(
        events.map(({ type }) => type),
        ['member.invitation_ended', 'member.invitation_link_ended', 'password.reset_link_ended'],
      )
    })
  }

  it('another administrator invites the same person again, and that link works', async () => {
    const leaver = await addPerson(organization, 'administrator')
    const email = freshEmail()
    const old = secretOf((await leaver.call('POST', '/invitations', { email, role: 'member' })).body.link)
    await asAdministrator('DELETE', leaver)
    assert.ok(!(await pendingEmails()).includes(email))
    const created = await organization.call('session', 'POST', '/invitations', { email, role: 'member' })
    assert.equal((await acceptInvitation(context, secretOf(created.body.link), newcomer)).verdict, 'accepted')
    assert.deepEqual(await acceptInvitation(context, old, newcomer), { verdict: 'void' })
  })

  it('a link that was not revoked is checked again when it is used', async () => {
    const leaver = await addPerson(organization, 'administrator')
    const invitation = await invite(leaver)
    await sql`update memberships set role = 'member' where user_id = ${leaver.id}`
    assert.equal(await readLink(context, invitation), null)
    assert.deepEqual(await acceptInvitation(context, invitation, newcomer), { verdict: 'void' })
  })

  it('the operator’s links stay', async () => {
    const member = await addPerson(organization, 'member')
    const { link } = (await service.operator('POST', `/users/${member.id}/password-reset`)).body
    await asAdministrator('PATCH', member, { active: false })
    assert.equal((await resetPassword(context, secretOf(link), 'a brand new one')).verdict, 'reset')
  })

  it('a person who is removed from a partner keeps no invitation to it', async () => {
    const partner = await newPartner(service)
    const first = (await partner.browse('POST', '/invitations', { email: freshEmail() })).body
    const accepted = await acceptInvitation(context, secretOf(first.link), newcomer)
    const own = (await partner.browse('POST', '/invitations', { email: freshEmail() })).body
    const [maker] = await sql`select id from users where email = ${partner.email}`
    const removed = await service.operator('DELETE', `/partners/${partner.id}/members/${maker!.id}`)
    assert.deepEqual([accepted.verdict, removed.status], ['accepted', 204])
    assert.deepEqual(await acceptInvitation(context, secretOf(own.link), newcomer), { verdict: 'void' })
  })

  describe('at the same moment', () => {
    it('the maker is demoted first, then the link is used → void', async () => {
      const leaver = await addPerson(organization, 'administrator')
      const member = await addPerson(organization, 'member')
      for (const kind of ['invitation', 'reset']) {
        const secret = kind === 'reset' ? await createReset(leaver, member.id) : await invite(leaver)
        const use = async (): Promise<{ verdict: string }> =>
          kind === 'reset'
            ? await resetPassword(context, secret, 'taken over now')
            : await acceptInvitation(context, secret, newcomer)
        const [demoted, used] = await overlap(sql, () => asAdministrator('PATCH', leaver, { role: 'member' }), use)
        assert.deepEqual([demoted.status, used.verdict], [200, 'void'])
        await asAdministrator('PATCH', leaver, { role: 'administrator' })
      }
    })

    it('the link is used first, then the maker is demoted → joined, and both succeed', async () => {
      const leaver = await addPerson(organization, 'administrator')
      const secret = await invite(leaver)
      const [used, demoted] = await overlap(
        sql,
        () => acceptInvitation(context, secret, newcomer),
        () => asAdministrator('PATCH', leaver, { role: 'member' }),
      )
      assert.deepEqual([used.verdict, demoted.status], ['accepted', 200])
    })

    it('the maker is demoted while creating a link → 403, and no link is left', async () => {
      const leaver = await addPerson(organization, 'administrator')
      const email = freshEmail()
      const [demoted, created] = await overlap(
        sql,
        () => asAdministrator('PATCH', leaver, { role: 'member' }),
        () => leaver.call('POST', '/invitations', { email, role: 'administrator' }),
      )
      assert.deepEqual([demoted.status, created.status, created.body.code], [200, 403, 'administrators_only'])
      assert.equal((await sql`select 1 from one_time_links where email = ${email}`).length, 0)
    })

    it('the maker is demoted while creating an API key, which would outlive the right → 403', async () => {
      const leaver = await addPerson(organization, 'administrator')
      const [demoted, created] = await overlap(
        sql,
        () => asAdministrator('PATCH', leaver, { role: 'member' }),
        () => leaver.call('POST', '/api-keys', { name: 'Too late' }),
      )
      assert.deepEqual([demoted.status, created.status, created.body.code], [200, 403, 'administrators_only'])
      assert.equal((await sql`select 1 from api_keys where name = 'Too late'`).length, 0)
    })

    it('two people use one link → one of them joins', async () => {
      const secret = await invite(await addPerson(organization, 'administrator'))
      const [first, second] = await overlap(
        sql,
        () => acceptInvitation(context, secret, { ...newcomer, name: 'One' }),
        () => acceptInvitation(context, secret, { ...newcomer, name: 'Two' }),
      )
      assert.equal(first.verdict, 'accepted')
      assert.notEqual(second.verdict, 'accepted')
    })
  })
})
