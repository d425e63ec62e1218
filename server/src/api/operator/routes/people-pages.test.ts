// What the operator's pages of customers and people read and change.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { password, registerApplication } from '../../../../../test/support/applications.ts'
import { walkToCode } from '../../../../../test/support/consent.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { sessionHeaders } from '../../../../../test/support/organization.ts'
import { rowsRead } from '../../../../../test/support/rows-read.ts'
import { listUsers } from '../../../directory/accounts/users.ts'

const service = await startHarness()
const application = await registerApplication(service)
const { partner_id } = application
const { body: customer } = await service.operator('POST', '/customers', { partner_id, name: 'Zürich 100%_Hotels' })
const mary = { name: 'Mary Seacole', email: 'mary.seacole@hotels.example', password }

async function names(path: string): Promise<string[]> {
  const { status, body } = await service.operator('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return body.items.map(({ name }: { name: string }) => name)
}

describe('customers', () => {
  it('are found by any part of their name, and what looks like a pattern is none', async () => {
    assert.deepEqual(await names('/customers?search=rich%20100'), [customer.name])
    assert.deepEqual(await names(`/customers?search=${encodeURIComponent('0%_h')}&partner_id=${partner_id}`), [
      customer.name,
    ])
    assert.deepEqual(await names(`/customers?search=${encodeURIComponent('r_ch')}`), [])
    assert.deepEqual(await names(`/customers?search=${encodeURIComponent("'; drop table customers")}`), [])
    assert.deepEqual(await names(`/customers?search=z&partner_id=${customer.id}`), [])
    assert.equal((await names('/customers?search=%20')).length, 2, 'an empty search finds all')
  })

  it('show the apps they approved, without the people behind them', async () => {
    await walkToCode(service, application)
    const path = `/customers/${application.customer_id}/connected-apps`
    const { items } = (await service.operator('GET', path)).body
    assert.deepEqual([items.length, items[0].name, items[0].users], [1, 'Dashboard', undefined])
    assert.equal((await service.operator('GET', `/customers/${application.client_id}/connected-apps`)).status, 404)
  })

  it('take people by invitation, and keep their last administrator', async () => {
    const path = `/customers/${customer.id}/invitations`
    const invited = await service.operator('POST', path, { email: mary.email, role: 'administrator' })
    assert.equal(invited.status, 201)
    assert.match(invited.body.link, /\/link\/lb/)
    const unknown = `/customers/${application.client_id}/invitations`
    assert.equal((await service.operator('POST', unknown, { email: mary.email, role: 'member' })).status, 404)
    const added = await service.operator('POST', `/customers/${customer.id}/users`, { ...mary, role: 'administrator' })
    const again = await service.operator('POST', path, { email: mary.email.toUpperCase(), role: 'member' })
    assert.equal(again.body.code, 'already_member')
    const membership = `/customers/${customer.id}/users/${added.body.id}`
    assert.equal((await service.operator('PATCH', membership, { role: 'member' })).body.code, 'last_administrator')
    assert.equal((await service.operator('DELETE', membership)).body.code, 'last_administrator')
  })
})

describe('a search of many', () => {
  const find = async (text: string, after?: string, context = service.context) => {
    const { items } = await listUsers(context, { search: text, limit: 3, ...(after ? { after } : {}) })
    return items
  }
  const numbers = (items: { name: string }[]) => items.map(({ name }) => Number(name.split(' ')[1]))

  it('reads the index of the text, not all ids, also once the plan is kept; what most have is found in order', async () => {
    const { sql } = service
    await sql`
      insert into users (id, email, name, created_at)
      select lpad(to_hex(n), 32, '0')::uuid, 'p' || n || '@many', 'Who ' || n, now()
      from generate_series(1, 11000) n`
    const read = await rowsRead(service.context, 'users', async (context) => {
      for (let time = 0; time < 10; time += 1) assert.equal((await find(`p1099${time}@`, undefined, context)).length, 1)
    })
    assert.ok(read < 2_000, `${read} rows were read`)
    const first = await find('many')
    assert.deepEqual(numbers(first), [1, 2, 3])
    assert.deepEqual(numbers(await find('many', first[2]!.id)), [4, 5, 6])
    assert.deepEqual(numbers(await find('who 1099')), [1099, 10990, 10991])
  })
})

describe('people', () => {
  it('are found by any part of email or name', async () => {
    for (const text of ['seacole@ho', 'MARY S', 'y.sea']) {
      assert.deepEqual(await names(`/users?search=${encodeURIComponent(text)}`), [mary.name])
    }
    assert.deepEqual(await names('/users?search=%25'), [])
    assert.deepEqual(await names('/users?search=se'), [mary.name], 'the beginning of a word')
    assert.deepEqual(await names('/users?search=ea'), [])
  })

  it('are sorted by name or email, both ways, with and without a search, page by page', async () => {
    for (const [name, email] of [
      ['Zoë Sorted', 'b@sorted.example'],
      ['adam Sorted', 'c@sorted.example'],
      ['Bea Sorted', 'A@sorted.example'],
      ['Bea Sorted', 'd@sorted.example'],
    ]) {
      const person = { name, email, password, role: 'member' }
      assert.equal((await service.operator('POST', `/customers/${customer.id}/users`, person)).status, 201)
    }
    const read = async (query: string, limit: number) => {
      const emails: string[] = []
      for (let after = ''; ; ) {
        const { status, body } = await service.operator('GET', `/users?${query}&limit=${limit}${after}`)
        assert.equal(status, 200, JSON.stringify(body))
        emails.push(...body.items.map(({ email }: { email: string }) => email))
        if (body.next === null) return emails
        after = `&after=${body.next}`
      }
    }
    const of = (emails: string[]) => emails.flatMap((email) => /^(.)@sorted/.exec(email.toLowerCase())?.[1] ?? [])
    const expected = { email: 'abcd', '-email': 'dcba', name: 'cadb', '-name': 'bdac' }
    for (const [sort, order] of Object.entries(expected)) {
      for (const limit of [1, 100]) {
        assert.equal(of(await read(`search=sorted&sort=${sort}`, limit)).join(''), order, `search, ${sort} by ${limit}`)
      }
      // Of 11,000 who match, as of all: in the order of the index.
      assert.equal(of(await read(`sort=${sort}`, 100)).join(''), order, sort)
      if (!sort.endsWith('name')) continue
      const [first] = (await service.operator('GET', `/users?search=who&sort=${sort}&limit=1`)).body.items
      assert.equal(first.name, sort.startsWith('-') ? 'Who 9999' : 'Who 1', sort)
    }
    const { next } = (await service.operator('GET', '/users?sort=name&limit=1')).body
    assert.equal((await service.operator('GET', `/users?sort=email&after=${next}`)).status, 422)
  })

  it('have their memberships and whether they are signed in; a reset link ends with its use', async () => {
    const { id } = (await service.operator('GET', `/users?email=${mary.email}`)).body.items[0]
    const read = async () => (await service.operator('GET', `/users/${id}`)).body
    const before = await read()
    assert.deepEqual(before.customers, [
      { id: customer.id, name: customer.name, lab: false, role: 'administrator', active: true },
    ])
    assert.deepEqual(before.sign_in, {
      has_password: true,
      sessions: 0,
      last_seen_at: null,
      reset_link_expires_at: null,
    })
    await sessionHeaders(service, mary)
    assert.equal((await read()).sign_in.sessions, 1)
    const reset = await service.operator('POST', `/users/${id}/password-reset`)
    assert.equal((await read()).sign_in.reset_link_expires_at, reset.body.expires_at)
    service.clock.forward(13 * 3600)
    assert.equal((await read()).sign_in.sessions, 0, 'idle for too long')
    service.clock.forward(12 * 3600)
    assert.equal((await read()).sign_in.reset_link_expires_at, null)
    await service.operator('POST', `/users/${id}/release-email`)
    assert.equal((await read()).sign_in.has_password, false)
  })
})
