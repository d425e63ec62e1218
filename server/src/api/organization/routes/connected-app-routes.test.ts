import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  exchange,
  password,
  refresh,
  registerApplication,
  revoke,
  type TestApplication,
} from '../../../../../test/support/applications.ts'
import { readConsent, walkToCode, walkToConsent } from '../../../../../test/support/consent.ts'
import { Browser } from '../../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization, sessionHeaders } from '../../../../../test/support/organization.ts'
import { until } from '../../../../../test/support/until.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

const service = await startHarness()

async function setUp() {
  const application = await registerApplication(service)
  const unique = newId()
  const addUser = async (name: string, role: string, groups: string[] = []) => {
    const email = `${name}-${unique}@example.com`
    const body = { name, email, password, role, groups }
    const created = await service.operator('POST', `/customers/${application.customer_id}/users`, body)
    assert.equal(created.status, 201)
    return { email, password, id: created.body.id as string }
  }
  const headers = await sessionHeaders(service, { email: application.email, password })
  const call = async (method: 'GET' | 'PATCH' | 'DELETE', path = '', payload?: object, more = {}) => {
    const url = `/core/v1/organization/connected-apps${path}`
    const response = await service.app.inject({
      method,
      url,
      headers: { ...headers, ...more },
      ...(payload ? { payload } : {}),
    })
    return { status: response.statusCode, body: response.json(), headers: response.headers }
  }
  return { application, addUser, call, headers }
}

async function tokensOf(application: TestApplication, walk = {}) {
  const code = await walkToCode(service, application, walk)
  const { body, status } = await exchange(service, application, { ...code, grant_id: '' })
  assert.equal(status, 200)
  return body as { access_token: string; refresh_token: string }
}

const opens = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  return (await service.app.inject({ url: '/core/v1/organization/users', headers })).statusCode === 200
}

describe('organization API: connected apps', () => {
  it('2.3 an app is listed by approval and grant: who approved, who is connected, last used, the policy', async () => {
    const { application, addUser, call } = await setUp()
    const member = await addUser('mary', 'member')
    assert.deepEqual((await call('GET')).body, { items: [], next: null })
    await tokensOf(application)
    const { access_token } = await tokensOf(application, member)
    await opens(access_token)
    const { body } = await call('GET')
    const [app] = body.items
    assert.equal(app.client_id, application.client_id)
    assert.equal(app.approved_by.email, application.email)
    assert.deepEqual(app.policy, { kind: 'everyone', group_id: null, group_name: null })
    assert.deepEqual(
      app.users.map(({ email }: { email: string }) => email).toSorted(),
      [application.email, member.email].toSorted(),
    )
    assert.equal(app.approved_at, service.clock.now().toISOString())
    assert.ok(app.connected_at)
  })

  it('2.3 an app stays listed when its tokens expire and when its grant is revoked', async () => {
    const { application, call } = await setUp()
    const { access_token } = await tokensOf(application)
    service.clock.forward(91 * 24 * 3600)
    const headers = await sessionHeaders(service, { email: application.email, password })
    assert.ok(!(await opens(access_token)))
    assert.equal((await call('GET', '', undefined, headers)).body.items.length, 1)
    await service.operator('PATCH', `/applications/${application.client_id}`, { enabled: false })
    const [app] = (await call('GET', '', undefined, headers)).body.items
    assert.equal(app.enabled, false)
    assert.equal(app.connected_at, null)
    assert.deepEqual(app.users, [])
  })

  it('2.3 its last use is listed even after the application revoked its grant', async () => {
    const { application, call } = await setUp()
    const { access_token } = await tokensOf(application)
    service.clock.forward(90)
    await opens(access_token)
    await until(async () => (await call('GET')).body.items[0].last_used_at !== null, 'the use is noted')
    const before = (await call('GET')).body.items[0].last_used_at
    await revoke(service, application, access_token)
    const [app] = (await call('GET')).body.items
    assert.deepEqual([app.connected_at, app.last_used_at], [null, before])
  })

  it('2.3 however many connected it, all are counted and the latest 20 are named', async () => {
    const { application, call } = await setUp()
    await tokensOf(application)
    const [grant] = await service.sql`select id from grants where client_id = ${application.client_id}`
    const ids = Array.from({ length: 25 }, () => newId())
    await service.sql`
      insert into users (id, email, name, created_at) select id, id || '@example.com', 'Many', now() from unnest(${ids}::uuid[]) id`
    await service.sql`
      insert into grant_users (grant_id, user_id, connected_at) select ${grant!.id}, id, now() from unnest(${ids}::uuid[]) id`
    const [app] = (await call('GET')).body.items
    assert.deepEqual([app.user_count, app.users.length], [26, 20])
  })

  it('If-Match: use of the app is no change of it, another policy is', async () => {
    const { application, addUser, call } = await setUp()
    const { access_token } = await tokensOf(application)
    const path = `/${application.client_id}`
    const { etag } = (await call('GET', path)).headers
    service.clock.forward(90)
    await opens(access_token)
    await tokensOf(application, await addUser('ulla', 'member'))
    const policy = { kind: 'administrators' }
    assert.equal((await call('PATCH', path, { policy }, { 'if-match': etag })).status, 200)
    const late = await call('PATCH', path, { policy: { kind: 'everyone' } }, { 'if-match': etag })
    assert.deepEqual([late.status, late.body.code], [412, 'changed_meanwhile'])
  })

  it('2.3 narrowed to a group: it applies to the next connection at once, tokens already issued stay', async () => {
    const { application, addUser, call } = await setUp()
    const inside = await addUser('ines', 'member', ['Facilities'])
    const outside = await addUser('otto', 'member')
    await tokensOf(application)
    const { access_token } = await tokensOf(application, outside)
    const [group] = await service.sql`select id from groups where customer_id = ${application.customer_id}`
    const policy = { kind: 'group', group_id: group!.id }
    const changed = await call('PATCH', `/${application.client_id}`, { policy })
    assert.equal(changed.status, 200)
    assert.equal(changed.body.tokens, 'stay')
    assert.deepEqual(changed.body.policy, { ...policy, group_name: 'Facilities' })
    assert.ok(await opens(access_token))
    assert.ok(await tokensOf(application, inside))
    const { page } = await walkToConsent(service, application, outside)
    assert.deepEqual(readConsent(page).customer_ids, [])
    assert.match(page.body, /Only the group Facilities may connect it here/)
  })

  it('2.3 narrowed to administrators, with the tokens revoked on request: the approval stays', async () => {
    const { application, addUser, call } = await setUp()
    const member = await addUser('mia', 'member')
    await tokensOf(application)
    const { access_token, refresh_token } = await tokensOf(application, member)
    const body = { policy: { kind: 'administrators' }, revoke_tokens: true }
    assert.equal((await call('PATCH', `/${application.client_id}`, body)).body.tokens, 'revoked')
    assert.ok(!(await opens(access_token)))
    assert.equal((await refresh(service, application, refresh_token)).body.error, 'invalid_grant')
    const { page } = await walkToConsent(service, application, member)
    assert.match(page.body, /Only administrators may connect it here/)
    assert.ok(await tokensOf(application))
    assert.equal(
      (await call('PATCH', `/${application.client_id}`, { policy: { kind: 'everyone' } })).body.tokens,
      'stay',
    )
    assert.ok(await tokensOf(application, member))
  })

  it('decision 6.50: what it may do and where is narrowed and widened, from the next request on, on every process', async () => {
    const { application, call } = await setUp()
    const { customer_id, client_id } = application
    const { access_token } = await tokensOf(application)
    const headers = { authorization: `Bearer ${access_token}` }
    const { app: other } = await startHarness({}, { beside: service })
    const statuses = async (path: string) =>
      await Promise.all(
        [service.app, other].map(
          async (app) => (await app.inject({ url: `/core/v1/organization${path}`, headers })).statusCode,
        ),
      )
    assert.deepEqual(await statuses('/audit-events'), [200, 200])
    const [berlin, room, gone] = [newId(), newId(), newId()]
    const created_at = service.clock.now()
    await service.sql`insert into spaces ${service.sql({ id: berlin, customer_id, name: 'Berlin', created_at })}`
    await service.sql`
      insert into spaces ${service.sql({ id: room, customer_id, parent_id: berlin, name: 'Room', created_at })}`
    await service.sql`insert into spaces ${service.sql({ id: gone, customer_id, name: 'Gone', created_at })}`
    const path = `/${client_id}`
    const before = await call('GET', path)
    const { permissions, within, requested_permissions } = before.body
    assert.deepEqual([permissions, within, requested_permissions], [null, null, null])
    const levels = { devices: 'read', spaces: 'none', people: 'none', audit: 'none' }
    const etag = { 'if-match': before.headers.etag }
    const narrowed = await call('PATCH', path, { permissions: levels, within: [room, gone] }, etag)
    assert.equal(narrowed.status, 200)
    assert.deepEqual([narrowed.body.permissions, narrowed.body.policy.kind], [levels, 'everyone'])
    assert.deepEqual(await statuses('/audit-events'), [403, 403])
    assert.deepEqual(await statuses('/devices'), [200, 200])
    const late = await call('PATCH', path, { permissions: null }, etag)
    assert.deepEqual([late.status, late.body.code], [412, 'changed_meanwhile'])
    await service.sql`delete from spaces where id = ${gone}`
    const read = (await call('GET', path)).body
    const named = [
      { id: room, name: 'Berlin / Room' },
      { id: gone, name: null },
    ]
    assert.deepEqual(read.within, named)
    const everywhere = (await call('PATCH', path, { within: null })).body
    assert.deepEqual([everywhere.permissions, everywhere.within], [levels, null])
    assert.equal((await call('PATCH', path, { permissions: null })).body.permissions, null)
    assert.deepEqual(await statuses('/audit-events'), [200, 200])
    const events = await service.sql`
      select details from audit_events where type = 'approval.permissions_changed' and application_id = ${client_id} order by id`
    assert.deepEqual(events[0]!.details, {
      permissions: ['devices: read'],
      within: [room, gone],
      previous_permissions: ['everything'],
      previous_within: null,
    })
    assert.equal(events.length, 3)
  })

  it('decision 6.50: what cannot be approved → 422, and nothing changes', async () => {
    const { application, call } = await setUp()
    await tokensOf(application)
    const foreign = newId()
    const { customer_id } = await registerApplication(service)
    const created_at = service.clock.now()
    await service.sql`insert into spaces ${service.sql({ id: foreign, customer_id, name: 'Oslo', created_at })}`
    const levels = { devices: 'read', spaces: 'none', people: 'none', audit: 'none' }
    const bad: [object, RegExp][] = [
      [{}, /must not be empty|must have/],
      [{ revoke_tokens: true }, /policy, permissions or within/],
      [{ permissions: { ...levels, devices: 'own' } }, /devices/],
      [{ permissions: { ...levels, integrations: 'manage' } }, /integrations/],
      [{ permissions: { devices: 'read' } }, /spaces/],
      [{ permissions: 'everything' }, /permissions/],
      [{ within: [foreign] }, /a space that this organization does not have/],
      [{ within: [newId()] }, /a space that this organization does not have/],
      [{ within: Array.from({ length: 101 }, () => newId()) }, /100/],
      [{ within: Array.from({ length: 1_000 }, () => newId()) }, /100/],
      [{ policy: { kind: 'administrators' }, within: [foreign] }, /a space/],
    ]
    for (const [body, sentence] of bad) {
      const refused = await call('PATCH', `/${application.client_id}`, body)
      assert.equal(refused.status, 422, JSON.stringify(body))
      assert.match(refused.body.error, sentence)
    }
    const { permissions, within, policy } = (await call('GET', `/${application.client_id}`)).body
    assert.deepEqual([permissions, within, policy.kind], [null, null, 'everyone'])
  })

  it('decision 6.50: withdrawn and approved again, it starts anew', async () => {
    const { application, call } = await setUp()
    await tokensOf(application)
    const levels = { devices: 'read', spaces: 'none', people: 'none', audit: 'none' }
    await call('PATCH', `/${application.client_id}`, { permissions: levels })
    await call('DELETE', `/${application.client_id}`)
    await tokensOf(application)
    assert.equal((await call('GET', `/${application.client_id}`)).body.permissions, null)
  })

  it('3 withdrawing revokes the grant and the approval; members cannot connect until an administrator approves again', async () => {
    const { application, addUser, call } = await setUp()
    const member = await addUser('mona', 'member')
    const { access_token, refresh_token } = await tokensOf(application)
    const { customer_id, client_id } = application
    const space = { id: newId(), customer_id, name: 'Lobby', synced_by: client_id, created_at: service.clock.now() }
    await service.sql`insert into spaces ${service.sql(space)}`
    const withdrawn = await call('DELETE', `/${client_id}`)
    assert.equal(withdrawn.status, 200)
    assert.deepEqual(withdrawn.body, { client_id, grant_revoked: true, spaces_released: 1 })
    assert.ok(!(await opens(access_token)))
    assert.equal((await refresh(service, application, refresh_token)).body.error, 'invalid_grant')
    assert.equal((await call('GET')).body.items.length, 0)
    const [kept] = await service.sql`select synced_by from spaces where id = ${space.id}`
    assert.equal(kept!.synced_by, null)
    const { page } = await walkToConsent(service, application, member)
    assert.deepEqual(readConsent(page).customer_ids, [])
    assert.equal((await call('DELETE', `/${client_id}`)).status, 404)
    const { body } = await service.operator('GET', '/audit-events?type=approval.withdrawn')
    assert.equal(body.items[0].application_id, client_id)
    await tokensOf(application)
    assert.ok(await tokensOf(application, member))
  })

  it('withdrawing publishes both events to the webhooks of the application’s partner', async () => {
    const { application, call } = await setUp()
    await tokensOf(application)
    await service.sql`
      insert into webhook_endpoints (id, partner_id, url, events, secret, created_at)
      select ${newId()}, partner_id, 'https://cloud.example.com', '{grant.revoked,approval.withdrawn}', '', now()
      from applications where client_id = ${application.client_id}`
    await call('DELETE', `/${application.client_id}`)
    const queued = await service.sql`select type, payload::json -> 'data' as data from webhook_deliveries order by type`
    const data = { client_id: application.client_id, org_id: application.customer_id }
    assert.deepEqual(
      [...queued],
      [
        { type: 'approval.withdrawn', data },
        { type: 'grant.revoked', data: { ...data, reason: 'approval_withdrawn' } },
      ],
    )
  })

  it('a pending code is useless once the approval is withdrawn', async () => {
    const { application, call } = await setUp()
    const code = await walkToCode(service, application)
    await call('DELETE', `/${application.client_id}`)
    const { body } = await exchange(service, application, { ...code, grant_id: '' })
    assert.equal(body.error, 'invalid_grant')
  })

  it('withdrawing while people connect: no token survives, whichever comes first', async () => {
    const { application, call } = await setUp()
    await tokensOf(application)
    for (let round = 0; round < 10; round += 1) {
      const { browser, page } = await walkToConsent(service, application)
      const { request, customer_ids } = readConsent(page)
      const [response] = await Promise.all([
        browser.post('/consent', { request, customer_id: customer_ids[0]!, decision: 'approve' }),
        call('DELETE', `/${application.client_id}`),
      ])
      assert.equal(response.status, 303)
      const [state] = await service.sql`
        select (select count(*)::int from approvals where client_id = ${application.client_id}) as approvals,
          (select count(*)::int from grants where client_id = ${application.client_id} and revoked_at is null) as grants`
      assert.equal(state!.grants, state!.approvals, 'a grant lives exactly where an approval does')
      if (state!.approvals === 0) await tokensOf(application)
    }
  })

  it('only the portal session of an administrator: not a token, not an API key, not a member', async () => {
    const organization = await createOrganization(service)
    for (const credential of ['bearer', 'api_key'] as const) {
      for (const [method, path] of [
        ['GET', '/connected-apps'],
        ['PATCH', `/connected-apps/${organization.application.client_id}`],
        ['DELETE', `/connected-apps/${organization.application.client_id}`],
      ] as const) {
        const refused = await organization.call(credential, method, path, method === 'PATCH' ? {} : undefined)
        assert.equal(refused.status, 403)
        assert.equal(refused.body.code, 'portal_session_required')
      }
    }
    const { application, addUser } = await setUp()
    const member = await addUser('max', 'member')
    const headers = await sessionHeaders(service, member)
    const { statusCode } = await service.app.inject({ url: '/core/v1/organization/connected-apps', headers })
    assert.equal(statusCode, 403)
    assert.ok(application)
  })

  it('CSRF: a change with a session needs this host’s own Origin', async () => {
    const { application, call } = await setUp()
    await tokensOf(application)
    assert.equal(
      (await call('DELETE', `/${application.client_id}`, undefined, { origin: 'https://evil.test' })).status,
      403,
    )
    assert.equal((await call('GET')).body.items.length, 1)
  })

  it('a group of another customer, an unknown app and a bad policy are refused; If-Match guards against a collision', async () => {
    const { application, call } = await setUp()
    const other = await setUp()
    await other.addUser('gus', 'member', ['Theirs'])
    await tokensOf(application)
    const [foreign] = await service.sql`select id from groups where customer_id = ${other.application.customer_id}`
    const path = `/${application.client_id}`
    const refused = await call('PATCH', path, { policy: { kind: 'group', group_id: foreign!.id } })
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found'])
    for (const policy of [{}, { kind: 'nobody' }, { kind: 'group' }, { kind: 'everyone', group_id: newId() }, null]) {
      assert.equal((await call('PATCH', path, { policy })).status, 422)
    }
    assert.equal((await call('PATCH', `/${newId()}`, { policy: { kind: 'everyone' } })).status, 404)
    assert.equal((await other.call('DELETE', path)).status, 404, 'another customer’s app')
    const { headers } = await call('GET', path)
    const match = { 'if-match': String(headers.etag) }
    const first = await call('PATCH', path, { policy: { kind: 'administrators' } }, match)
    assert.equal(first.status, 200)
    assert.equal((await call('PATCH', path, { policy: { kind: 'everyone' } }, match)).status, 412)
    const next = { 'if-match': String(first.headers.etag) }
    assert.equal((await call('PATCH', path, { policy: { kind: 'everyone' } }, next)).status, 200)
  })

  it('a session in the browser of another host works the same', async () => {
    const { application } = await setUp()
    const browser = new Browser(service, { host: 'acme.test' })
    await browser.signIn({ email: application.email, password })
    const response = await service.app.inject({ url: '/core/v1/organization/connected-apps', headers: browser.headers })
    assert.equal(response.statusCode, 200)
  })
})
