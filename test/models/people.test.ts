import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { Etags } from './etags.ts'
import * as rules from './rules/people.ts'
import { type Match, matches } from './rules/verdict.ts'
import { assertVerdict, command, itKeepsTheModel, pick, readAll } from './run-model.ts'
import { startWorld } from './world.ts'

const maxGroups = 3
const world = await startWorld({ LANDBRIDGE_QUOTAS: `groups=${maxGroups}` })
const { service, organization, headers, call } = world
const { customer_id } = organization
// Only the four of the model remain: who else administers would decide who is the last.
await service.sql`delete from memberships where customer_id = ${customer_id} and user_id <> ${organization.administrator.id}`
const ids: Record<rules.PersonName, string> = { ada: organization.administrator.id, bob: '', cem: '', dee: '' }
headers.ada = organization.headers.session
for (const name of ['bob', 'cem', 'dee'] as const) {
  const person = await world.addPerson('member')
  headers[name] = person.headers
  ids[name] = person.id
}

type Model = rules.People
type Real = Etags

const who = fc.constantFrom(...rules.actors, 'ada' as const, 'bob' as const)
const whom = fc.constantFrom(...rules.personNames)
const match = fc.constantFrom(...matches)
const name = fc.constantFrom('Staff', 'STAFF', 'Night', 'Élan', 'élan')
const hasGroups = ({ groups }: Model) => groups.length > 0

/** The version that a caller with this header has read; read just before, since others change what it covers. */
async function ifMatch(etags: Etags, path: string, match: Match) {
  if (match === 'current' || match === 'stale') etags.note(path, await call('api_key', 'GET', path))
  return etags.header(path, match)
}

function assertMember(model: Model, body: Record<string, unknown>, person: rules.Person): void {
  const { id, role, active, can_view_devices, groups } = body
  const expected = rules.groupsOf(model, person).map(({ id, name }) => ({ id, name }))
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
  assert.deepEqual(
    { id, role, active, views: can_view_devices, groups: (groups as { id: string }[]).toSorted(byId) },
    { id: person.id, role: person.role, active: person.active, views: person.views, groups: expected.toSorted(byId) },
  )
}

interface Change {
  who: rules.Actor
  whom: rules.PersonName
  match: Match
  role?: rules.Role
  active?: boolean
  views?: boolean
  groups?: number[]
}

interface OfGroup {
  who: rules.Actor
  which: number
  whom: rules.PersonName
}

const commands = [
  command<Model, Real, Change>(
    'change a user',
    fc.record(
      {
        who,
        whom,
        match,
        role: fc.constantFrom<rules.Role>('administrator', 'member'),
        active: fc.boolean(),
        views: fc.boolean(),
        groups: fc.array(fc.nat(), { maxLength: 3 }),
      },
      { requiredKeys: ['who', 'whom', 'match'] },
    ),
    async (model, etags, { who, whom, match, groups: numbers, ...fields }) => {
      const person = model.people[whom]
      const groups =
        numbers && (hasGroups(model) ? [...new Set(numbers.map((number) => pick(model.groups, number)))] : [])
      const change = { ...fields, groups }
      const verdict = rules.changing(model, { who, person, change, match })
      const body = {
        ...(fields.role === undefined ? {} : { role: fields.role }),
        ...(fields.active === undefined ? {} : { active: fields.active }),
        ...(fields.views === undefined ? {} : { can_view_devices: fields.views }),
        ...(groups === undefined ? {} : { groups: groups.map(({ id }) => id) }),
      }
      const path = `/users/${person.id}`
      const response = await call(who, 'PATCH', path, body, await ifMatch(etags, path, match))
      if (!assertVerdict(response, verdict)) return
      rules.applyChange(model, person, change)
      assertMember(model, response.body, person)
    },
    { when: (_, { role, active, views, groups }) => (role ?? active ?? views ?? groups) !== undefined, weight: 4 },
  ),
  command<Model, Real, { who: rules.Actor; whom: rules.PersonName; match: Match }>(
    'remove a user',
    fc.record({ who, whom, match }),
    async (model, etags, { who, whom, match }) => {
      const person = model.people[whom]
      const verdict = rules.removing(model, { who, person, match })
      const path = `/users/${person.id}`
      const response = await call(who, 'DELETE', path, undefined, await ifMatch(etags, path, match))
      if (assertVerdict(response, verdict)) rules.applyRemoval(model, person)
    },
  ),
  command<Model, Real, { who: rules.Actor; whom: rules.PersonName }>(
    'read a user',
    fc.record({ who, whom }),
    async (model, _, { who, whom }) => {
      const person = model.people[whom]
      const response = await call(who, 'GET', `/users/${person.id}`)
      if (assertVerdict(response, rules.reading(model, who, person.belongs))) assertMember(model, response.body, person)
    },
  ),
  command<Model, Real, { who: rules.Actor; name: string }>(
    'create a group',
    fc.record({ who, name }),
    async (model, _, { who, name }) => {
      const verdict = rules.creatingGroup(model, who, name)
      const response = await call(who, 'POST', '/groups', { name })
      if (!assertVerdict(response, verdict)) return
      assert.equal(response.body.name, name)
      model.groups.push({ id: response.body.id, name, members: new Set(), deleted: false })
    },
    { when: (_, { who }) => who !== 'stranger', weight: 3 },
  ),
  command<Model, Real, { who: rules.Actor; which: number; name: string; match: Match }>(
    'rename a group',
    fc.record({ who, which: fc.nat(), name, match }),
    async (model, etags, { who, which, name, match }) => {
      const group = pick(model.groups, which)
      const verdict = rules.renamingGroup(model, { who, group, name, match })
      const path = `/groups/${group.id}`
      const response = await call(who, 'PATCH', path, { name }, await ifMatch(etags, path, match))
      if (!assertVerdict(response, verdict)) return
      group.name = name
      assert.equal(response.body.name, name)
    },
    { when: hasGroups },
  ),
  command<Model, Real, { who: rules.Actor; which: number }>(
    'delete a group',
    fc.record({ who, which: fc.nat() }),
    async (model, _, { who, which }) => {
      const group = pick(model.groups, which)
      const verdict = rules.deletingGroup(model, who, group)
      if (assertVerdict(await call(who, 'DELETE', `/groups/${group.id}`), verdict)) group.deleted = true
    },
    { when: hasGroups },
  ),
  command<Model, Real, OfGroup>(
    'add to a group',
    fc.record({ who, which: fc.nat(), whom }),
    async (model, _, { who, which, whom }) => {
      const [group, person] = [pick(model.groups, which), model.people[whom]]
      const verdict = rules.addingToGroup(model, who, group, person)
      const response = await call(who, 'PUT', `/groups/${group.id}/members/${person.id}`)
      if (assertVerdict(response, verdict)) group.members.add(person)
    },
    { when: hasGroups, weight: 3 },
  ),
  command<Model, Real, OfGroup>(
    'remove from a group',
    fc.record({ who, which: fc.nat(), whom }),
    async (model, _, { who, which, whom }) => {
      const [group, person] = [pick(model.groups, which), model.people[whom]]
      const verdict = rules.removingFromGroup(model, who, group, person)
      const response = await call(who, 'DELETE', `/groups/${group.id}/members/${person.id}`)
      if (assertVerdict(response, verdict)) group.members.delete(person)
    },
    { when: hasGroups },
  ),
]

async function look(model: Model): Promise<void> {
  for (const who of rules.actors) {
    if (!assertVerdict(await call(who, 'GET', '/users?limit=2'), rules.listing(model, who))) continue
    if (who === 'stranger') continue
    const users = new Map(
      (await readAll((page) => call(who, 'GET', `/users?${page}`), 2)).map((user) => [user.id, user]),
    )
    const members = Object.values(model.people).filter(({ belongs }) => belongs)
    assert.equal(users.size, members.length)
    for (const person of members) assertMember(model, users.get(person.id)!, person)
    const groups = await readAll((page) => call(who, 'GET', `/groups?${page}`), 2)
    const expected = rules.live(model).map(({ id, name }) => `${id} ${name}`)
    assert.deepEqual(groups.map(({ id, name }) => `${id} ${name}`).toSorted(), expected.toSorted())
  }
  for (const group of model.groups) {
    const response = await call('bearer', 'GET', `/groups/${group.id}/members`)
    if (!assertVerdict(response, rules.reading(model, 'bearer', !group.deleted))) continue
    const listed = response.body.items.map(({ id }: { id: string }) => id)
    assert.deepEqual(listed.toSorted(), [...group.members].map(({ id }) => id).toSorted())
  }
  await lookAsPeople(model)
}

/** What the portal offers to each of them. */
async function lookAsPeople({ people }: Model): Promise<void> {
  for (const [name, { belongs, active, role, views }] of Object.entries(people)) {
    const { body } = await call(name, 'GET', '/core/v1/session')
    const customer = body.customers.find(({ id }: { id: string }) => id === customer_id)
    assert.equal(customer !== undefined, belongs && active, name)
    if (customer) assert.deepEqual([customer.role, customer.can_view_devices], [role, views])
    const canView = belongs && active && (role === 'administrator' || views)
    assert.equal((await call(name, 'GET', '/spaces')).status, canView ? 200 : 403, name)
  }
}

describe('people, roles and groups', () => {
  itKeepsTheModel<Model, Real>('people', {
    commands,
    look,
    async begin() {
      const { sql } = service
      await sql`delete from groups where customer_id = ${customer_id}`
      await sql`delete from memberships where customer_id = ${customer_id}`
      const person = (name: rules.PersonName): rules.Person => ({
        id: ids[name],
        belongs: true,
        role: name === 'ada' || name === 'bob' ? 'administrator' : 'member',
        active: true,
        views: name === 'dee',
      })
      const people = { ada: person('ada'), bob: person('bob'), cem: person('cem'), dee: person('dee') }
      for (const { id, role, views } of Object.values(people)) {
        await sql`
          insert into memberships (customer_id, user_id, role, can_view_devices, created_at)
          values (${customer_id}, ${id}, ${role}, ${views}, ${service.clock.now()})`
      }
      return { model: { people, groups: [], maxGroups }, real: new Etags() }
    },
  })
})
