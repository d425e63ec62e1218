import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { giveApp, givePasskey, openedWith, takeFactors } from '../../../../test/support/factors.ts'
import { startHarness, toTestResponse } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'
import { createOrganization, sessionHeaders, type TestOrganization } from '../../../../test/support/organization.ts'
import { transaction } from '../../platform/database/database.ts'
import { runJob } from '../../platform/jobs.ts'
import { factorResetsJob } from './factor-resets.ts'
import { recordSignIn } from './sign-in-events.ts'

const mail = { LANDBRIDGE_MAIL_URL: 'smtp://127.0.0.1:1', LANDBRIDGE_MAIL_FROM: 'no-reply@example.com' }
const service = await startHarness(mail)
/** Another process on the same database. */
const elsewhere = await startHarness(mail, { beside: service })
const { clock, sql, context } = service
const password = 'correct horse battery'
const day = 86_400
let people = 0

interface Person {
  id: string
  email: string
  headers: Record<string, string>
}

async function addPerson(customerId: string, role: 'member' | 'administrator'): Promise<Person> {
  people += 1
  const person = { name: `Person ${people}`, email: `person${people}@example.com`, password }
  const added = await service.operator('POST', `/customers/${customerId}/users`, { ...person, role })
  return { id: added.body.id, email: person.email, headers: await sessionHeaders(service, person) }
}

/** An organization with two administrators, and a member who has an app and a passkey. */
async function scene() {
  const organization = await createOrganization(service)
  const second = await addPerson(organization.customer_id, 'administrator')
  const member = await addPerson(organization.customer_id, 'member')
  await giveApp(service, member.id)
  await givePasskey(service, member.id)
  const first: Person = { ...organization.administrator, headers: organization.headers.session }
  return { organization, first, second, member }
}

async function send(by: Person, method: 'POST' | 'DELETE', userId: string, path = '', app = service.app) {
  const url = `/core/v1/organization/users/${userId}/second-factor-reset${path}`
  const { status, body } = toTestResponse(await app.inject({ method, url, headers: by.headers }))
  return [status, body?.code ?? null]
}

const ask = (by: Person, { id }: Person) => send(by, 'POST', id)
const confirm = (by: Person, { id }: Person, app = service.app) => send(by, 'POST', id, '/confirm', app)
const cancel = (by: Person, { id }: Person) => send(by, 'DELETE', id)
const runJobs = (...on: (typeof service)[]) =>
  Promise.all(on.map((process) => runJob(process.sql, factorResetsJob(process.context))))

async function factorOf({ id }: Person): Promise<string | null> {
  const [row] = await sql<{ factor: string | null }[]>`select second_factor_of(${id}) as factor`
  return row!.factor
}

async function eventsOf({ customer_id }: TestOrganization): Promise<string[]> {
  const rows = await sql<{ type: string }[]>`
    select type from audit_events where customer_id = ${customer_id} and type like 'member.second_factor%' order by at, id`
  return rows.map(({ type }) => type.replace('member.second_factor_', ''))
}

async function mailsTo({ email }: Person): Promise<string[]> {
  const rows = await sql<{ subject: string }[]>`
    select subject from mails where recipient = ${email} and kind = 'factor_reset' order by id`
  return rows.map(({ subject }) => subject)
}

const sessionsOf = async ({ id }: Person) => (await sql`select 1 from sessions where user_id = ${id}`).length

describe('decision 6.68: an administrator resets the second factors of a member', () => {
  it('sessions end at once, the person and the other administrators are mailed, and 24 hours later the factors are gone', async () => {
    const { organization, first, second, member } = await scene()
    assert.deepEqual(await ask(first, member), [201, null])
    assert.equal(await sessionsOf(member), 0)
    assert.deepEqual(await mailsTo(member), ['A reset of second factors was requested'])
    assert.deepEqual(await mailsTo(second), ['A reset of second factors was requested'])
    assert.deepEqual(await mailsTo(first), [])
    clock.forward(day - 1)
    await runJobs(service)
    assert.equal(await factorOf(member), 'passkey')
    clock.forward(1)
    await runJobs(service, elsewhere, service, elsewhere)
    assert.equal(await factorOf(member), null)
    assert.deepEqual(await eventsOf(organization), ['reset_requested', 'reset'])
    assert.deepEqual((await mailsTo(member)).at(-1), 'Second factors were removed')
    assert.equal((await mailsTo(member)).length, 2, 'once, although two processes looked')
    const headers = await sessionHeaders(service, { email: member.email, password })
    assert.ok(headers.cookie)
  })

  it('a second administrator confirms it: neither who asked, nor the person, nor a stranger; once', async () => {
    const { organization, first, second, member } = await scene()
    const stranger = await createOrganization(service)
    await ask(first, member)
    assert.deepEqual(await confirm(first, member), [403, 'second_administrator_needed'])
    const foreign: Person = { ...stranger.administrator, headers: stranger.headers.session }
    assert.deepEqual(await confirm(foreign, member), [404, 'not_found'])
    assert.equal(await factorOf(member), 'passkey', 'a refused confirmation leaves it pending')
    const twice = await Promise.all([confirm(second, member), confirm(second, member, elsewhere.app)])
    assert.deepEqual(twice.map(([status]) => status).toSorted(), [204, 404])
    assert.equal(await factorOf(member), null)
    assert.deepEqual(await eventsOf(organization), ['reset_requested', 'reset_confirmed', 'reset'])
  })

  it('an administrator whose own factors it is about cannot confirm, and nobody asks for themselves', async () => {
    const { first, second } = await scene()
    await giveApp(service, second.id)
    assert.deepEqual(await ask(second, second), [403, 'own_second_factors'])
    assert.deepEqual(await ask(first, second), [201, null])
    await takeFactors(service, second.id)
    const headers = await sessionHeaders(service, { email: second.email, password })
    await giveApp(service, second.id)
    assert.deepEqual(await confirm({ ...second, headers }, second), [403, 'own_second_factors'])
  })

  it('any administrator cancels it, and so does the person by signing in with the factor', async () => {
    const { organization, first, second, member } = await scene()
    await ask(first, member)
    assert.deepEqual(await ask(second, member), [409, 'reset_pending'])
    assert.deepEqual(await cancel(second, member), [204, null])
    assert.deepEqual(await cancel(second, member), [404, 'not_found'])
    await ask(first, member)
    const from = { address: '127.0.0.1', user_agent: null } as unknown as Parameters<typeof recordSignIn>[3]
    const signIn = (methods: string[]) =>
      transaction(context.sql, (tx) => recordSignIn(context, tx, member.id, { ...from, with: 'password', methods }))
    await signIn(['pwd'])
    assert.deepEqual(await ask(second, member), [409, 'reset_pending'], 'a password alone cancels nothing')
    await signIn(['pwd', 'otp', 'mfa'])
    clock.forward(2 * day)
    await runJobs(service)
    assert.equal(await factorOf(member), 'passkey')
    const cancelled = (await eventsOf(organization)).filter((type) => type === 'reset_cancelled')
    assert.equal(cancelled.length, 2)
  })

  it('it ends with the role of who asked, and when the person joins another organization', async () => {
    const { organization, first, second, member } = await scene()
    await ask(second, member)
    await organization.call('session', 'PATCH', `/users/${second.id}`, { role: 'member' })
    clock.forward(day)
    await runJobs(service)
    assert.equal(await factorOf(member), 'passkey')
    assert.deepEqual(await eventsOf(organization), ['reset_requested', 'reset_cancelled'])
    const headers = await sessionHeaders(service, { email: first.email, password })
    await ask({ ...first, headers }, member)
    const other = await createOrganization(service)
    await takeFactors(service, member.id)
    await joinAlso(service, other.customer_id, member.email, 'member')
    await giveApp(service, member.id)
    clock.forward(day)
    await runJobs(service)
    assert.equal(await factorOf(member), 'app')
  })

  it('a person of several organizations is for the operator, whose reset no administrator sees or confirms', async () => {
    const { first, second, member } = await scene()
    const other = await createOrganization(service)
    await takeFactors(service, member.id)
    await joinAlso(service, other.customer_id, member.email, 'member')
    await giveApp(service, member.id)
    assert.deepEqual(await ask(first, member), [403, 'belongs_elsewhere'])
    const path = `/users/${member.id}/second-factor-reset`
    const asked = await service.operator('POST', path)
    assert.equal(asked.status, 201)
    assert.equal((await service.operator('POST', path)).body.code, 'reset_pending')
    assert.deepEqual(await confirm(second, member), [404, 'not_found'])
    assert.equal((await service.operator('DELETE', path)).status, 204)
    await service.operator('POST', path)
    clock.forward(day)
    await runJobs(service)
    assert.equal(await factorOf(member), null)
    assert.equal((await service.operator('POST', path)).body.code, 'no_second_factor')
  })

  it('needs a fresh proof, an administrator, and a person of this organization; tokens and keys cannot', async () => {
    const { organization, first, member } = await scene()
    const stranger = await createOrganization(service)
    assert.deepEqual(await ask({ ...first, headers: stranger.headers.session }, member), [404, 'not_found'])
    const byMember = await addPerson(organization.customer_id, 'member')
    assert.deepEqual(await ask(byMember, member), [403, 'administrators_only'])
    for (const kind of ['bearer', 'api_key'] as const) {
      const { status } = await organization.call(kind, 'POST', `/users/${member.id}/second-factor-reset`)
      assert.equal(status, 403)
    }
    clock.forward(601)
    assert.deepEqual(await ask(first, member), [403, 'proof_needed'])
    await openedWith(service, first.id, ['pwd'])
    assert.equal(await factorOf(member), 'passkey')
  })

  it('the list of the portal shows what is pending, with who asked', async () => {
    const { organization, first, member } = await scene()
    await ask(first, member)
    const { body } = await organization.call('session', 'GET', `/second-factors/users?search=${member.email}`)
    assert.equal(body.items[0].second_factor_reset.asked_by, first.id)
  })
})
