import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe } from 'node:test'
import fc from 'fast-check'
import { nextAddress, password } from '../support/applications.ts'
import { Browser } from '../support/form-browser.ts'
import * as rules from './rules/links.ts'
import { assertVerdict, command, itKeepsTheModel, pick, readAll } from './run-model.ts'
import { mustSucceed, startWorld } from './world.ts'

const maxUsers = 6
const world = await startWorld({ LANDBRIDGE_QUOTAS: `users=${maxUsers}` })
const { service, organization, stranger, headers, call } = world
const { customer_id } = organization
const bob = await world.addPerson('administrator')
const eve = await world.addPerson('member', stranger.customer_id)
const accounts = { ada: organization.administrator, bob, eve, stranger: stranger.administrator }
/** The hosts of links: the portal domain of the partner. */
const host = 'acme.test'

interface Real {
  passwords: Record<string, string>
  keyId: string
}
type Model = rules.Links

const who = fc.constantFrom(...rules.actors, 'ada' as const, 'bob' as const)
const name = fc.constantFrom(...rules.personNames)
const role = fc.constantFrom<rules.Role>('administrator', 'member')
const which = fc.nat()
const hasInvitations = ({ invitations }: Model) => invitations.length > 0
const hasLinks = ({ links }: Model) => links.length > 0
/** Mostly one of the latest. */
const latest = <Item>(items: Item[], number: number) => pick(items.toReversed(), number % 7)

async function signIn(name: keyof typeof accounts, { passwords }: Real): Promise<void> {
  const browser = new Browser(service, { address: nextAddress() })
  const { email } = accounts[name]
  assert.equal((await browser.signIn({ email, password: passwords[name]! })).status, 303)
  headers[name] = browser.headers
}

async function signInAll(real: Real): Promise<void> {
  for (const name of Object.keys(accounts)) await signIn(name as keyof typeof accounts, real)
}

function assertInvitation(body: Record<string, unknown>, invitation: rules.Invitation): void {
  const { id, email, role, link } = invitation
  const made_by = body.made_by as { kind: string }
  const kind = { api_key: 'api_key', bearer: 'application' }[invitation.maker as rules.Program] ?? 'user'
  assert.deepEqual(
    [body.id, body.email, body.role, body.has_link, made_by.kind],
    [id, email, role, link !== null, kind],
  )
}

const fields = (secret: string) => ({ name: 'Kim', new_password: secret, repeated_password: secret })

const commands = [
  command<Model, Real, { who: rules.Actor; whom: rules.PersonName; upper: boolean; role: rules.Role; views: boolean }>(
    'invite',
    fc.record({ who, whom: name, upper: fc.boolean(), role, views: fc.boolean() }),
    async (model, _, { who, whom, upper, role, views }) => {
      const lower = model.people[whom].email
      const email = upper ? lower.toUpperCase() : lower
      const verdict = rules.inviting(model, { who, email, role, views })
      const response = await call(who, 'POST', '/invitations', { email, role, can_view_devices: views })
      if (!assertVerdict(response, verdict)) return
      const { id, link } = response.body
      const isProgram = who === 'api_key' || who === 'bearer'
      assert.equal(link === null, isProgram)
      const expiresAt = model.now + rules.lifetimes.invitation
      const issuer = link && who
      rules.applyInvitation(model, { id, email, role, maker: who, issuer, link, expiresAt, state: 'pending' })
      assertInvitation(response.body, model.invitations.at(-1)!)
    },
    { weight: 4 },
  ),
  command<Model, Real, { who: rules.Actor; which: number }>(
    'create the link',
    fc.record({ who: fc.constantFrom(...rules.actors, 'bob' as const, 'bob' as const, 'eve' as const), which }),
    async (model, _, { who, which }) => {
      const invitation = latest(model.invitations, which)
      const verdict = rules.creatingLink(model, who, invitation)
      const response = await call(who, 'POST', `/invitations/${invitation.id}/link`)
      if (!assertVerdict(response, verdict)) return
      const { link } = response.body
      Object.assign(invitation, { link, issuer: who, expiresAt: model.now + rules.lifetimes.invitation })
      model.links.push(link)
      assertInvitation(response.body, invitation)
    },
    { when: hasInvitations, weight: 3 },
  ),
  command<Model, Real, { who: rules.Actor; which: number }>(
    'withdraw the invitation',
    fc.record({ who, which }),
    async (model, _, { who, which }) => {
      const invitation = latest(model.invitations, which)
      const verdict = rules.withdrawing(model, who, invitation)
      if (assertVerdict(await call(who, 'DELETE', `/invitations/${invitation.id}`), verdict)) invitation.state = 'gone'
    },
    // One that expired is deleted some time later, which the documents leave open.
    { when: (model, { which }) => hasInvitations(model) && model.now < latest(model.invitations, which).expiresAt },
  ),
  command<Model, Real, { which: number }>(
    'open a link',
    fc.record({ which }),
    async (model, _, { which }) => {
      const link = latest(model.links, which)
      assert.equal((await new Browser(service, { host }).get(link)).status, rules.opening(model, link))
    },
    { when: hasLinks },
  ),
  command<Model, Real, { which: number }>(
    'use a link',
    fc.record({ which }),
    async (model, real, { which }) => {
      const link = latest(model.links, which)
      const status = rules.using(model, link)
      const found = rules.ofLink(model, link)
      const secret = `correct horse ${randomBytes(4).toString('hex')}`
      const browser = new Browser(service, { host, address: nextAddress() })
      assert.equal((await browser.post(link, fields(secret))).status, status)
      if (status !== 303) return
      if (found && 'email' in found) {
        const { person } = rules.applyAcceptance(model, link)
        const { body } = await mustSucceed(Promise.resolve(await call('ada', 'GET', `/users?search=${person.email}`)))
        person.id = body.items[0].id
        return
      }
      const whom = rules.applyReset(model, link)
      const name = (['ada', 'bob', 'eve'] as const).find((each) => model.people[each] === whom)
      if (!name) return
      // The old password and the old sessions end.
      assert.equal((await call(name, 'GET', '/core/v1/session')).status, 401)
      const old = { email: whom.email, password: real.passwords[name]! }
      assert.equal((await new Browser(service, { address: nextAddress() }).signIn(old)).status, 401)
      real.passwords[name] = secret
      await signIn(name, real)
    },
    { when: hasLinks, weight: 3 },
  ),
  command<Model, Real, { which: number; as: 'bob' | 'eve' }>(
    'join as somebody who is signed in',
    fc.record({ which, as: fc.constantFrom('bob', 'eve') }),
    async (model, real, { which, as }) => {
      const link = latest(model.links, which)
      const browser = new Browser(service, { host, address: nextAddress() })
      await browser.signIn({ email: accounts[as].email, password: real.passwords[as]! })
      const status = rules.joining(model, link, model.people[as])
      assert.equal((await browser.post(link, { join: '1' })).status, status)
      if (status === 303) rules.applyAcceptance(model, link)
    },
    { when: hasLinks, weight: 2 },
  ),
  command<Model, Real, { who: rules.Actor; whom: rules.PersonName }>(
    'create a link for a new password',
    fc.record({ who, whom: name }),
    async (model, _, { who, whom }) => {
      const person = model.people[whom]
      const verdict = rules.creatingReset(model, who, person)
      const response = await call(who, 'POST', `/users/${person.id}/password-reset`)
      if (!assertVerdict(response, verdict)) return
      const { link } = response.body
      model.resets.push({ link, whom: person, maker: who, expiresAt: model.now + rules.lifetimes.reset, spent: false })
      model.links.push(link)
    },
    { when: (model, { whom }) => model.people[whom].id !== null, weight: 2 },
  ),
  command<Model, Real, { whom: 'bob' | 'eve' | 'kim'; role: rules.Role; active: boolean }>(
    'change a membership',
    fc.record({ whom: fc.constantFrom('bob', 'bob', 'eve', 'kim'), role, active: fc.boolean() }),
    async (model, _, { whom, role, active }) => {
      await mustSucceed(call('ada', 'PATCH', `/users/${model.people[whom].id}`, { role, active }))
      rules.changeMembership(model, whom, { role, active })
    },
    { when: (model, { whom }) => model.people[whom].membership !== null, weight: 4 },
  ),
  command<Model, Real, { whom: 'bob' | 'eve' | 'kim' }>(
    'remove somebody',
    fc.record({ whom: fc.constantFrom('bob', 'eve', 'kim') }),
    async (model, _, { whom }) => {
      await mustSucceed(call('ada', 'DELETE', `/users/${model.people[whom].id}`))
      rules.changeMembership(model, whom, null)
    },
    { when: (model, { whom }) => model.people[whom].membership !== null, weight: 2 },
  ),
  command<Model, Real, { program: rules.Program }>(
    'revoke a credential',
    fc.record({ program: fc.constantFrom('api_key', 'bearer') }),
    async (model, { keyId }, { program }) => {
      const path =
        program === 'api_key' ? `/api-keys/${keyId}` : `/connected-apps/${organization.application.client_id}`
      await mustSucceed(call('ada', 'DELETE', path))
      model.valid.delete(program)
      rules.loseRight(model, program)
    },
    { when: (model, { program }) => model.valid.has(program) },
  ),
  command<Model, Real, { days: number }>(
    'days pass',
    fc.record({ days: fc.constantFrom(1, 3, 7) }),
    async (model, real, { days }) => {
      service.clock.forward(days * 86_400)
      model.now = service.clock.now().getTime()
      await signInAll(real)
      // A token lives an hour, and is refreshed; here the application connects again.
      if (model.valid.has('bearer')) await world.approve('bearer', organization.application)
    },
  ),
]

async function look(model: Model): Promise<void> {
  const expected = rules.pending(model)
  for (const who of ['ada', ...model.valid]) {
    const items = await readAll((page) => call(who, 'GET', `/invitations?${page}`), 2)
    assert.equal(items.length, expected.length)
    for (const invitation of expected) assertInvitation(items.find(({ id }) => id === invitation.id)!, invitation)
    const users = await readAll((page) => call(who, 'GET', `/users?${page}`), 2)
    const members = Object.values(model.people).filter(({ membership }) => membership !== null)
    assert.deepEqual(users.map(({ id }) => id).toSorted(), members.map(({ id }) => id).toSorted())
  }
  const theirs = await call('stranger', 'GET', '/invitations')
  assert.deepEqual(theirs.body.items, [])
  for (const link of model.links) {
    assert.equal((await new Browser(service, { host }).get(link)).status, rules.opening(model, link))
  }
}

async function begin(): Promise<{ model: Model; real: Real }> {
  const { sql, clock } = service
  clock.forward(60)
  const [unique, passwords] = [
    randomBytes(4).toString('hex'),
    { ada: password, bob: password, eve: password, stranger: password },
  ]
  await sql`delete from one_time_links where customer_id = ${customer_id}`
  await sql`delete from memberships where customer_id = ${customer_id} and user_id <> ${accounts.ada.id}`
  await sql`
    insert into memberships (customer_id, user_id, role, created_at) values (${customer_id}, ${bob.id}, 'administrator', now())`
  await sql`update api_keys set revoked_at = now() where customer_id = ${customer_id} and revoked_at is null`
  // The passwords that the sequence before has set.
  await sql`update users set password_hash = (select password_hash from users where id = ${accounts.ada.id}) where id = ${bob.id}`
  const real = { passwords, keyId: '' }
  await signInAll(real)
  await world.approve('bearer', organization.application)
  const created = await mustSucceed(call('ada', 'POST', '/api-keys', { name: `Key ${unique}` }))
  headers.api_key = { authorization: created.body.key }
  real.keyId = created.body.id
  const outside = { id: null, membership: null, elsewhere: false }
  const people = {
    ada: { ...outside, ...idOf('ada'), membership: { role: 'administrator', active: true }, elsewhere: true },
    bob: { ...outside, ...idOf('bob'), membership: { role: 'administrator', active: true } },
    eve: { ...outside, ...idOf('eve'), elsewhere: true },
    kim: { ...outside, email: `kim-${unique}@example.com` },
    lee: { ...outside, email: `lee-${unique}@example.com` },
  } satisfies Model['people']
  const now = clock.now().getTime()
  const valid = new Set<rules.Program>(['api_key', 'bearer'])
  return { model: { now, people, valid, invitations: [], resets: [], links: [], maxUsers }, real }
}

function idOf(name: keyof typeof accounts) {
  const { id, email } = accounts[name]
  return { id, email }
}

describe('invitations and links for a new password', () => {
  itKeepsTheModel<Model, Real>('links', { commands, look, begin })
})
