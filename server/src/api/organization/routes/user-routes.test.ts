import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startHarness } from '../../../../../test/support/harness.ts'
import { overlap } from '../../../../../test/support/locks.ts'
import { createOrganization, credentialKinds, type TestOrganization } from '../../../../../test/support/organization.ts'
import { until } from '../../../../../test/support/until.ts'

const service = await startHarness()
let people = 0

describe('organization API: users and groups', () => {
  let organization: TestOrganization
  let other: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
    other = await createOrganization(service)
  })
  const add = async (role: 'administrator' | 'member', customerId = organization.customer_id): Promise<string> => {
    people += 1
    const person = {
      name: `Person ${people}`,
      email: `p${people}@example.com`,
      password: 'correct horse battery',
      role,
    }
    return (await service.operator('POST', `/customers/${customerId}/users`, person)).body.id
  }

  it('a member is deactivated, reactivated, added to a group and removed by every kind of caller', async () => {
    const group = (await organization.call('session', 'POST', '/groups', { name: 'Everyone' })).body
    for (const credential of credentialKinds) {
      const path = `/users/${await add('member')}`
      assert.equal((await organization.call(credential, 'PATCH', path, { active: false })).body.active, false)
      const { body } = await organization.call(credential, 'PATCH', path, {
        active: true,
        role: 'member',
        groups: [group.id],
      })
      assert.deepEqual([body.active, body.role, body.groups.length], [true, 'member', 1])
      assert.equal((await organization.call(credential, 'DELETE', path)).status, 204)
      assert.equal((await organization.call(credential, 'GET', path)).status, 404)
    }
  })

  it('a member becomes an administrator and a member again in the portal', async () => {
    const path = `/users/${await add('member')}`
    for (const role of ['administrator', 'member']) {
      assert.equal((await organization.call('session', 'PATCH', path, { role })).body.role, role)
    }
  })

  describe('decision 6.10 a token or an API key', () => {
    const limited = credentialKinds.filter((credential) => credential !== 'session')
    const refused = ({ status, body }: { status: number; body: { code?: string } }) =>
      assert.deepEqual([status, body.code], [403, 'administrators_protected'])

    it('cannot grant the administrator role, nor change, deactivate or remove an administrator → 403', async () => {
      const member = await add('member')
      const administrator = await add('administrator')
      for (const credential of limited) {
        refused(await organization.call(credential, 'PATCH', `/users/${member}`, { role: 'administrator' }))
        refused(
          await organization.call(credential, 'PATCH', `/users/${member}`, { role: 'administrator', active: true }),
        )
        refused(await organization.call(credential, 'PATCH', `/users/${administrator}`, { role: 'member' }))
        refused(await organization.call(credential, 'PATCH', `/users/${administrator}`, { active: false }))
        refused(await organization.call(credential, 'DELETE', `/users/${administrator}`))
        refused(
          await organization.call(credential, 'POST', '/invitations', {
            email: 'x@example.com',
            role: 'administrator',
          }),
        )
      }
      const { body } = await organization.call('session', 'GET', `/users/${administrator}`)
      assert.deepEqual([body.role, body.active], ['administrator', true])
    })

    it('adds an administrator to a group, but not the person who approved it, even as a member', async () => {
      const { client_id } = organization.application
      const approver = await add('administrator')
      const second = await add('administrator')
      await service.sql`
        insert into approvals (client_id, customer_id, approved_by, approved_at)
        values (${client_id}, ${organization.customer_id}, ${approver}, ${service.clock.now()})`
      await service.sql`update api_keys set created_by = ${approver} where customer_id = ${organization.customer_id}`
      const group = (await organization.call('session', 'POST', '/groups', { name: 'Approvers' })).body
      await organization.call('session', 'PATCH', `/users/${approver}`, { role: 'member' })
      for (const credential of limited) {
        assert.equal(
          (await organization.call(credential, 'PATCH', `/users/${second}`, { groups: [group.id] })).status,
          200,
        )
        refused(await organization.call(credential, 'PATCH', `/users/${approver}`, { groups: [group.id] }))
        refused(await organization.call(credential, 'PATCH', `/users/${approver}`, { active: false }))
        refused(await organization.call(credential, 'DELETE', `/users/${approver}`))
        refused(await organization.call(credential, 'PUT', `/groups/${group.id}/members/${approver}`))
        refused(await organization.call(credential, 'DELETE', `/groups/${group.id}/members/${approver}`))
      }
      await service.sql`delete from approvals where client_id = ${client_id}`
      await service.sql`
        update api_keys set created_by = ${organization.administrator.id} where customer_id = ${organization.customer_id}`
    })
  })

  it('decision 6.9 a customer cannot change an email, name or password', async () => {
    const id = await add('member')
    for (const change of [{ email: 'x@example.com' }, { name: 'X' }, { password: 'x'.repeat(12) }, {}]) {
      assert.equal((await organization.call('session', 'PATCH', `/users/${id}`, change)).status, 422)
    }
  })

  it("another customer's people are a 404", async () => {
    const id = await add('member', other.customer_id)
    assert.equal((await organization.call('session', 'GET', `/users/${id}`)).status, 404)
    assert.equal((await organization.call('session', 'PATCH', `/users/${id}`, { active: false })).status, 404)
    assert.equal((await organization.call('session', 'DELETE', `/users/${id}`)).status, 404)
    assert.equal((await other.call('session', 'GET', `/users/${id}`)).body.active, true)
  })

  describe('decision 6.9 the last active administrator', () => {
    const refusals = [
      ['demoted', { role: 'member' }],
      ['deactivated', { active: false }],
      ['removed', null],
    ] as const
    for (const [what, change] of refusals) {
      it(`cannot be ${what} → 409 last_administrator`, async () => {
        const path = `/users/${other.administrator.id}`
        const refused = change
          ? await other.call('session', 'PATCH', path, change)
          : await other.call('session', 'DELETE', path)
        assert.deepEqual([refused.status, refused.body.code], [409, 'last_administrator'])
        const { body } = await other.call('api_key', 'GET', path)
        assert.deepEqual([body.role, body.active], ['administrator', true])
      })
    }

    it('a deactivated administrator does not count', async () => {
      const second = await add('administrator', other.customer_id)
      await other.call('session', 'PATCH', `/users/${second}`, { active: false })
      const refused = await other.call('session', 'PATCH', `/users/${other.administrator.id}`, { role: 'member' })
      assert.equal(refused.status, 409)
      assert.equal((await other.call('session', 'DELETE', `/users/${second}`)).status, 204)
    })

    it('stays when all administrators are demoted, deactivated and removed at once, 20 rounds', async () => {
      for (let round = 0; round < 20; round += 1) {
        const { customer_id, call, administrator } = await createOrganizationWith(3)
        const ids = [...administrator.others, administrator.id]
        const responses = await Promise.all(
          ids.map((id, n) =>
            n % 3 === 2 ? call('DELETE', id) : call('PATCH', id, n % 3 === 0 ? { role: 'member' } : { active: false }),
          ),
        )
        assert.equal(responses.filter(({ status }) => status === 409).length, 1)
        const [left] = await service.sql`
          select count(*)::int from memberships
          where customer_id = ${customer_id} and role = 'administrator' and active`
        assert.equal(left!.count, 1)
      }
    })
    // One customer for all rounds: creating an organization costs a sign-in each.
    const createOrganizationWith = async (more: number) => {
      const [kept] = await service.sql`
        select user_id from memberships where customer_id = ${other.customer_id} and role = 'administrator' and active`
      const others: string[] = []
      for (let n = 0; n < more; n += 1) others.push(await add('administrator', other.customer_id))
      // By the operator, whose right does not end while the administrators go.
      const call = (method: 'PATCH' | 'DELETE', id: string, body?: object) =>
        service.operator(method, `/customers/${other.customer_id}/users/${id}`, body)
      return { customer_id: other.customer_id, call, administrator: { id: kept!.user_id, others } }
    }
  })

  it('If-Match: a change based on an old version → 412', async () => {
    const path = `/users/${await add('member')}`
    const { headers } = await organization.call('session', 'GET', path)
    const ifMatch = { 'if-match': String(headers.etag) }
    const first = await organization.call('session', 'PATCH', path, { role: 'administrator' }, ifMatch)
    assert.equal(first.status, 200)
    const second = await organization.call('session', 'PATCH', path, { active: false }, ifMatch)
    assert.deepEqual([second.status, second.body.code], [412, 'changed_meanwhile'])
    assert.equal((await organization.call('session', 'DELETE', path, undefined, ifMatch)).status, 412)
    const fresh = { 'if-match': `"x", ${first.headers.etag}` }
    assert.equal((await organization.call('session', 'DELETE', path, undefined, fresh)).status, 204)
  })

  it('If-Match: nobody is added to a group between the check under the lock and the change', async () => {
    const userId = await add('member')
    const group = (await organization.call('session', 'POST', '/groups', { name: 'Latecomers' })).body
    let joined = false
    let join: Promise<unknown> = Promise.resolve()
    await service.sql.begin(async (tx) => {
      await tx`select from customers where id = ${organization.customer_id} for no key update`
      join = organization.call('session', 'PUT', `/groups/${group.id}/members/${userId}`).then(() => {
        joined = true
      })
      const waiting = () => service.sql`
        select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await until(async () => joined || (await waiting()).length > 0)
      assert.equal(joined, false, 'it waits for the change of the customer’s people')
    })
    await join
    assert.equal(joined, true)
  })

  it('nobody is added to a group that is being deleted → 404', async () => {
    const userId = await add('member')
    const group = (await organization.call('session', 'POST', '/groups', { name: 'Short-lived' })).body
    const [deleted, changed] = await overlap(
      service.sql,
      () => organization.call('session', 'DELETE', `/groups/${group.id}`),
      () => organization.call('session', 'PATCH', `/users/${userId}`, { groups: [group.id] }),
    )
    assert.deepEqual([deleted.status, changed.status, changed.body.code], [204, 404, 'not_found'])
  })

  describe('groups', () => {
    it('are created, renamed, filled, emptied and deleted, with every credential', async () => {
      for (const credential of credentialKinds) {
        const created = await organization.call(credential, 'POST', '/groups', { name: `Crew ${credential}` })
        assert.equal(created.status, 201)
        const path = `/groups/${created.body.id}`
        const renamed = await organization.call(credential, 'PATCH', path, { name: `Team ${credential}` })
        assert.deepEqual((await organization.call(credential, 'GET', path)).body, renamed.body)
        const user = await add('member')
        assert.equal((await organization.call(credential, 'PUT', `${path}/members/${user}`)).status, 204)
        assert.equal((await organization.call(credential, 'PUT', `${path}/members/${user}`)).status, 204)
        const { items } = (await organization.call(credential, 'GET', `${path}/members`)).body
        assert.deepEqual([items.length, items[0].id, items[0].groups[0].name], [1, user, `Team ${credential}`])
        assert.equal((await organization.call(credential, 'DELETE', `${path}/members/${user}`)).status, 204)
        assert.equal((await organization.call(credential, 'DELETE', `${path}/members/${user}`)).status, 404)
        assert.equal((await organization.call(credential, 'DELETE', path)).status, 204)
        assert.equal((await organization.call(credential, 'GET', path)).status, 404)
      }
    })

    it('a taken name → 409, a foreign group or person → 404', async () => {
      const mine = (await organization.call('session', 'POST', '/groups', { name: 'Mine' })).body
      await organization.call('session', 'POST', '/groups', { name: 'Second' })
      const taken = await organization.call('session', 'PATCH', `/groups/${mine.id}`, { name: 'SECOND' })
      assert.deepEqual([taken.status, taken.body.code], [409, 'name_taken'])
      const theirs = (await other.call('api_key', 'POST', '/groups', { name: 'Theirs' })).body
      const [user, outsider] = [await add('member'), await add('member', other.customer_id)]
      for (const [group, person] of [
        [theirs.id, user],
        [theirs.id, outsider],
        [mine.id, outsider],
      ]) {
        assert.equal((await organization.call('session', 'PUT', `/groups/${group}/members/${person}`)).status, 404)
      }
      assert.equal((await organization.call('session', 'PATCH', `/users/${user}`, { groups: [theirs.id] })).status, 404)
      assert.equal((await organization.call('session', 'GET', `/groups/${theirs.id}/members`)).status, 404)
      const set = await organization.call('session', 'PATCH', `/users/${user}`, { groups: [mine.id] })
      assert.deepEqual(set.body.groups, [{ id: mine.id, name: 'Mine' }])
      assert.deepEqual((await organization.call('session', 'PATCH', `/users/${user}`, { groups: [] })).body.groups, [])
    })

    it('one that a connected app admits cannot be deleted → 409 group_in_use', async () => {
      const { id } = (await organization.call('session', 'POST', '/groups', { name: 'Admitted' })).body
      const { client_id } = organization.application
      await service.sql`
        insert into approvals (client_id, customer_id, policy, group_id, approved_at)
        values (${client_id}, ${organization.customer_id}, 'group', ${id}, ${service.clock.now()})
        on conflict (client_id, customer_id) do update set policy = 'group', group_id = ${id}`
      const refused = await organization.call('session', 'DELETE', `/groups/${id}`)
      assert.deepEqual([refused.status, refused.body.code], [409, 'group_in_use'])
    })
  })
})
