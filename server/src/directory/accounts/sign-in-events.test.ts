import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nextAddress } from '../../../../test/support/applications.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { signInLimits } from '../../platform/own-limits.ts'
import { createApiKey } from '../api-keys.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const { email, password, id } = organization.administrator

interface Event {
  type: string
  actor: { kind: string; id?: string }
  details: Record<string, unknown>
  customer_id?: string
  partner_id?: string
}

/** The events recorded meanwhile, oldest first. */
async function recordedBy(action: () => Promise<unknown>): Promise<Event[]> {
  const before = (await service.operator('GET', '/audit-events?limit=1')).body.items[0]?.id
  await action()
  const events: (Event & { id: string })[] = (await service.operator('GET', '/audit-events?limit=100')).body.items
  const end = events.findIndex((event) => event.id === before)
  return events.slice(0, end < 0 ? undefined : end).toReversed()
}

function post(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  address = nextAddress(),
) {
  return service.app.inject({
    method: 'POST',
    url,
    headers: {
      ...{ 'content-type': 'application/x-www-form-urlencoded', origin: 'http://landbridge.test' },
      ...{ host: 'landbridge.test', 'user-agent': 'Test Browser 1.0', ...headers },
    },
    payload: new URLSearchParams(fields).toString(),
    remoteAddress: address,
  })
}

describe('decision 6.13 sign-ins, right and wrong, leave audit events', () => {
  it('a right one: who, from which address, with which browser', async () => {
    const [event, ...more] = await recordedBy(() => post('/sign-in', { email, password }, {}, '203.0.113.9'))
    assert.deepEqual(more, [])
    assert.deepEqual([event!.type, event!.actor.kind, event!.actor.id], ['session.signed_in', 'user', id])
    const from = { address: '203.0.113.9', user_agent: 'Test Browser 1.0' }
    assert.deepEqual(event!.details, { ...from, with: 'password', methods: ['pwd'] })
    assert.equal(event!.customer_id ?? event!.partner_id, undefined, 'a person belongs to several organizations')
  })

  it('a wrong password names the account; an unknown email is not recorded, since it may be a password', async () => {
    const [wrong] = await recordedBy(() => post('/sign-in', { email, password: 'wrong password' }))
    assert.deepEqual([wrong!.type, wrong!.actor], ['session.sign_in_failed', { kind: 'visitor' }])
    assert.deepEqual([wrong!.details.because, wrong!.details.user_id], ['wrong_password', id])
    const typed = 'my-secret-password-1'
    const [unknown] = await recordedBy(() => post('/sign-in', { email: typed, password: typed }))
    assert.equal(unknown!.details.because, 'unknown_account')
    for (const event of [wrong, unknown]) assert.doesNotMatch(JSON.stringify(event), /my-secret|wrong password/)
  })

  it('address and browser are bounded in length', async () => {
    const agent = 'x'.repeat(8_000)
    const [event] = await recordedBy(() => post('/sign-in', { email, password }, { 'user-agent': agent }))
    assert.equal(String(event!.details.user_agent).length, 256)
    const without = await recordedBy(() => post('/sign-in', { email, password }, { 'user-agent': '' }))
    assert.equal(without.length, 1)
  })

  it('signing out, here and everywhere, and a change of password', async () => {
    const action = async (url: string, fields: Record<string, string> = {}) => {
      const browser = new Browser(service)
      await browser.signIn({ email, password })
      return await recordedBy(() => post(url, fields, { ...browser.headers, 'user-agent': 'Test Browser 1.0' }))
    }
    const typesOf = (events: Event[]) => events.map(({ type }) => type)
    assert.deepEqual(typesOf(await action('/sign-out')), ['session.signed_out'])
    const everywhere = await action('/account/sign-out-everywhere')
    assert.deepEqual(typesOf(everywhere), ['session.signed_out_everywhere'])
    assert.equal(typeof everywhere[0]!.details.sessions, 'number')
    const fields = { new_password: 'another long password', repeated_password: 'another long password' }
    const failed = await action('/account/password', { ...fields, password: 'not the password' })
    assert.deepEqual(typesOf(failed), ['user.password_change_failed'])
    const back = { new_password: password, repeated_password: password }
    const changed = await action('/account/password', { ...back, password })
    assert.deepEqual(typesOf(changed), ['user.password_changed'])
    for (const [event] of [everywhere, failed, changed]) assert.equal(event!.details.user_agent, 'Test Browser 1.0')
  })

  it('a session and its event are stored together or not at all', async () => {
    const before = await service.sql`select count(*)::int as n from sessions`
    await service.sql`alter table audit_events add constraint refused check (type <> 'session.signed_in') not valid`
    assert.equal((await post('/sign-in', { email, password })).statusCode, 500)
    await service.sql`alter table audit_events drop constraint refused`
    assert.deepEqual(await service.sql`select count(*)::int as n from sessions`, before)
  })

  it('an address that keeps guessing cannot fill the log: attempts over the limit are recorded once', async () => {
    const address = '198.51.100.77'
    const events = await recordedBy(async () => {
      for (let n = 0; n < signInLimits.accountAndAddress + 30; n += 1) {
        await post('/sign-in', { email, password: `guess ${n}` }, {}, address)
      }
    })
    const reasons = events.map(({ details }) => details.because)
    assert.equal(reasons.filter((reason) => reason === 'wrong_password').length, signInLimits.accountAndAddress)
    assert.equal(reasons.filter((reason) => reason === 'too_many_attempts').length, 1)
  })

  it('unknown emails are recorded at most 300 times per minute, from any number of addresses', async () => {
    service.clock.forward(120)
    const [before] = await service.sql`select count(*)::int as n from audit_events`
    for (let n = 0; n < 340; n += 1) await post('/sign-in', { email: `nobody-${n}@example.com`, password: 'x' })
    const [after] = await service.sql`select count(*)::int as n from audit_events`
    assert.equal(after!.n - before!.n, 300)
    const [known] = await recordedBy(() => post('/sign-in', { email, password: 'wrong' }))
    assert.equal(known!.details.because, 'wrong_password', 'an account has its own share')
  })

  it('neither a customer nor a partner sees them', async () => {
    const { partner_id } = organization.application
    const { key } = await createApiKey(service.context, { kind: 'operator' }, { partner_id }, { name: 'audit' })
    for (const [api, authorization] of [
      ['organization', organization.headers.api_key.authorization!],
      ['partner', key],
    ] as const) {
      const url = `/core/v1/${api}/audit-events?limit=100`
      const types = (await service.app.inject({ url, headers: { authorization } }))
        .json()
        .items.map(({ type }: Event) => type)
      assert.ok(types.includes('api_key.created'), `the log of the ${api} API`)
      assert.deepEqual(
        types.filter((type: string) => type.startsWith('session.')),
        [],
      )
    }
  })
})
