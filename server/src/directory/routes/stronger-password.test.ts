import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { ownLimits } from '../../platform/own-limits.ts'

const service = await startHarness()
const { sql, clock } = service
const strong = 'correct horse battery'
const weak = 'password1234'
const { body: partner } = await service.operator('POST', '/partners', {
  name: 'Acme Heating',
  portal_domain: 'portal.acme.test',
  admin: { name: 'Ada Lovelace', email: 'ada@example.com', password: strong },
})
const customerId: string = partner.lab.customer_id

let people = 0
async function addPerson(password: string): Promise<{ id: string; email: string; password: string }> {
  people += 1
  const person = { name: 'Grace Hopper', email: `grace${people}@example.com`, password, role: 'member' }
  const { status, body } = await service.operator('POST', `/customers/${customerId}/users`, person)
  assert.equal(status, 201, JSON.stringify(body))
  const [row] = await sql<{ id: string }[]>`select id from users where email = ${person.email}`
  return { id: row!.id, email: person.email, password }
}

const page = '/account/stronger-password'
const chosen = (password: string, more = {}) => ({ new_password: password, repeated_password: password, ...more })
const alertIn = (body: string) => /role="alert"><p>([^<]*)/.exec(body)?.[1]

describe('decision 6.63: an easy password is refused where a person chooses one', () => {
  const table: [password: string, sentence: RegExp][] = [
    ['aaaaaaaaaa', /repeats the same characters/],
    ['0123456789', /a sequence such as abc or 123/],
    ['password1234', /one that many people use/],
    ['AcmeHeating1', /your name, your email or the name of this service/],
    ['grace hopper', /your name, your email or the name of this service/],
    ['short', /needs 10 characters or more/],
    ['x'.repeat(257), /at most 256 characters/],
  ]

  async function expectRefusals(send: (password: string) => ReturnType<Browser['post']>): Promise<void> {
    for (const [password, sentence] of table) {
      const { status, body } = await send(password)
      assert.equal(status, 422, password)
      assert.match(alertIn(body)!, sentence)
      if (password.length >= 10 && password.length <= 256) assert.match(alertIn(body)!, /Choose three or four words/)
      assert.doesNotMatch(body, new RegExp(`value="${password}"`))
    }
  }

  it('with an invitation', async () => {
    const admin = new Browser(service)
    await admin.signIn({ email: 'ada@example.com', password: strong })
    const invited = await service.app.inject({
      method: 'POST',
      url: '/core/v1/organization/invitations',
      headers: { ...admin.headers, 'landbridge-customer': customerId },
      payload: { email: 'new@example.com', role: 'member' },
    })
    const { link } = invited.json()
    const visitor = new Browser(service, { host: 'portal.acme.test' })
    const path = new URL(link).pathname
    await expectRefusals((password) => visitor.post(path, chosen(password, { name: 'Grace Hopper' })))
    assert.equal((await visitor.post(path, chosen(strong, { name: 'Grace Hopper' }))).status, 303)
  })

  it('with a link for a new password', async () => {
    const { id } = await addPerson(strong)
    const { body } = await service.operator('POST', `/users/${id}/password-reset`)
    const visitor = new Browser(service, { host: 'portal.acme.test' })
    const path = new URL(body.link).pathname
    await expectRefusals((password) => visitor.post(path, chosen(password)))
    const { status, location } = await visitor.post(path, chosen('another long password'))
    assert.deepEqual([status, location], [303, '/'])
  })

  it('when it is changed, and when a stronger one was asked for', async () => {
    const person = await addPerson(weak)
    const browser = new Browser(service, { host: 'portal.acme.test' })
    await browser.signIn(person)
    await expectRefusals((password) => browser.post('/account/password', chosen(password, { password: weak })))
    await expectRefusals((password) => browser.post(page, chosen(password)))
  })

  it(`at most ${ownLimits.chosenPasswordsPerAddress} are judged per address and minute`, async () => {
    const person = await addPerson(strong)
    const browser = new Browser(service, { address: '192.0.2.7' })
    await browser.signIn(person)
    const statuses: number[] = []
    for (let n = 0; n <= ownLimits.chosenPasswordsPerAddress; n += 1) {
      statuses.push((await browser.post('/account/password', chosen('aaaaaaaaaa', { password: strong }))).status)
    }
    assert.deepEqual(new Set(statuses.slice(0, -1)), new Set([422]))
    assert.equal(statuses.at(-1), 429)
    clock.forward(60)
    assert.equal((await browser.post('/account/password', chosen('aaaaaaaaaa', { password: strong }))).status, 422)
  })
})

describe('decision 6.63: a weak password that exists is asked for at each sign-in', () => {
  it('the operator may set one; its owner is led past a page that says so, and may put it off', async () => {
    const person = await addPerson(weak)
    const browser = new Browser(service)
    const returnTo = '/consent?request=lbq_x&a=b'
    for (const _ of [1, 2]) {
      const { status, location } = await browser.signIn(person, returnTo)
      assert.deepEqual([status, location], [303, `${page}?return_to=${encodeURIComponent(returnTo)}`])
    }
    const { status, body } = await browser.get(`${page}?return_to=${encodeURIComponent(returnTo)}`)
    assert.equal(status, 200)
    assert.match(body, /<h1>Choose a stronger password<\/h1>/)
    assert.match(body, /<a class="button" href="\/consent\?request=lbq_x&#38;a=b">Not now<\/a>/)
    const changed = await browser.post(page, chosen('another long password', { return_to: returnTo }))
    assert.deepEqual([changed.status, changed.location], [303, returnTo])
    assert.equal((await browser.get('/account')).status, 200, 'the browser stays signed in')
    assert.equal((await browser.get(page)).location, '/', 'there is nothing left to ask')
    const again = await new Browser(service).signIn({ ...person, password: 'another long password' }, returnTo)
    assert.deepEqual([again.status, again.location], [303, returnTo])
    assert.equal((await new Browser(service).signIn(person)).status, 401)
  })

  it('a strong one is judged once, and nothing but the verdict is stored', async () => {
    const person = await addPerson(strong)
    const state = async () => {
      const [row] = await sql`select * from users where id = ${person.id}`
      return row!
    }
    assert.deepEqual([(await state()).judged_password, (await state()).password_weak], [null, null])
    assert.equal((await new Browser(service).signIn(person)).location, '/')
    const { judged_password, password_weak, ...row } = await state()
    assert.equal(password_weak, false)
    assert.equal(judged_password.length, 32)
    assert.doesNotMatch(JSON.stringify(row), /horse/)
  })

  it('a wrong password is not judged', async () => {
    const person = await addPerson(weak)
    await new Browser(service).signIn({ ...person, password: 'aaaaaaaaaa' })
    const [row] = await sql`select judged_password from users where id = ${person.id}`
    assert.equal(row!.judged_password, null)
  })

  it('a password that a process of 1.0.0 sets meanwhile is judged anew', async () => {
    const [one, two] = [await addPerson(weak), await addPerson(strong)]
    await new Browser(service).signIn(one)
    await sql`update users set password_hash = (select password_hash from users where id = ${two.id}) where id = ${one.id}`
    assert.equal((await new Browser(service).signIn({ ...one, password: strong })).location, '/')
  })

  it('every other session ends with the change, and two changes at once: one wins', async () => {
    const person = await addPerson(weak)
    const [here, other] = [new Browser(service), new Browser(service)]
    await here.signIn(person)
    await other.signIn(person)
    const candidates = ['another long password', 'a password of my own']
    await Promise.all(candidates.map((password) => here.post(page, chosen(password))))
    assert.equal((await other.get('/account')).status, 303)
    const opened = await Promise.all(
      candidates.map(async (password) => (await new Browser(service).signIn({ ...person, password })).status),
    )
    assert.deepEqual(opened.sort(), [303, 401])
  })

  it('after ten minutes the person confirms who they are first', async () => {
    const person = await addPerson(weak)
    const browser = new Browser(service)
    await browser.signIn(person)
    clock.forward(600)
    const { location } = await browser.post(page, chosen('another long password', { return_to: '/devices' }))
    assert.equal(location, `/account/prove?return_to=${encodeURIComponent(`${page}?return_to=%2Fdevices`)}`)
    assert.equal((await new Browser(service).signIn(person)).status, 303, 'nothing was changed')
  })

  it('not without a session, not from another site, not to another host', async () => {
    const visitor = new Browser(service)
    assert.equal((await visitor.get(`${page}?return_to=/devices`)).location, '/sign-in?return_to=%2Fdevices')
    assert.equal((await visitor.post(page, chosen('another long password'))).location, '/sign-in?return_to=%2F')
    const person = await addPerson(weak)
    const browser = new Browser(service)
    await browser.signIn(person)
    const foreign = await browser.post(page, chosen('another long password'), { origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    const { body } = await browser.get(`${page}?return_to=//evil.example`)
    assert.match(body, /href="\/">Not now/)
    const { location } = await browser.post(
      page,
      chosen('another long password', { return_to: 'https://evil.example' }),
    )
    assert.equal(location, '/')
  })

  it('whoever has a strong password cannot change it here without the old one', async () => {
    const person = await addPerson(strong)
    const browser = new Browser(service)
    await browser.signIn(person)
    assert.equal((await browser.post(page, chosen('another long password'))).location, '/')
    assert.equal((await new Browser(service).signIn(person)).status, 303)
  })
})
