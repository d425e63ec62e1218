import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization, type TestOrganization } from '../../../../../test/support/organization.ts'

const service = await startHarness()

describe('organization API: search and order of users', () => {
  let organization: TestOrganization
  let other: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
    other = await createOrganization(service)
    const people = [
      ['Carl Berg', 'a.carl@example.com', 'member'],
      ['ada berg', 'c.ada@example.com', 'administrator'],
      ['Bo Dahl', 'b.bo@example.com', 'member'],
      ['Bo Dahl', 'd.bo@example.com', 'member'],
    ]
    for (const { customer_id } of [organization, other]) {
      for (const [name, email, role] of people) {
        const address = customer_id === other.customer_id ? `other.${email}` : email
        const person = { name, email: address, role, password: 'correct horse battery' }
        assert.equal((await service.operator('POST', `/customers/${customer_id}/users`, person)).status, 201)
      }
    }
  })
  const list = async (query: string) => (await organization.call('bearer', 'GET', `/users?${query}`)).body
  const emails = async (query: string) =>
    (await list(query)).items
      .map(({ email }: { email: string }) => email)
      .filter((email: string) => /^[a-d]\.\w+@/.test(email))

  it('finds a part of the name or email, of this organization only', async () => {
    assert.deepEqual(await emails('search=BERG&sort=email'), ['a.carl@example.com', 'c.ada@example.com'])
    assert.deepEqual(await emails('search=b.bo'), ['b.bo@example.com'])
    assert.deepEqual((await list('search=other.')).items, [])
    assert.deepEqual((await list('search=100%25')).items, [])
  })

  it('sorts by name, email, role and joining, both ways', async () => {
    const byName = ['c.ada@example.com', 'b.bo@example.com', 'd.bo@example.com', 'a.carl@example.com']
    assert.deepEqual(await emails('sort=name'), byName)
    assert.deepEqual(
      await emails('sort=-email'),
      ['d.', 'c.', 'b.', 'a.'].map((start) => byName.find((one) => one.startsWith(start))),
    )
    assert.equal((await emails('sort=role'))[0], 'c.ada@example.com')
    assert.equal((await emails('sort=-created_at'))[0], 'd.bo@example.com')
  })

  it('pages of any size are the whole list, and a cursor of another order is refused', async () => {
    for (const sort of ['name', '-name', 'role', '-created_at']) {
      const whole = (await list(`sort=${sort}&limit=100`)).items
      const paged = []
      for (let after = ''; ; ) {
        const page = await list(`sort=${sort}&limit=2${after}`)
        paged.push(...page.items)
        if (page.next === null) break
        after = `&after=${page.next}`
      }
      assert.deepEqual(paged, whole)
    }
    const { next } = await list('sort=name&limit=1')
    for (const after of [next, 'x', '00000000-0000-7000-8000-000000000000']) {
      assert.equal((await organization.call('bearer', 'GET', `/users?sort=email&after=${after}`)).status, 422)
    }
  })

  it('more than 10,000 users are searched by the index, and sorted only where few match', async () => {
    const { customer_id } = other
    await service.sql`
      with people as (
        insert into users (id, email, name, created_at)
        select gen_random_uuid(), 'bulk' || n || '@example.com', 'Bulk ' || n, now() from generate_series(1, 10100) n
        returning id)
      insert into memberships (customer_id, user_id, role, created_at)
      select ${customer_id}, id, 'member', now() from people`
    const find = (query: string) => other.call('bearer', 'GET', `/users?${query}`)
    assert.equal((await find('')).status, 200)
    assert.deepEqual((await find('sort=name')).body.code, 'too_many_to_sort')
    assert.deepEqual((await find('search=bulk')).body.code, 'too_many_to_sort')
    const found = await find('search=bulk%207777&sort=name')
    assert.deepEqual(
      found.body.items.map(({ name }: { name: string }) => name),
      ['Bulk 7777'],
    )
  })

  it('groups are found by a part of their name, page by page, of this organization only', async () => {
    for (const name of ['Facility team', 'facility NIGHT', '100% remote', 'Board']) {
      assert.equal((await organization.call('session', 'POST', '/groups', { name })).status, 201)
    }
    await other.call('session', 'POST', '/groups', { name: 'Facility elsewhere' })
    const find = async (query: string) => {
      const { body } = await organization.call('bearer', 'GET', `/groups?${query}`)
      return { names: body.items.map(({ name }: { name: string }) => name), next: body.next }
    }
    assert.deepEqual((await find('search=FACILITY')).names, ['Facility team', 'facility NIGHT'])
    assert.deepEqual((await find('search=te')).names, ['Facility team'], 'the beginning of a word')
    assert.deepEqual((await find('search=%25%20re')).names, ['100% remote'])
    const { next } = await find('search=facility&limit=1')
    assert.deepEqual(await find(`search=facility&limit=1&after=${next}`), { names: ['facility NIGHT'], next: null })
    assert.deepEqual((await find('search=%20&limit=100')).names.length, 4, 'an empty search finds all')
  })
})
