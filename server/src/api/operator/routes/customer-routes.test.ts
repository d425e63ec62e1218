import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Browser } from '../../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { acceptLatest } from '../../../../../test/support/joining.ts'
import { verifyPassword } from '../../../platform/secrets/passwords.ts'

const service = await startHarness()
const nobody = '00000000-0000-7000-8000-000000000000'

describe('operator API: customers and their people', () => {
  let partnerId = ''
  let customerId = ''
  before(async () => {
    const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
    partnerId = (await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin })).body.id
    const created = await service.operator('POST', '/customers', { partner_id: partnerId, name: 'Customer' })
    assert.equal(created.status, 201)
    customerId = created.body.id
  })
  const person = (email: string, more: object = {}) => ({
    name: 'Bob',
    email,
    password: 'correct horse battery',
    role: 'member',
    ...more,
  })

  it('a customer is created, read, renamed and listed', async () => {
    const renamed = await service.operator('PATCH', `/customers/${customerId}`, { name: 'Customer & Sons' })
    assert.equal(renamed.status, 200)
    const read = await service.operator('GET', `/customers/${customerId}`)
    assert.deepEqual(read.body, renamed.body)
    assert.equal(read.body.name, 'Customer & Sons')
    assert.equal(read.body.lab, false)
    const found = await service.operator('GET', `/customers?partner_id=${partnerId}`)
    // The lab tenant came first.
    assert.deepEqual(
      found.body.items.map(({ lab }: { lab: boolean }) => lab),
      [true, false],
    )
    assert.equal((await service.operator('GET', `/customers?partner_id=${nobody}`)).body.items.length, 0)
  })

  it('an unknown partner or customer → 404', async () => {
    const input = { partner_id: nobody, name: 'X' }
    assert.equal((await service.operator('POST', '/customers', input)).status, 404)
    for (const path of ['', '/users', '/groups', `/users/${nobody}`, `/groups/${nobody}`]) {
      assert.equal((await service.operator('GET', `/customers/${nobody}${path}`)).status, 404)
    }
    assert.equal((await service.operator('POST', `/customers/${nobody}/groups`, { name: 'X' })).status, 404)
    assert.equal((await service.operator('POST', `/customers/${nobody}/users`, person('x@example.com'))).status, 404)
    assert.equal((await service.operator('PATCH', `/customers/${nobody}`, { name: 'X' })).status, 404)
  })

  it('a user is added with a role and groups, which are found by name in any case and created if missing', async () => {
    const group = await service.operator('POST', `/customers/${customerId}/groups`, { name: 'Installers' })
    assert.equal(group.status, 201)
    const added = await service.operator(
      'POST',
      `/customers/${customerId}/users`,
      person('bob@example.com', { groups: ['installers', 'Night shift', 'INSTALLERS'] }),
    )
    assert.equal(added.status, 201)
    assert.deepEqual(
      added.body.groups.map(({ name }: { name: string }) => name),
      ['Installers', 'Night shift'],
    )
    const read = await service.operator('GET', `/customers/${customerId}/users/${added.body.id}`)
    assert.deepEqual(read.body, added.body)
    const groups = await service.operator('GET', `/customers/${customerId}/groups`)
    assert.equal(groups.body.items.length, 2)
    const read2 = await service.operator('GET', `/customers/${customerId}/groups/${group.body.id}`)
    assert.deepEqual(read2.body, group.body)
  })

  it('decision 6.9 an email that has an account is never added: its owner is invited, and the response looks the same', async () => {
    const other = (await service.operator('POST', '/customers', { partner_id: partnerId, name: 'Other' })).body
    const add = (email: string) =>
      service.operator('POST', `/customers/${other.id}/users`, {
        ...person(email, { name: 'Robert', password: 'another password', role: 'administrator', groups: ['Night'] }),
      })
    const known = await add('BOB@example.com')
    const unknown = await add('robert@example.com')
    assert.deepEqual([known.status, unknown.status], [201, 201])
    const alike = ({ body: { id, email, ...rest } }: typeof known) => {
      assert.ok(id && email)
      return rest
    }
    assert.deepEqual(alike(known), alike(unknown))
    const [user] = await service.sql`select id, password_hash from users where email = 'bob@example.com'`
    assert.ok(await verifyPassword('correct horse battery', user!.password_hash), 'the password stays their own')
    assert.equal((await service.sql`select 1 from memberships where user_id = ${user!.id}`).length, 1)
    const found = (await service.operator('GET', `/customers/${other.id}/users`)).body.items
    assert.deepEqual(
      found.map(({ email }: { email: string }) => email),
      ['robert@example.com'],
    )

    const pending = (await service.operator('GET', `/invitations?customer_id=${other.id}`)).body.items
    assert.deepEqual(
      pending.map(({ id, email, role, has_link, made_by }: Record<string, unknown>) => ({
        ...{ id, email, role, has_link, made_by },
      })),
      [
        {
          ...{ id: known.body.id, email: 'BOB@example.com', role: 'administrator', has_link: false },
          made_by: { kind: 'operator', id: null, name: null },
        },
      ],
    )
    await acceptLatest(service, known.body.id, 'bob@example.com')
    const joined = (await service.operator('GET', `/customers/${other.id}/users/${user!.id}`)).body
    assert.deepEqual([joined.name, joined.role, joined.groups[0].name], ['Bob', 'administrator', 'Night'])
  })

  it('decision 6.9 one new email added to two customers at once gets one account and one invitation', async () => {
    const ids = await Promise.all(
      ['Left', 'Right'].map(
        async (name) => (await service.operator('POST', '/customers', { partner_id: partnerId, name })).body.id,
      ),
    )
    const responses = await Promise.all(
      ids.map((id) => service.operator('POST', `/customers/${id}/users`, person('at-once@example.com'))),
    )
    assert.deepEqual(
      responses.map(({ status }) => status),
      [201, 201],
    )
    const [count] = await service.sql`
      select (select count(*)::int from users where email = 'at-once@example.com') as users,
        (select count(*)::int from memberships m join users u on u.id = m.user_id
         where u.email = 'at-once@example.com') as memberships,
        (select count(*)::int from one_time_links where email = 'at-once@example.com') as invitations`
    assert.deepEqual({ ...count }, { users: 1, memberships: 1, invitations: 1 })
  })

  it('decision 6.9 a partner whose administrator has an account: one link invites them to it and to its lab', async () => {
    const admin = { name: 'Bob', email: 'bob@example.com', password: 'another password' }
    const created = await service.operator('POST', '/partners', { name: 'Second', portal_domain: null, admin })
    assert.equal(created.status, 201)
    const { id, lab } = created.body
    assert.equal((await service.operator('GET', `/partners/${id}/members`)).body.items.length, 0)
    const [pending] = (await service.operator('GET', `/invitations?partner_id=${id}`)).body.items
    assert.deepEqual([pending.partner_id, pending.customer_id], [id, lab.customer_id])
    await acceptLatest(service, pending.id, 'bob@example.com')
    assert.equal((await service.operator('GET', `/partners/${id}/members`)).body.items[0].email, 'bob@example.com')
    const [administrator] = (await service.operator('GET', `/customers/${lab.customer_id}/users`)).body.items
    assert.deepEqual([administrator.email, administrator.role], ['bob@example.com', 'administrator'])
  })

  it('decision 6.9 an email is released from an account that somebody else created, and its owner joins as a new person', async () => {
    const squat = person('owner@example.com', { password: 'chosen by another' })
    const { id } = (await service.operator('POST', `/customers/${customerId}/users`, squat)).body
    const other = (await service.operator('POST', '/customers', { partner_id: partnerId, name: 'Real' })).body
    const added = await service.operator('POST', `/customers/${other.id}/users`, person('owner@example.com'))
    const released = await service.operator('POST', `/users/${id}/release-email`)
    assert.deepEqual([released.status, released.body.email], [200, `${id}@released.invalid`])
    const signIn = (secret: string) => new Browser(service).signIn({ email: 'owner@example.com', password: secret })
    assert.equal((await signIn('chosen by another')).status, 401)
    const { link } = (await service.operator('POST', `/invitations/${added.body.id}/link`)).body
    const browser = new Browser(service)
    const form = { name: 'The owner', new_password: 'a password of mine', repeated_password: 'a password of mine' }
    assert.equal((await browser.post(new URL(link).pathname, form)).location, '/')
    assert.equal((await signIn('a password of mine')).status, 303)
    assert.equal((await service.operator('POST', `/users/${customerId}/release-email`)).status, 404)
    await service.operator('DELETE', `/customers/${customerId}/users/${id}`)
  })

  it('the same person twice in one customer → 409 already_member', async () => {
    const again = await service.operator('POST', `/customers/${customerId}/users`, person('Bob@Example.com'))
    assert.deepEqual([again.status, again.body.code], [409, 'already_member'])
  })

  it('a group name is taken in any case → 409 name_taken', async () => {
    const again = await service.operator('POST', `/customers/${customerId}/groups`, { name: 'INSTALLERS' })
    assert.deepEqual([again.status, again.body.code], [409, 'name_taken'])
  })

  it('a bad body → 422 that names the field', async () => {
    const bodies = [
      person('no-email'),
      person('c@example.com', { role: 'owner' }),
      person('c@example.com', { password: 'short' }),
      person('c@example.com', { name: ' ' }),
      person('c@example.com', { name: 'nul\u0000' }),
      person('c@example.com', { groups: 'Installers' }),
      person('c@example.com', { admin: true }),
      { email: 'c@example.com' },
    ]
    for (const body of bodies) {
      const refused = await service.operator('POST', `/customers/${customerId}/users`, body)
      assert.deepEqual([refused.status, refused.body.code], [422, 'invalid'])
    }
  })

  it('users are listed page by page in the order they were added', async () => {
    for (let n = 0; n < 3; n += 1) {
      await service.operator('POST', `/customers/${customerId}/users`, person(`p${n}@example.com`))
    }
    const seen: string[] = []
    for (let after = ''; ; ) {
      const { body } = await service.operator(
        'GET',
        `/customers/${customerId}/users?limit=2${after && `&after=${after}`}`,
      )
      seen.push(...body.items.map(({ email }: { email: string }) => email))
      if (!body.next) break
      after = body.next
    }
    assert.deepEqual(seen, ['bob@example.com', 'p0@example.com', 'p1@example.com', 'p2@example.com'])
    assert.equal((await service.operator('GET', `/customers/${customerId}/users?after=nonsense`)).status, 422)
    assert.equal((await service.operator('GET', `/customers/${customerId}/users?limit=101`)).status, 422)
  })
})
