import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization } from '../../../../test/support/organization.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const { administrator: otherUser } = await createOrganization(service)
const password = 'a password of my own'
const twice = { new_password: password, repeated_password: password }

async function invite(email: string): Promise<string> {
  const { body } = await organization.call('session', 'POST', '/invitations', { email, role: 'member' })
  return new URL(body.link).pathname
}

async function createReset(userId: string): Promise<string> {
  const { body, status } = await organization.call('session', 'POST', `/users/${userId}/password-reset`)
  assert.equal(status, 201, JSON.stringify(body))
  return new URL(body.link).pathname
}

const browse = () => new Browser(service, { host: 'acme.test' })
const isSignedIn = async (browser: Browser, email: string) => (await browser.get('/account')).body.includes(email)

describe('decision 6.11 one-time links: pages', () => {
  it('decision 10.24: of more than 20 unused links for a new password, the newest work', async () => {
    const { id } = organization.administrator
    const paths = []
    for (let n = 0; n < 22; n += 1) {
      const { body } = await service.operator('POST', `/users/${id}/password-reset`)
      paths.push(new URL(body.link).pathname)
    }
    const statuses = await Promise.all(paths.map(async (path) => (await browse().get(path)).status))
    assert.deepEqual(
      statuses.map((status) => status === 200),
      paths.map((_, n) => n >= 2),
    )
    await service.sql`delete from one_time_links where user_id = ${id}`
  })

  it('a new person creates an account, joins and is signed in; the link works once', async () => {
    const path = await invite('nia@example.com')
    const browser = browse()
    const page = await browser.get(path)
    assert.match(page.body, /Join Acme \(test tenant\)/)
    assert.match(page.body, /nia@example.com/)
    assert.equal((await browser.get(path)).status, 200, 'opening it changes nothing')
    for (const [name, problem] of [
      [' ', 'Your name must not be empty.'],
      ['n'.repeat(201), 'Your name must have 200 characters or fewer.'],
      ['N\u001b[2Jia', 'Your name must not contain control characters or line breaks (U+001B).'],
    ] as const) {
      const page = await browser.post(path, { ...twice, name })
      assert.deepEqual([page.status, page.body.includes(problem)], [422, true], problem)
    }
    assert.equal((await browser.post(path, { ...twice, name: 'Nia', repeated_password: 'x' })).status, 422)
    assert.equal((await browser.post(path, { ...twice, name: 'Nia' })).location, '/')
    assert.ok(await isSignedIn(browser, 'nia@example.com'))
    assert.equal((await browse().post(path, { ...twice, name: 'Eve' })).status, 410)
    assert.equal((await browse().get(path)).status, 410)
  })

  it('decision 6.9 the page does not reveal whether the email has an account', async () => {
    const known = (await browse().get(await invite(otherUser.email))).body
    const unknown = (await browse().get(await invite('new@example.com'))).body
    const plain = (body: string, email: string) =>
      body
        .replaceAll(email, '?')
        .replaceAll(encodeURIComponent(email), '?')
        .replaceAll(/lbo_[\w-]+/g, '?')
    assert.equal(plain(known, otherUser.email), plain(unknown, 'new@example.com'))
  })

  it('an invitation cannot set the password of an existing account: its owner signs in and joins', async () => {
    const path = await invite(otherUser.email)
    assert.equal((await browse().post(path, { ...twice, name: 'Eve' })).status, 409)
    assert.equal((await browse().signIn({ email: otherUser.email, password })).status, 401)
    const browser = browse()
    await browser.signIn(otherUser)
    assert.match((await browser.get(path)).body, /name="join"/)
    assert.equal((await browser.post(path, { join: '1' })).location, '/')
  })

  it('an invitation is for its email only', async () => {
    const path = await invite('olaf@example.com')
    const browser = browse()
    await browser.signIn({ email: 'nia@example.com', password })
    assert.equal((await browser.post(path, { join: '1' })).status, 403)
  })

  it('a reset link sets the password, ends every session and signs this browser in', async () => {
    const [user] = await service.sql`select id from users where email = 'nia@example.com'`
    const elsewhere = browse()
    await elsewhere.signIn({ email: 'nia@example.com', password })
    const path = await createReset(user!.id)
    const browser = browse()
    assert.match((await browser.get(path)).body, /Set a new password/)
    const next = 'yet another password'
    const form = { new_password: next, repeated_password: next }
    assert.equal((await browser.post(path, form)).location, '/')
    assert.ok(await isSignedIn(browser, 'nia@example.com'))
    assert.ok(!(await isSignedIn(elsewhere, 'nia@example.com')))
    assert.equal((await browse().signIn({ email: 'nia@example.com', password })).status, 401)
    assert.equal((await browse().post(path, form)).status, 410)
  })

  it('CSRF, framing and nonsense are refused', async () => {
    const path = await invite('carl@example.com')
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    assert.equal((await browse().post(path, { ...twice, name: 'Carl' }, foreign)).status, 403)
    assert.match(String((await browse().get(path)).headers['content-security-policy']), /frame-ancestors 'none'/)
    for (const secret of ['x', 'lbo_%00', '..%2f..', '%3Cscript%3E']) {
      const page = await browse().get(`/link/${secret}`)
      assert.equal(page.status, 410)
      assert.ok(!page.body.includes('<script'))
    }
  })
})
