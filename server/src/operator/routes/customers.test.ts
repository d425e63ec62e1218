import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { verifyPassword } from '../../platform/secrets/passwords.ts'
import { startHarness } from '../../testing/harness.ts'

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
    const listed = await service.operator('GET', `/customers?partner_id=${partnerId}`)
    // The lab tenant came first.
    assert.deepEqual(
      listed.body.items.map(({ lab }: { lab: boolean }) => lab),
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

  it('a user is added with a role and groups, known by name in any case and made where missing', async () => {
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

  it('6 a known email gains a membership; its name and password stay its own', async () => {
    const other = await service.operator('POST', '/customers', { partner_id: partnerId, name: 'Other' })
    const added = await service.operator(
      'POST',
      `/customers/${other.body.id}/users`,
      person('BOB@example.com', { name: 'Robert', password: 'another password', role: 'administrator' }),
    )
    assert.equal(added.status, 201)
    assert.equal(added.body.name, 'Bob')
    const [user] = await service.sql`select password_hash from users where email = 'bob@example.com'`
    assert.ok(await verifyPassword('correct horse battery', user!.password_hash))
  })

  it('the same person twice in one customer → 409 already_member', async () => {
    const again = await service.operator('POST', `/customers/${customerId}/users`, person('Bob@Example.com'))
    assert.deepEqual([again.status, again.body.code], [409, 'already_member'])
  })

  it('a group name is taken in any case → 409 name_taken', async () => {
    const again = await service.operator('POST', `/customers/${customerId}/groups`, { name: 'INSTALLERS' })
    assert.deepEqual([again.status, again.body.code], [409, 'name_taken'])
  })

  it('a bad body is told what is wrong with it', async () => {
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
