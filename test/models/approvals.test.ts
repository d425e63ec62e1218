import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe } from 'node:test'
import fc from 'fast-check'
import { exchange, nextAddress, password, refresh, revoke, type TestApplication } from '../support/applications.ts'
import { authorizePath, readConsent } from '../support/consent.ts'
import { Browser, type Visit } from '../support/form-browser.ts'
import { Etags } from './etags.ts'
import * as rules from './rules/approvals.ts'
import { type Match, matches } from './rules/verdict.ts'
import { assertVerdict, command, itKeepsTheModel, pick } from './run-model.ts'
import { mustSucceed, startWorld } from './world.ts'

const world = await startWorld({ LANDBRIDGE_QUOTAS: 'applications=1000000' })
const { service, organization, headers, call } = world
const { customer_id, administrator } = organization
const people = {
  ada: { id: administrator.id, email: administrator.email },
  bob: await world.addPerson('administrator'),
  cem: await world.addPerson('member'),
  dee: await world.addPerson('member'),
}
/** Of each person, on the portal domain and for calls of the API. */
const browsers = new Map<string, Browser>()

async function signIn(): Promise<void> {
  for (const name of rules.personNames) {
    const person = { email: people[name].email, password }
    const browser = new Browser(service, { host: 'acme.test', address: nextAddress() })
    await browser.signIn(person)
    browsers.set(name, browser)
    const portal = new Browser(service, { address: nextAddress() })
    await portal.signIn(person)
    headers[name] = portal.headers
  }
  const strangers = new Browser(service, { address: nextAddress() })
  await strangers.signIn(world.stranger.administrator)
  headers.stranger = strangers.headers
}

interface Real {
  application: TestApplication
  groupId: string
  etags: Etags
}
type Model = rules.Approvals

const who = fc.constantFrom(...rules.actors, 'ada' as const, 'bob' as const)
const person = fc.constantFrom(...rules.personNames)
const policy = fc.constantFrom(...rules.policies)
const hasTokens = ({ grants }: Model) => grants.some(({ chains }) => chains.length > 0)

function chainsOf(model: Model) {
  return model.grants.flatMap((grant) => grant.chains.map((chain) => ({ grant, chain }))).toReversed()
}

const toPolicy = (kind: rules.PolicyKind, { groupId }: Real) =>
  kind === 'group' ? { kind, group_id: groupId } : { kind }
const appPath = ({ application }: Real) => `/connected-apps/${application.client_id}`

function returned({ location }: Visit, parameter: string): string | null {
  return new URL(location ?? 'about:blank').searchParams.get(parameter)
}

/** From the application to the consent screen, or to where the person is led instead. */
async function visit(real: Real, name: rules.PersonName, parameters: Record<string, string> = {}) {
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  const path = authorizePath(real.application, { code_challenge, ...parameters })
  const browser = browsers.get(name)!
  const first = await browser.get(`http://acme.test${path}`)
  const page = first.location ? await browser.follow(first.location) : first
  return { browser, page, code_verifier, request: returned(first, 'request') ?? '' }
}

/** The application gets tokens for its code. */
async function exchangeCode(model: Model, real: Real, grant: rules.Grant, code: string, code_verifier: string) {
  const { redirect_uri } = real.application
  const { status, body } = await exchange(service, real.application, {
    code,
    code_verifier,
    redirect_uri,
    grant_id: '',
  })
  assert.equal(status, 200, JSON.stringify(body))
  const accessUntil = model.now + rules.accessMilliseconds
  grant.chains.push({
    access: body.access_token,
    accessUntil,
    refresh: [{ token: body.refresh_token, rotatedAt: null }],
  })
}

function assertApp(body: Record<string, unknown>, model: Model, real: Real): void {
  const grant = rules.currentGrant(model)
  const { kind, group_id } = body.policy as { kind: string; group_id: string | null }
  assert.deepEqual(
    [kind, group_id, body.enabled, body.user_count, body.connected_at !== null],
    [
      model.approval,
      model.approval === 'group' ? real.groupId : null,
      model.enabled,
      grant?.users.size ?? 0,
      grant !== undefined,
    ],
  )
}

interface Connecting {
  name: rules.PersonName
  policy: rules.PolicyKind
  decision: 'approve' | 'decline'
}

const commands = [
  command<Model, Real, Connecting>(
    'connect',
    fc.record({ name: person, policy, decision: fc.constantFrom('approve', 'approve', 'decline') }),
    async (model, real, { name, policy, decision }) => {
      const { browser, page, code_verifier, request } = await visit(real, name)
      if (!model.enabled) {
        assert.deepEqual([page.status, page.location], [400, undefined])
        return
      }
      const { customer_ids } = readConsent(page)
      const may = rules.mayConnect(model, name)
      assert.deepEqual(customer_ids, may ? [customer_id] : [])
      const [field, chosen] = [`policy_${customer_id}`, policy === 'group' ? real.groupId : policy]
      const form = { request, customer_id, decision, [field]: chosen }
      const decided = await browser.post('/consent', form)
      if (!may) return void assert.ok(decided.status >= 400 && !decided.location, String(decided.status))
      if (decision === 'decline') return void assert.equal(returned(decided, 'error'), 'access_denied')
      const isGone = policy === 'group' && !model.group && model.approval === null
      if (isGone) return void assert.equal(decided.status, 422)
      const grant = rules.applyConnection(model, name, policy)
      await exchangeCode(model, real, grant, returned(decided, 'code')!, code_verifier)
    },
    { weight: 6 },
  ),
  command<Model, Real, { name: rules.PersonName }>(
    'connect without a screen',
    fc.record({ name: person }),
    async (model, real, { name }) => {
      const { page, code_verifier } = await visit(real, name, { prompt: 'none' })
      const outcome = rules.connectingSilently(model, name)
      if (outcome !== 'code') return void assert.equal(returned(page, 'error'), outcome)
      const grant = rules.applyConnection(model, name, 'everyone')
      await exchangeCode(model, real, grant, returned(page, 'code')!, code_verifier)
    },
    { when: ({ enabled }) => enabled },
  ),
  command<Model, Real, { which: number }>(
    'use a token',
    fc.record({ which: fc.nat() }),
    async (model, _, { which }) => {
      const { grant, chain } = pick(chainsOf(model), which)
      headers.token = { authorization: `Bearer ${chain.access}` }
      const expected = rules.isHonoured(model, grant, chain) ? 200 : 401
      assert.equal((await call('token', 'GET', '/groups')).status, expected)
    },
    { when: hasTokens, weight: 2 },
  ),
  command<Model, Real, { which: number; older: boolean }>(
    'refresh',
    fc.record({ which: fc.nat(), older: fc.boolean() }),
    async (model, { application }, { which, older }) => {
      const { grant, chain } = pick(chainsOf(model), which)
      const used = older ? chain.refresh[0]! : chain.refresh.at(-1)!
      const expected = rules.refreshing(model, grant, used)
      const { status, body } = await refresh(service, application, used.token)
      assert.equal(status, expected, JSON.stringify(body))
      if (status !== 200) return
      used.rotatedAt = model.now
      chain.refresh.push({ token: body.refresh_token, rotatedAt: null })
      chain.access = body.access_token
      chain.accessUntil = model.now + rules.accessMilliseconds
    },
    { when: hasTokens, weight: 3 },
  ),
  command<Model, Real, { which: number }>(
    'revoke a token',
    fc.record({ which: fc.nat() }),
    async (model, { application }, { which }) => {
      const { grant, chain } = pick(chainsOf(model), which)
      const { status } = await revoke(service, application, chain.refresh.at(-1)!.token)
      assert.equal(status, model.enabled ? 200 : 401)
      if (model.enabled) grant.revoked = true
    },
    { when: hasTokens },
  ),
  command<Model, Real, { who: rules.Actor; policy: rules.PolicyKind; match: Match; revokes: boolean }>(
    'change the policy',
    fc.record({ who, policy, match: fc.constantFrom(...matches), revokes: fc.boolean() }),
    async (model, real, { who, policy, match, revokes }) => {
      const path = appPath(real)
      real.etags.note(path, await call('ada', 'GET', path))
      const verdict = rules.changingPolicy(model, { who, policy, match })
      const body = { policy: toPolicy(policy, real), revoke_tokens: revokes }
      const response = await call(who, 'PATCH', path, body, real.etags.header(path, match))
      if (!assertVerdict(response, verdict)) return
      assert.equal(response.body.tokens, rules.applyPolicy(model, policy, revokes))
      assertApp(response.body, model, real)
    },
    { weight: 2 },
  ),
  command<Model, Real, { who: rules.Actor }>(
    'withdraw the approval',
    fc.record({ who }),
    async (model, real, { who }) => {
      const verdict = rules.reading(model, who)
      const response = await call(who, 'DELETE', appPath(real))
      if (assertVerdict(response, verdict)) assert.equal(response.body.grant_revoked, rules.applyWithdrawal(model))
    },
  ),
  command<Model, Real, { name: 'cem' | 'dee' | 'bob' }>(
    'ask for an approval',
    fc.record({ name: fc.constantFrom('cem', 'dee', 'bob') }),
    async (model, real, { name }) => {
      const { browser, request } = await visit(real, name)
      const asked = await browser.post('/consent/ask', { request, customer_id, note: 'for the floor plan' })
      const outcome = rules.asking(model, name)
      if (outcome === 'declined_lately') return void assert.equal(asked.status, 409)
      assert.equal(asked.status, 303, asked.body)
      assert.equal(asked.location!.startsWith('/consent/ask'), outcome === 'asked', asked.location)
      const waits = rules.openRequests(model).some(({ by }) => by === name)
      if (outcome !== 'asked' || waits) return
      const { items } = (await call('ada', 'GET', '/approval-requests?limit=100')).body
      const isIt = (item: { user: { id: string }; application: { client_id: string } }) =>
        item.user.id === people[name].id && item.application.client_id === real.application.client_id
      model.requests.push({ id: items.find(isIt).id, by: name, state: 'open', decidedAt: 0 })
    },
    { when: ({ enabled }) => enabled, weight: 3 },
  ),
  command<Model, Real, { who: rules.Actor; which: number; policy: rules.PolicyKind | null }>(
    'decide a request',
    fc.record({ who, which: fc.nat(), policy: fc.option(policy) }),
    async (model, real, { who, which, policy }) => {
      const request = pick(model.requests.toReversed(), which)
      const verdict = rules.deciding(model, { who, request, policy })
      const path = `/approval-requests/${request.id}`
      const response = policy
        ? await call(who, 'POST', `${path}/approve`, { policy: toPolicy(policy, real) })
        : await call(who, 'POST', `${path}/decline`)
      if (!assertVerdict(response, verdict)) return
      rules.applyDecision(model, request, policy)
      if (policy) assertApp(response.body, model, real)
    },
    { when: ({ requests }) => requests.length > 0, weight: 3 },
  ),
  command<Model, Real, { name: 'bob' | 'cem' | 'dee'; role: rules.Person['role']; active: boolean }>(
    'change a person',
    fc.record({
      name: fc.constantFrom('bob', 'cem', 'dee'),
      role: fc.constantFrom('administrator', 'member', 'member'),
      active: fc.boolean(),
    }),
    async (model, _, { name, role, active }) => {
      await mustSucceed(call('ada', 'PATCH', `/users/${people[name].id}`, { role, active }))
      Object.assign(model.people[name], { role, active })
    },
  ),
  command<Model, Real, { name: rules.PersonName; inGroup: boolean }>(
    'change the group',
    fc.record({ name: person, inGroup: fc.boolean() }),
    async (model, { groupId }, { name, inGroup }) => {
      const method = inGroup ? 'PUT' : 'DELETE'
      await call('ada', method, `/groups/${groupId}/members/${people[name].id}`)
      model.people[name].inGroup = inGroup
    },
    { when: ({ group }) => group },
  ),
  command<Model, Real, null>(
    'delete the group',
    fc.constant(null),
    async (model, { groupId }) => {
      if (assertVerdict(await call('ada', 'DELETE', `/groups/${groupId}`), rules.deletingGroup(model)))
        model.group = false
    },
    { when: ({ group }) => group },
  ),
  command<Model, Real, { enabled: boolean }>(
    'enable or disable',
    fc.record({ enabled: fc.boolean() }),
    async (model, { application }, { enabled }) => {
      await mustSucceed(service.operator('PATCH', `/applications/${application.client_id}`, { enabled }))
      rules.applyEnabled(model, enabled)
    },
  ),
  command<Model, Real, { seconds: number }>(
    'time passes',
    fc.record({ seconds: fc.constantFrom(60, 61, 3_600, 7 * 86_400) }),
    async (model, _, { seconds }) => {
      service.clock.forward(seconds)
      model.now = service.clock.now().getTime()
      if (seconds > 3_600) await signIn()
    },
  ),
]

async function look(model: Model, real: Real): Promise<void> {
  const { client_id } = real.application
  for (const who of rules.actors) {
    const response = await call(who, 'GET', appPath(real))
    if (assertVerdict(response, rules.reading(model, who))) assertApp(response.body, model, real)
    const requests = await call(who, 'GET', '/approval-requests?limit=100')
    if (!assertVerdict(requests, rules.listing(model, who))) continue
    const listed = requests.body.items.filter(
      (item: { application: { client_id: string } }) => item.application.client_id === client_id,
    )
    const expected =
      who === 'stranger' || model.approval !== null ? [] : rules.listedRequests(model).map(({ id }) => id)
    assert.deepEqual(listed.map(({ id }: { id: string }) => id).toSorted(), expected.toSorted(), who)
  }
  for (const { grant, chain } of chainsOf(model)) {
    headers.token = { authorization: `Bearer ${chain.access}` }
    assert.equal((await call('token', 'GET', '/users')).status, rules.isHonoured(model, grant, chain) ? 200 : 401)
  }
}

async function begin(): Promise<{ model: Model; real: Real }> {
  const { sql, clock } = service
  clock.forward(60)
  await sql`delete from approval_requests where customer_id = ${customer_id}`
  await sql`delete from approvals where customer_id = ${customer_id} and group_id is not null`
  await sql`delete from groups where customer_id = ${customer_id}`
  const member = { active: true, inGroup: false }
  const roles = { ada: 'administrator', bob: 'administrator', cem: 'member', dee: 'member' } as const
  for (const name of rules.personNames) {
    const { id } = people[name]
    await sql`update memberships set role = ${roles[name]}, active = true where customer_id = ${customer_id} and user_id = ${id}`
  }
  await signIn()
  const unique = randomBytes(4).toString('hex')
  const { redirect_uri, partner_id } = organization.application
  const created = await mustSucceed(
    service.operator('POST', `/partners/${partner_id}/applications`, { name: unique, redirect_uris: [redirect_uri] }),
  )
  const group = await mustSucceed(call('ada', 'POST', '/groups', { name: unique }))
  await mustSucceed(call('ada', 'PUT', `/groups/${group.body.id}/members/${people.cem.id}`))
  const { client_id, client_secret } = created.body
  const application = { ...organization.application, client_id, client_secret }
  const model: Model = {
    now: clock.now().getTime(),
    people: {
      ada: { ...member, role: 'administrator' },
      bob: { ...member, role: 'administrator' },
      cem: { ...member, role: 'member', inGroup: true },
      dee: { ...member, role: 'member' },
    },
    group: true,
    enabled: true,
    approval: null,
    grants: [],
    requests: [],
  }
  return { model, real: { application, groupId: group.body.id, etags: new Etags() } }
}

describe('approvals and sign-in policies', () => {
  itKeepsTheModel<Model, Real>('approvals', { commands, look, begin })
})
