import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { Browser } from '../../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization, credentialKinds, type TestOrganization } from '../../../../../test/support/organization.ts'

const service = await startHarness()
const password = 'correct horse battery'
let people = 0

describe('decision 6.64: an administrator signs a member out', () => {
  let organization: TestOrganization
  let other: TestOrganization
  before(async () => {
    organization = await createOrganization(service)
    other = await createOrganization(service)
  })

  const add = async (role: 'administrator' | 'member', customerId = organization.customer_id) => {
    people += 1
    const email = `signed-in-${people}@example.com`
    const person = { name: `Person ${people}`, email, password, role }
    const { body } = await service.operator('POST', `/customers/${customerId}/users`, person)
    return { id: body.id as string, email, browser: await signedIn(email) }
  }
  const signedIn = async (email: string) => {
    const browser = new Browser(service)
    assert.equal((await browser.signIn({ email, password })).status, 303)
    return browser
  }
  const isIn = async (browser: Browser) => (await browser.get('/account')).status === 200
  const end = (id: string, credential: (typeof credentialKinds)[number] = 'session') =>
    organization.call(credential, 'POST', `/users/${id}/end-sessions`)

  it('by every kind of caller: all browsers of that person, and nobody else', async () => {
    const bystander = await add('member')
    for (const credential of credentialKinds) {
      const { id, email, browser } = await add('member')
      const second = await signedIn(email)
      const { status, body } = await end(id, credential)
      assert.deepEqual([status, body], [200, { sessions: 2 }])
      assert.deepEqual([await isIn(browser), await isIn(second)], [false, false])
      assert.deepEqual((await end(id, credential)).body, { sessions: 0 })
      assert.ok(await isIn(await signedIn(email)), 'the person can sign in again')
    }
    assert.ok(await isIn(bystander.browser))
    const events = await organization.call('session', 'GET', '/audit-events?type=member.sessions_ended')
    assert.equal(events.body.items.length, 2 * credentialKinds.length)
  })

  it('not of a person who belongs elsewhere, too; the operator can', async () => {
    const { id, email, browser } = await add('member')
    const { body: invitation } = await other.call('session', 'POST', '/invitations', { email, role: 'member' })
    assert.equal((await browser.post(new URL(invitation.link).pathname, { join: '1' })).status, 303)
    const { status, body } = await end(id)
    assert.deepEqual([status, body.code], [403, 'belongs_elsewhere'])
    assert.ok(await isIn(browser))
    assert.deepEqual((await service.operator('POST', `/users/${id}/end-sessions`)).body, { sessions: 1 })
    assert.equal(await isIn(browser), false)
  })

  it('a person of another customer, or nobody, is a 404', async () => {
    const { id, browser } = await add('member', other.customer_id)
    for (const unknown of [id, crypto.randomUUID()]) {
      assert.equal((await end(unknown)).status, 404)
    }
    assert.ok(await isIn(browser))
    assert.equal((await service.operator('POST', `/users/${crypto.randomUUID()}/end-sessions`)).status, 404)
  })

  it('a token or an API key: members only', async () => {
    const { id, browser } = await add('administrator')
    for (const credential of ['bearer', 'api_key'] as const) {
      const { status, body } = await end(id, credential)
      assert.deepEqual([status, body.code], [403, 'administrators_protected'])
    }
    assert.ok(await isIn(browser))
    assert.equal((await end(id)).status, 200, 'an administrator can')
  })

  it('a member cannot', async () => {
    const [member, victim] = [await add('member'), await add('member')]
    const response = await service.app.inject({
      method: 'POST',
      url: `/core/v1/organization/users/${victim.id}/end-sessions`,
      headers: { ...member.browser.headers, 'landbridge-customer': organization.customer_id },
    })
    assert.equal(response.statusCode, 403)
    assert.ok(await isIn(victim.browser))
  })

  it('in the portal only after confirming who one is, in the last ten minutes', async () => {
    const { id, browser } = await add('member')
    service.clock.forward(600)
    const { status, body } = await end(id)
    assert.deepEqual([status, body.code], [403, 'proof_needed'])
    assert.ok(await isIn(browser))
    assert.equal((await end(id, 'api_key')).status, 200, 'a program has nothing to confirm')
    const again = new Browser(service)
    await again.signIn(organization.administrator)
    Object.assign(organization.headers.session, again.headers)
    assert.equal((await end(id)).status, 200)
  })
})
