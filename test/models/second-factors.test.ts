import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import { factorResetsJob } from '../../server/src/directory/accounts/factor-resets.ts'
import { sessionCookie, startSession } from '../../server/src/directory/accounts/sessions.ts'
import { recordSignIn } from '../../server/src/directory/accounts/sign-in-events.ts'
import { lastFactorProblem } from '../../server/src/directory/organization/last-factor.ts'
import { transaction } from '../../server/src/platform/database/database.ts'
import { runJob } from '../../server/src/platform/jobs.ts'
import { giveApp, openedWith, takeFactors } from '../support/factors.ts'
import { startHarness, toTestResponse } from '../support/harness.ts'
import { createOrganization } from '../support/organization.ts'
import * as rules from './rules/second-factors.ts'
import { assertVerdict, command, itKeepsTheModel } from './run-model.ts'

const service = await startHarness()
/** Another process on the same database: calls alternate. */
const elsewhere = await startHarness({}, { beside: service })
const { sql, clock, context } = service
const host = 'landbridge.test'
const mfa = ['pwd', 'otp', 'mfa']

type Model = rules.State
interface Real {
  ids: string[]
  cookies: string[]
  calls: number
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

async function call(real: Real, who: number, method: Method, path: string, body?: object) {
  real.calls += 1
  // As if just signed in: neither expiry nor the age of the proof is what this is about.
  await sql`update sessions set signed_in_at = ${clock.now()}, proved_at = ${clock.now()}, last_seen_at = ${clock.now()} where user_id = ${real.ids[who]!}`
  const { app } = real.calls % 2 === 0 ? service : elsewhere
  const headers = { host, origin: `http://${host}`, cookie: real.cookies[who]! }
  const url = `/core/v1/organization${path}`
  const response = toTestResponse(await app.inject({ method, url, headers, ...(body ? { payload: body } : {}) }))
  return response.status === 401 ? { ...response, body: { code: '' } } : response
}

async function signIn(model: Model, real: Real, who: number): Promise<void> {
  const user_id = real.ids[who]!
  const methods = model.people[who]!.hasFactor ? mfa : ['pwd']
  await sql`delete from sessions where user_id = ${user_id}`
  await transaction(context.sql, async (tx) => {
    const secret = await startSession(context, tx, { user_id, host, methods })
    const from = { address: '127.0.0.1' } as unknown as Parameters<typeof recordSignIn>[3]
    await recordSignIn(context, tx, user_id, { ...from, with: 'password', methods })
    real.cookies[who] = sessionCookie(context, secret!).split(';')[0]!
  })
  const person = model.people[who]!
  person.session = { mfa: person.hasFactor }
  // Whoever presents a factor has not lost it.
  if (person.hasFactor) person.reset = null
}

const who = fc.nat({ max: 3 })
const two = fc.record({ who, whom: who })
const reset = (id: string) => `/users/${id}/second-factor-reset`

const commands = [
  command<Model, Real, { who: number; policy: rules.Policy }>(
    'set policy',
    fc.record({ who, policy: fc.constantFrom('optional', 'administrators', 'all', 'all') }),
    async (model, real, { who, policy }) => {
      const expected = rules.managing(model, model.people[who]!, 200)
      const response = await call(real, who, 'PATCH', '/second-factor-policy', { policy })
      if (assertVerdict(response, expected)) rules.setPolicy(model, policy)
    },
    { weight: 2 },
  ),
  command<Model, Real, number>(
    'read',
    who,
    async (model, real, who) => {
      assertVerdict(await call(real, who, 'GET', '/devices'), rules.reading(model, model.people[who]!))
    },
    { weight: 3 },
  ),
  command<Model, Real, number>('sign in', who, signIn, { weight: 2 }),
  command<Model, Real, number>(
    'set up',
    who,
    async (model, real, who) => {
      await giveApp(service, real.ids[who]!)
      await openedWith(service, real.ids[who]!, mfa)
      Object.assign(model.people[who]!, { hasFactor: true, session: { mfa: true } })
    },
    { when: ({ people }, who) => !people[who]!.hasFactor && people[who]!.session !== null, weight: 2 },
  ),
  command<Model, Real, number>(
    'remove the last',
    who,
    async (model, real, who) => {
      const problem = await lastFactorProblem(sql, real.ids[who]!)
      assert.equal(problem !== null, rules.isLastRequired(model, model.people[who]!))
      if (problem !== null) return
      await takeFactors(service, real.ids[who]!)
      model.people[who]!.hasFactor = false
    },
    { when: ({ people }, who) => people[who]!.hasFactor && people[who]!.reset === null },
  ),
  command<Model, Real, { who: number; whom: number; role: rules.Person['role'] }>(
    'change role',
    fc.record({ who, whom: who, role: fc.constantFrom('administrator', 'member') }),
    async (model, real, { who, whom, role }) => {
      const person = model.people[whom]!
      const expected = rules.managing(model, model.people[who]!, 200)
      const response = await call(real, who, 'PATCH', `/users/${real.ids[whom]}`, { role })
      if (!assertVerdict(response, expected)) return
      if (person.role === 'member' && role === 'administrator') person.promoted = model.day
      person.role = role
    },
  ),
  command<Model, Real, { who: number; whom: number }>(
    'ask for a reset',
    two,
    async (model, real, { who, whom }) => {
      const person = model.people[whom]!
      const expected = rules.asking(model, model.people[who]!, person)
      if (!assertVerdict(await call(real, who, 'POST', reset(real.ids[whom]!)), expected)) return
      Object.assign(person, { session: null, reset: { by: who, due: model.day + 1 } })
    },
    { weight: 3 },
  ),
  command<Model, Real, { who: number; whom: number }>(
    'confirm a reset',
    two,
    async (model, real, { who, whom }) => {
      const person = model.people[whom]!
      const expected = rules.confirming(model, model.people[who]!, person)
      const response = await call(real, who, 'POST', `${reset(real.ids[whom]!)}/confirm`)
      if (assertVerdict(response, expected)) rules.apply(person)
      else if (response.body.code === 'reset_ended') person.reset = null
    },
    { weight: 2 },
  ),
  command<Model, Real, { who: number; whom: number }>('cancel a reset', two, async (model, real, { who, whom }) => {
    const person = model.people[whom]!
    const expected = rules.managing(model, model.people[who]!, 204, { '404 not_found': person.reset === null })
    if (assertVerdict(await call(real, who, 'DELETE', reset(real.ids[whom]!)), expected)) person.reset = null
  }),
  command<Model, Real, number>(
    'wait',
    fc.constantFrom(1, 1, 3, 7),
    async (model, _, days) => {
      clock.forward(days * 86_400)
      model.day += days
      await Promise.all([service, elsewhere].map((each) => runJob(each.sql, factorResetsJob(each.context))))
      rules.settle(model)
    },
    { weight: 2 },
  ),
]

async function look(model: Model, real: Real): Promise<void> {
  for (const [index, person] of model.people.entries()) {
    const id = real.ids[index]!
    const [row] = await sql<{ factor: string | null; pending: boolean }[]>`
      select second_factor_of(${id}) as factor, exists (select from factor_resets where user_id = ${id}) as pending`
    assert.deepEqual([row!.factor !== null, row!.pending], [person.hasFactor, person.reset !== null])
    assertVerdict(await call(real, index, 'GET', '/devices'), rules.reading(model, person))
  }
}

describe('second factors', () => {
  itKeepsTheModel<Model, Real>('second factors', {
    commands,
    look,
    async begin() {
      const organization = await createOrganization(service)
      // Its first administrator belongs to the partner too, and stays aside.
      const ids: string[] = []
      for (const role of ['administrator', 'administrator', 'member', 'member']) {
        const email = `${crypto.randomUUID()}@example.com`
        const added = { name: 'Robin', email, password: 'correct horse battery', role }
        const { body } = await service.operator('POST', `/customers/${organization.customer_id}/users`, added)
        ids.push(body.id)
      }
      // Also for administrators who become members.
      await sql`update memberships set can_view_devices = true where customer_id = ${organization.customer_id}`
      const people = ids.map((_, index): rules.Person => {
        const role = index < 2 ? 'administrator' : 'member'
        return { role, joined: 0, promoted: null, hasFactor: false, session: null, reset: null }
      })
      const model: Model = { day: 0, administratorsSince: null, allSince: null, people }
      const real: Real = { ids, cookies: ids.map(() => ''), calls: 0 }
      for (const index of ids.keys()) await signIn(model, real, index)
      return { model, real }
    },
  })
})
