import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { giveApp, givePasskey, openedWith, takeFactors } from '../../../../test/support/factors.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness, toTestResponse } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../test/support/organization.ts'
import { until } from '../../../../test/support/until.ts'
import { lastFactorProblem } from '../../directory/organization/last-factor.ts'

const service = await startHarness()
/** Another process on the same database. */
const elsewhere = await startHarness({}, { beside: service })
const { clock, sql } = service
const day = 86_400
const password = 'correct horse battery'
let people = 0

async function addPerson(organization: TestOrganization, role: 'member' | 'administrator', views = true) {
  people += 1
  const person = { name: `Person ${people}`, email: `person${people}@example.com`, password }
  const added = await service.operator('POST', `/customers/${organization.customer_id}/users`, { ...person, role })
  assert.equal(added.status, 201)
  if (views && role === 'member')
    await organization.call('session', 'PATCH', `/users/${added.body.id}`, { can_view_devices: true })
  return { ...person, id: added.body.id as string }
}

/** Sessions last a week: whoever waits so long signs in again. Factors are taken away meanwhile, as if signed in before. */
async function get(
  person: { email: string; password: string },
  path: string,
  { customer, app = service.app, methods }: { customer?: string; app?: typeof service.app; methods?: string[] } = {},
) {
  const headers = await freshSession(person, methods)
  const url = path.startsWith('/core') ? path : `/core/v1/organization${path}`
  const named = customer ? { 'landbridge-customer': customer } : {}
  return toTestResponse(await app.inject({ url, headers: { ...headers, ...named } }))
}

async function freshSession({ email }: { email: string; password: string }, methods?: string[]) {
  const [user] = await sql<{ id: string }[]>`select id from users where email = ${email}`
  const factors = await sql<{ kind: string | null }[]>`select second_factor_of(${user!.id}) as kind`
  await takeFactors(service, user!.id)
  const headers = await sessionHeaders(service, { email, password })
  if (factors[0]!.kind === 'app') await giveApp(service, user!.id)
  if (factors[0]!.kind === 'passkey') await givePasskey(service, user!.id)
  if (methods) await openedWith(service, user!.id, methods)
  return headers
}

async function setPolicy(organization: TestOrganization, policy: string) {
  const headers = await freshSession(organization.administrator, ['pwd', 'otp', 'mfa'])
  const url = '/core/v1/organization/second-factor-policy'
  return toTestResponse(await service.app.inject({ method: 'PATCH', url, headers, payload: { policy } }))
}

const outcome = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code]

describe('decision 6.66: an organization requires a second factor', () => {
  it('of all: after seven days, and not before, of those who have none; the sentence says what to do', async () => {
    const organization = await createOrganization(service)
    const member = await addPerson(organization, 'member')
    const set = await setPolicy(organization, 'all')
    assert.deepEqual([set.status, set.body.policy], [200, 'all'])
    clock.forward(7 * day - 1)
    assert.equal((await get(member, '/devices')).status, 200)
    clock.forward(1)
    const refused = await get(member, '/devices')
    assert.deepEqual(outcome(refused), [403, 'second_factor_required'])
    assert.match(refused.body.error, /Set one up at \/account/)
    assert.deepEqual(outcome(await get(member, '/devices', { app: elsewhere.app })), [403, 'second_factor_required'])
    const session = await get(member, '/core/v1/session')
    assert.equal(session.body.customers[0].second_factor.step, 'set_up')
    await giveApp(service, member.id)
    const present = await get(member, '/devices')
    assert.deepEqual(outcome(present), [403, 'second_factor_required'])
    assert.match(present.body.error, /\/account\/prove/)
    assert.equal((await get(member, '/devices', { methods: ['pwd', 'otp', 'mfa'] })).status, 200)
    const [event] = (await service.operator('GET', '/audit-events?type=customer.second_factor_policy_changed')).body
      .items
    assert.deepEqual(event.details, { policy: 'all', before: 'optional' })
  })

  it('an open stream ends when the days of grace do, on every process', async () => {
    const organization = await createOrganization(service)
    const member = await addPerson(organization, 'member')
    await setPolicy(organization, 'all')
    clock.forward(7 * day - 60)
    const headers = await freshSession(member)
    const url = '/core/v1/organization/devices/stream'
    const ended = await Promise.all(
      [service.app, elsewhere.app].map(async (app) => {
        const response = await app.inject({ url, headers, payloadAsStream: true })
        assert.equal(response.statusCode, 200)
        const stream = response.stream().resume()
        let over = false
        stream.once('end', () => {
          over = true
        })
        return () => over
      }),
    )
    clock.forward(59)
    await new Promise((resolve) => setTimeout(resolve, 600))
    assert.deepEqual(
      ended.map((over) => over()),
      [false, false],
    )
    clock.forward(1)
    await until(() => ended.every((over) => over()))
  })

  it('of administrators: members are not concerned; who becomes one has seven days from then', async () => {
    const organization = await createOrganization(service)
    const member = await addPerson(organization, 'member')
    await giveApp(service, organization.administrator.id)
    await setPolicy(organization, 'administrators')
    clock.forward(30 * day)
    assert.equal((await get(member, '/devices')).status, 200)
    const mfa = { methods: ['pwd', 'otp', 'mfa'] }
    assert.equal((await get(organization.administrator, '/users', mfa)).status, 200)
    assert.equal((await get(organization.administrator, '/users')).status, 403)
    const headers = await freshSession(organization.administrator, mfa.methods)
    const url = `/core/v1/organization/users/${member.id}`
    await service.app.inject({ method: 'PATCH', url, headers, payload: { role: 'administrator' } })
    clock.forward(7 * day - 1)
    assert.equal((await get(member, '/users')).status, 200)
    clock.forward(1)
    assert.deepEqual(outcome(await get(member, '/users')), [403, 'second_factor_required'])
  })

  it('who joins has seven days from then; what was required before stays required', async () => {
    const organization = await createOrganization(service)
    await givePasskey(service, organization.administrator.id)
    const mfa = { methods: ['hwk', 'user', 'mfa'] }
    await setPolicy(organization, 'administrators')
    const administrator = await addPerson(organization, 'administrator')
    clock.forward(8 * day)
    assert.equal((await get(administrator, '/users')).status, 403)
    await setPolicy(organization, 'all')
    assert.equal((await get(administrator, '/users')).status, 403, 'no new grace for administrators')
    const member = await addPerson(organization, 'member', false)
    const session = await get(member, '/core/v1/session')
    const due = new Date(clock.now().getTime() + 7 * day * 1000).toISOString()
    assert.deepEqual(session.body.customers[0].second_factor, { due_at: due, step: 'set_up' })
    await setPolicy(organization, 'administrators')
    assert.equal((await get(administrator, '/users')).status, 403)
    await setPolicy(organization, 'optional')
    assert.equal((await get(administrator, '/users')).status, 200)
    assert.equal((await get(organization.administrator, '/users', mfa)).status, 200)
  })

  it('a person of two organizations is held to the policy of the one they act for', async () => {
    const [strict, lax] = [await createOrganization(service), await createOrganization(service)]
    const member = await addPerson(strict, 'member')
    await joinAlso(service, lax.customer_id, member.email, 'administrator')
    await setPolicy(strict, 'all')
    clock.forward(8 * day)
    assert.equal((await get(member, '/devices', { customer: strict.customer_id })).status, 403)
    assert.equal((await get(member, '/devices', { customer: lax.customer_id })).status, 200)
  })

  it('tokens and API keys are not people', async () => {
    const organization = await createOrganization(service)
    const { body: token } = await organization.call('bearer', 'GET', '/users')
    await setPolicy(organization, 'all')
    clock.forward(8 * day)
    assert.equal((await organization.call('api_key', 'GET', '/users')).status, 200)
    assert.deepEqual((await organization.call('api_key', 'GET', '/users')).body, token)
  })

  it('is set by an administrator in the portal with a fresh proof only, and by nobody for another organization', async () => {
    const organization = await createOrganization(service)
    const change = { policy: 'all' }
    for (const kind of ['bearer', 'api_key'] as const) {
      const refused = await organization.call(kind, 'PATCH', '/second-factor-policy', change)
      assert.equal(refused.status, 403, kind)
    }
    const member = await addPerson(organization, 'member')
    const headers = await sessionHeaders(service, member)
    const url = '/core/v1/organization/second-factor-policy'
    const byMember = await service.app.inject({ method: 'PATCH', url, headers, payload: change })
    assert.deepEqual(outcome(toTestResponse(byMember)), [403, 'administrators_only'])
    clock.forward(601)
    const stale = await organization.call('session', 'PATCH', '/second-factor-policy', change)
    assert.deepEqual(outcome(stale), [403, 'proof_needed'])
    assert.equal((await organization.call('session', 'GET', '/second-factor-policy')).body.policy, 'optional')
    const other = await createOrganization(service)
    const foreign = { 'landbridge-customer': organization.customer_id }
    const crossed = await other.call('session', 'PATCH', '/second-factor-policy', change, foreign)
    assert.deepEqual(outcome(crossed), [403, 'administrators_only'])
    const twice = await Promise.all(['all', 'all', 'all'].map(() => setPolicy(organization, 'all')))
    assert.deepEqual(new Set(twice.map(({ status }) => status)), new Set([200]))
    const log = await organization.call('api_key', 'GET', '/audit-events?type=customer.second_factor_policy_changed')
    assert.equal(log.body.items.length, 1)
  })

  it('the last factor is not removed while one is required, and the sentence names who requires it', async () => {
    const organization = await createOrganization(service)
    const { id } = organization.administrator
    assert.equal(await lastFactorProblem(sql, id), null)
    await setPolicy(organization, 'administrators')
    assert.match((await lastFactorProblem(sql, id))!, /requires a second factor\. Add another one/)
    const member = await addPerson(organization, 'member')
    assert.equal(await lastFactorProblem(sql, member.id), null)
  })
})

describe('decision 6.67: administrators see who has a second factor', () => {
  it('by person, by kind and by count; nobody else does', async () => {
    const organization = await createOrganization(service)
    const [withApp, withKey, without] = [
      await addPerson(organization, 'member'),
      await addPerson(organization, 'member'),
      await addPerson(organization, 'member'),
    ]
    const members = await sessionHeaders(service, without)
    await giveApp(service, withApp.id)
    await givePasskey(service, withKey.id)
    await setPolicy(organization, 'all')
    const headers = await freshSession(organization.administrator, ['pwd', 'otp', 'mfa'])
    const read = async (path: string, by = headers) =>
      toTestResponse(await service.app.inject({ url: `/core/v1/organization${path}`, headers: by }))
    assert.deepEqual((await read('/second-factors')).body, { passkey: 1, app: 1, none: 2, missing: 2 })
    const all = (await read('/second-factors/users?sort=created_at')).body.items
    const byId = new Map(all.map((user: { id: string; second_factor: string }) => [user.id, user.second_factor]))
    assert.deepEqual([byId.get(withApp.id), byId.get(withKey.id), byId.get(without.id)], ['app', 'passkey', null])
    const missing = (await read('/second-factors/users?second_factor=missing')).body.items
    assert.deepEqual(
      missing.map(({ id }: { id: string }) => id).toSorted(),
      [without.id, organization.administrator.id].toSorted(),
    )
    assert.ok(missing.every((user: { second_factor_due_at: string }) => user.second_factor_due_at !== null))
    const named = (await read(`/second-factors/users?second_factor=app&search=${withApp.email}`)).body.items
    assert.equal(named.length, 1)
    assert.deepEqual(outcome(await read('/second-factors/users', members)), [403, 'administrators_only'])
    for (const kind of ['bearer', 'api_key'] as const) {
      assert.equal((await organization.call(kind, 'GET', '/second-factors/users')).status, 403)
      const { body } = await organization.call(kind, 'GET', '/users')
      assert.ok(!JSON.stringify(body).includes('second_factor'))
    }
  })
})

describe('without an organization', () => {
  it('a browser that is held to a policy still reaches its account', async () => {
    const organization = await createOrganization(service)
    await setPolicy(organization, 'all')
    clock.forward(8 * day)
    const browser = new Browser(service)
    await browser.signIn(organization.administrator)
    assert.equal((await browser.get('/account')).status, 200)
  })
})
