import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'
import { holdLocks, overlap, untilWaiting } from '../../../../test/support/locks.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../test/support/organization.ts'
import { verifyPassword } from '../../platform/secrets/passwords.ts'
import { acceptInvitation, acceptInvitationAs, readLink, resetPassword } from './links.ts'

const service = await startHarness()
const { context, sql } = service
const newcomer = { name: 'Nia', password: 'a password of my own' }
const secretOf = (link: string) => link.slice(link.lastIndexOf('/') + 1)

describe('decision 6.11 one-time links', () => {
  let organization: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
  })
  const invite = async (email: string, more: object = {}) =>
    await organization.call('session', 'POST', '/invitations', { email, role: 'member', ...more })
  const emails = async () =>
    (await organization.call('session', 'GET', '/users?limit=100')).body.items.map(
      ({ email }: { email: string }) => email,
    )

  describe('an invitation', () => {
    it('can let a member view devices from the start, but not one of a key or token', async () => {
      const { link, can_view_devices } = (await invite('viewer@example.com', { can_view_devices: true })).body
      assert.equal(can_view_devices, true)
      const accepted = await acceptInvitation(context, secretOf(link), newcomer)
      const user = accepted.verdict === 'accepted' ? accepted.user_id : ''
      const { body } = await organization.call('session', 'GET', `/users/${user}`)
      assert.deepEqual([body.role, body.can_view_devices], ['member', true])
      for (const credential of ['api_key', 'bearer'] as const) {
        const invited = { email: 'x@example.com', role: 'member', can_view_devices: true }
        const refused = await organization.call(credential, 'POST', '/invitations', invited)
        assert.deepEqual([refused.status, refused.body.code], [403, 'administrators_protected'])
      }
    })

    it('opens on the portal of the partner, and a new person joins with their own password', async () => {
      const group = (await organization.call('session', 'POST', '/groups', { name: 'Installers' })).body
      const created = await invite('nia@example.com', { role: 'administrator', groups: [group.id] })
      assert.equal(created.status, 201)
      assert.match(created.body.link, /^http:\/\/acme\.test\/link\/lbo_/)
      assert.ok(!(await emails()).includes('nia@example.com'))
      const link = await readLink(context, secretOf(created.body.link))
      assert.equal(link?.target_name, 'Acme (test tenant)')
      const accepted = await acceptInvitation(context, secretOf(created.body.link), newcomer)
      assert.equal(accepted.verdict, 'accepted')
      const user = accepted.verdict === 'accepted' ? accepted.user_id : ''
      const { body } = await organization.call('session', 'GET', `/users/${user}`)
      assert.deepEqual(
        [body.role, body.groups, body.name],
        ['administrator', [{ id: group.id, name: group.name }], 'Nia'],
      )
    })

    it('decision 6.9 gets the same response for a known and an unknown email', async () => {
      const other = await createOrganization(service)
      const known = (await invite(other.administrator.email)).body
      const unknown = (await invite('unknown@example.com')).body
      assert.deepEqual(Object.keys(known), Object.keys(unknown))
      for (const field of ['name', 'role', 'group_ids', 'created_at', 'expires_at']) {
        assert.deepEqual(known[field], unknown[field])
      }
      // The id is the invitation's own: a person's id would reveal by its age that they had an account before.
      assert.notEqual(known.id, other.administrator.id)
    })

    it('cannot set the password of an existing account: its owner signs in and accepts', async () => {
      const other = await createOrganization(service)
      const { id, email, password } = other.administrator
      const secret = secretOf((await invite(email)).body.link)
      assert.deepEqual(await acceptInvitation(context, secret, newcomer), { verdict: 'known' })
      const [user] = await sql`select password_hash from users where id = ${id}`
      assert.ok(await verifyPassword(password, user!.password_hash))
      const otherUser = { id: organization.administrator.id, email: organization.administrator.email }
      assert.deepEqual(await acceptInvitationAs(context, secret, otherUser), { verdict: 'wrong_person' })
      const verdict = await acceptInvitationAs(context, secret, { id, email: email.toUpperCase() })
      assert.deepEqual(verdict, { verdict: 'accepted', user_id: id })
      assert.ok((await emails()).includes(email))
    })

    it('works once, also when it is used many times at once', async () => {
      const secret = secretOf((await invite('once@example.com')).body.link)
      const verdicts = await Promise.all(Array.from({ length: 6 }, () => acceptInvitation(context, secret, newcomer)))
      assert.equal(verdicts.filter(({ verdict }) => verdict === 'accepted').length, 1)
      assert.equal(await readLink(context, secret), null)
      assert.deepEqual(await acceptInvitation(context, secret, newcomer), { verdict: 'void' })
    })

    it('ends after seven days, when it is withdrawn, and when it is replaced', async () => {
      const first = (await invite('late@example.com')).body
      const second = (await invite('LATE@example.com')).body
      assert.equal(await readLink(context, secretOf(first.link)), null)
      assert.equal((await organization.call('session', 'DELETE', `/invitations/${second.id}`)).status, 204)
      assert.equal((await organization.call('session', 'DELETE', `/invitations/${second.id}`)).status, 404)
      assert.equal(await readLink(context, secretOf(second.link)), null)
      const third = (await invite('late@example.com')).body
      const list = (await organization.call('session', 'GET', '/invitations')).body.items
      assert.ok(list.some(({ id }: { id: string }) => id === third.id))
      assert.ok(!JSON.stringify(list).includes('lbo_'))
      service.clock.forward(7 * 86_400)
      assert.deepEqual(await acceptInvitation(context, secretOf(third.link), newcomer), { verdict: 'void' })
      organization = await createOrganization(service)
    })

    it('of a member → 409; into a foreign group → 404; with a bad body → 422', async () => {
      const again = await invite(organization.administrator.email.toUpperCase())
      assert.deepEqual([again.status, again.body.code], [409, 'already_member'])
      const other = await createOrganization(service)
      const group = (await other.call('session', 'POST', '/groups', { name: 'Theirs' })).body
      assert.equal((await invite('x@example.com', { groups: [group.id] })).status, 404)
      for (const bad of [{ role: 'owner' }, { password: 'mine' }, { groups: ['x'] }, { name: '' }]) {
        assert.equal((await invite('x@example.com', bad)).status, 422)
      }
      const theirs = (await other.call('session', 'POST', '/invitations', { email: 'y@example.com', role: 'member' }))
        .body
      assert.equal((await organization.call('session', 'DELETE', `/invitations/${theirs.id}`)).status, 404)
    })

    it('leaves out a group that is being deleted, for a new person and an existing account', async () => {
      const known = (await createOrganization(service)).administrator
      for (const [email, accept] of [
        ['nobody-yet@example.com', (secret: string) => acceptInvitation(context, secret, newcomer)],
        [known.email, (secret: string) => acceptInvitationAs(context, secret, known)],
      ] as const) {
        const group = (await organization.call('session', 'POST', '/groups', { name: 'Short-lived' })).body
        const secret = secretOf((await invite(email, { groups: [group.id] })).body.link)
        const [deleted, accepted] = await overlap(
          sql,
          () => organization.call('session', 'DELETE', `/groups/${group.id}`),
          () => accept(secret),
        )
        assert.deepEqual([deleted.status, accepted.verdict], [204, 'accepted'])
        assert.ok((await emails()).includes(email))
      }
    })

    it('to a partner makes a member; the last member cannot be removed', async () => {
      const { partner_id, user_id } = organization.application
      const created = await service.operator('POST', `/partners/${partner_id}/invitations`, {
        email: 'pat@example.com',
      })
      assert.equal(created.status, 201)
      const accepted = await acceptInvitation(context, secretOf(created.body.link), newcomer)
      assert.equal(accepted.verdict, 'accepted')
      const { items } = (await service.operator('GET', `/partners/${partner_id}/members`)).body
      assert.equal(items.length, 2)
      const removals = await Promise.all(
        items.map(({ id }: { id: string }) => service.operator('DELETE', `/partners/${partner_id}/members/${id}`)),
      )
      assert.deepEqual(removals.map(({ status }) => status).toSorted(), [204, 409])
      assert.equal((await service.operator('DELETE', `/partners/${partner_id}/members/${partner_id}`)).status, 404)
      assert.ok(user_id)
    })
  })

  describe('a password reset', () => {
    const addMember = async (email: string) => {
      const person = { name: 'Mo', email, password: 'correct horse battery', role: 'member' }
      return (await service.operator('POST', `/customers/${organization.customer_id}/users`, person)).body.id
    }
    const signsIn = async (email: string, password: string) => {
      const headers = await sessionHeaders(service, { email, password })
      return (await service.app.inject({ url: '/account', headers })).statusCode === 200
    }

    it('by an administrator sets a new password once and ends every session', async () => {
      const id = await addMember('mo@example.com')
      const headers = await sessionHeaders(service, { email: 'mo@example.com', password: 'correct horse battery' })
      const created = await organization.call('session', 'POST', `/users/${id}/password-reset`)
      assert.equal(created.status, 201)
      const secret = secretOf(created.body.link)
      assert.equal((await readLink(context, secret))?.email, 'mo@example.com')
      assert.deepEqual(await resetPassword(context, secret, 'a brand new one'), { verdict: 'reset', user_id: id })
      assert.deepEqual(await resetPassword(context, secret, 'and yet another'), { verdict: 'void' })
      assert.ok(await signsIn('mo@example.com', 'a brand new one'))
      assert.ok(!(await signsIn('mo@example.com', 'correct horse battery')))
      assert.equal((await service.app.inject({ url: '/account', headers })).statusCode, 303)
    })

    it('by an administrator is refused for a person who also belongs elsewhere, even if only since the link', async () => {
      const id = await addMember('both@example.com')
      const { link } = (await organization.call('session', 'POST', `/users/${id}/password-reset`)).body
      const other = await createOrganization(service)
      await joinAlso(service, other.customer_id, 'both@example.com', 'administrator')
      const refused = await organization.call('session', 'POST', `/users/${id}/password-reset`)
      assert.deepEqual([refused.status, refused.body.code], [403, 'belongs_elsewhere'])
      assert.deepEqual(await resetPassword(context, secretOf(link), 'taken over now'), { verdict: 'void' })
      assert.ok(await signsIn('both@example.com', 'correct horse battery'))
    })

    it('by an administrator is refused for a person who is joining another customer at this moment', async () => {
      const email = 'joining@example.com'
      const id = await addMember(email)
      const { link } = (await organization.call('session', 'POST', `/users/${id}/password-reset`)).body
      const other = await createOrganization(service)
      const invitation = (await other.call('session', 'POST', '/invitations', { email, role: 'member' })).body
      // The join has happened, and waits to be recorded.
      const release = await holdLocks(sql, (hold) => hold`lock table audit_events in exclusive mode`)
      const joined = acceptInvitationAs(context, secretOf(invitation.link), { id, email })
      await untilWaiting(sql)
      const reset = resetPassword(context, secretOf(link), 'taken over now')
      await untilWaiting(sql, 2)
      await release()
      assert.equal((await joined).verdict, 'accepted')
      assert.deepEqual(await reset, { verdict: 'void' })
    })

    it('by the operator works for any user; another administrator and a token cannot create one', async () => {
      const { id } = organization.administrator
      assert.equal((await service.operator('POST', `/users/${id}/password-reset`)).status, 201)
      assert.equal((await service.operator('POST', `/users/${organization.customer_id}/password-reset`)).status, 404)
      const other = await createOrganization(service)
      const path = `/users/${other.administrator.id}/password-reset`
      assert.equal((await organization.call('session', 'POST', path)).status, 404)
      for (const credential of ['bearer', 'api_key'] as const) {
        const refused = await organization.call(credential, 'POST', `/users/${id}/password-reset`)
        assert.deepEqual([refused.status, refused.body.code], [403, 'portal_session_required'])
      }
    })

    it('ends when the person changes the password', async () => {
      const id = await addMember('careful@example.com')
      const { link } = (await service.operator('POST', `/users/${id}/password-reset`)).body
      const headers = await sessionHeaders(service, { email: 'careful@example.com', password: 'correct horse battery' })
      const [new_password, repeated_password] = ['a password I chose', 'a password I chose']
      const form = { password: 'correct horse battery', new_password, repeated_password }
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      const payload = new URLSearchParams(form).toString()
      const changed = await service.app.inject({
        method: 'POST',
        url: '/account/password',
        headers: { ...headers, ...type },
        payload,
      })
      assert.equal(changed.statusCode, 200)
      assert.deepEqual(await resetPassword(context, secretOf(link), 'of somebody else'), { verdict: 'void' })
    })

    it('ends after a day', async () => {
      const { link } = (await service.operator('POST', `/users/${organization.administrator.id}/password-reset`)).body
      service.clock.forward(86_400)
      assert.deepEqual(await resetPassword(context, secretOf(link), 'too late for that'), { verdict: 'void' })
    })
  })
})
