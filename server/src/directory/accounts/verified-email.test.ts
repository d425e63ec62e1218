import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { codeIn, mailSettings, mailsTo } from '../../../../test/support/mails.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { askedMailLimits } from '../../platform/own-limits.ts'

const service = await startHarness(mailSettings)
const { sql, clock } = service
const organization = await createOrganization(service)
const password = 'correct horse battery'
let people = 0

async function person(email?: string) {
  people += 1
  const added = { name: 'P', email: email ?? `person${people}@example.com`, password, role: 'member' }
  const { body } = await service.operator('POST', `/customers/${organization.customer_id}/users`, added)
  const browser = new Browser(service, { address: `10.0.${people}.1` })
  assert.equal((await browser.signIn(added)).status, 303)
  return { id: body.id as string, email: added.email, browser }
}
type Person = Awaited<ReturnType<typeof person>>

const isVerified = async ({ id }: Person) =>
  (await sql<{ email_verified: boolean }[]>`select email_verified from users where id = ${id}`)[0]!.email_verified
const emailOf = async ({ id }: Person) =>
  (await sql<{ email: string }[]>`select email from users where id = ${id}`)[0]!.email
const lastCode = async (to: string) => codeIn((await mailsTo(service, to, 'email_code')).at(-1))
const wrongFor = (code: string) => (code === '00000000' ? '00000001' : '00000000')
const enter = async ({ browser }: Person, code: string) => await browser.post('/account/email/code', { code })
const askToVerify = async ({ browser, email }: Person) => {
  const asked = await browser.post('/account/email/verify', {})
  assert.deepEqual([asked.status, asked.location], [303, '/account/email/code'])
  return await lastCode(email)
}
const askToChange = async ({ browser }: Person, email: string) => {
  const asked = await browser.post('/account/email/change', { email })
  assert.deepEqual([asked.status, asked.location], [303, '/account/email/code'])
  return await lastCode(email)
}

describe('decision 6.55: a verified email', () => {
  it('a right code verifies it; it works once', async () => {
    const ada = await person()
    assert.match((await ada.browser.get('/account')).body, /not verified/)
    const code = await askToVerify(ada)
    assert.match(code, /^\d{8}$/)
    assert.match((await ada.browser.get('/account/email/code')).body, new RegExp(ada.email))
    assert.match((await enter(ada, `${code.slice(0, 4)} ${code.slice(4)}`)).body, /Email verified/)
    assert.equal(await isVerified(ada), true)
    assert.equal((await enter(ada, code)).status, 410)
    assert.match((await ada.browser.get('/account')).body, /· verified/)
  })

  it('five tries, however many come at once; then also the right one is refused', async () => {
    const ada = await person()
    const code = await askToVerify(ada)
    const tries = Array.from({ length: 20 }, () => enter(ada, wrongFor(code)))
    const statuses = (await Promise.all(tries)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 422).length, askedMailLimits.triesPerCode - 1)
    assert.equal((await enter(ada, code)).status, 410)
    assert.equal(await isVerified(ada), false)
    const next = await askToVerify(ada)
    for (let n = 1; n < askedMailLimits.triesPerCode; n += 1) {
      assert.match((await enter(ada, wrongFor(next))).body, /(one try|tries) left/)
    }
    assert.equal((await enter(ada, next)).status, 200)
    assert.equal(await isVerified(ada), true)
  })

  it('CVE-2026-1035: of many uses of one code at once, one counts', async () => {
    const ada = await person()
    const code = await askToVerify(ada)
    const bodies = await Promise.all([1, 2, 3].map(() => enter(ada, code)))
    assert.deepEqual(bodies.map(({ status }) => status).toSorted(), [200, 410, 410])
    const { body } = await service.operator('GET', '/audit-events?type=user.email_verified&limit=100')
    assert.equal(body.items.filter(({ actor }: { actor: { id: string } }) => actor.id === ada.id).length, 1)
  })

  it('expires after 15 minutes, and a new code replaces the one before', async () => {
    const ada = await person()
    const first = await askToVerify(ada)
    const second = await askToVerify(ada)
    if (first !== second) assert.equal((await enter(ada, first)).status, 422)
    clock.forward(15 * 60)
    assert.equal((await enter(ada, second)).status, 410)
    assert.equal((await ada.browser.get('/account/email/code')).location, '/account')
  })

  it('is valid only in the browser that asked', async () => {
    const ada = await person()
    const code = await askToVerify(ada)
    const elsewhere = new Browser(service, { address: '10.1.0.1' })
    await elsewhere.signIn({ email: ada.email, password })
    assert.equal((await enter({ ...ada, browser: elsewhere }, code)).status, 410)
    assert.equal(await isVerified(ada), false)
    const other = await person()
    assert.equal((await enter(other, code)).status, 410)
    assert.equal((await enter(ada, code)).status, 200)
  })

  it('so many codes within an hour, and no more', async () => {
    const ada = await person()
    for (let n = 0; n < askedMailLimits.codesPerAccount; n += 1) await askToVerify(ada)
    assert.equal((await ada.browser.post('/account/email/verify', {})).status, 429)
    clock.forward(3_601)
    await askToVerify(ada)
  })

  it('what is stored does not tell the code, and neither does the subject', async () => {
    const ada = await person()
    const code = await askToVerify(ada)
    const stored = JSON.stringify([await sql`select * from email_codes`, await sql`select subject from mails`])
    assert.ok(!stored.includes(code))
  })

  it('forms of another site change nothing, and a visitor gets nowhere', async () => {
    const ada = await person()
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    for (const path of ['verify', 'resend', 'change', 'code']) {
      assert.equal((await ada.browser.post(`/account/email/${path}`, {}, foreign)).status, 403)
      assert.equal(
        (await new Browser(service).post(`/account/email/${path}`, {})).location,
        '/sign-in?return_to=/account',
      )
    }
  })
})

describe('decision 6.55: a change of email', () => {
  it('needs a fresh proof, goes to the new address, and tells the old one; other browsers are signed out', async () => {
    const ada = await person()
    const elsewhere = new Browser(service, { address: '10.1.0.2' })
    clock.forward(601)
    const late = await ada.browser.post('/account/email/change', { email: 'ada.new@example.com' })
    assert.match(late.location!, /^\/account\/prove/)
    assert.match((await ada.browser.get('/account/email/change')).location!, /^\/account\/prove/)
    await ada.browser.post('/account/prove', { password })
    await elsewhere.signIn({ email: ada.email, password })
    const code = await askToChange(ada, 'ada.new@example.com')
    assert.equal(await emailOf(ada), ada.email, 'nothing has changed yet')
    assert.match((await enter(ada, code)).body, /Email changed/)
    assert.equal(await emailOf(ada), 'ada.new@example.com')
    assert.equal(await isVerified(ada), true)
    assert.equal((await elsewhere.get('/account')).location, '/sign-in?return_to=/account')
    assert.match((await ada.browser.get('/account')).body, /ada\.new@example\.com/)
    const [told] = await mailsTo(service, ada.email, 'email_changed')
    assert.match(JSON.stringify(told!.paragraphs), /ada\.new@example\.com/)
    assert.equal((await mailsTo(service, 'ada.new@example.com', 'email_changed')).length, 1)
    assert.equal((await new Browser(service).signIn({ email: ada.email, password })).status, 401)
  })

  it('links for a new password of before end', async () => {
    const ada = await person()
    const { body } = await service.operator('POST', `/users/${ada.id}/password-reset`)
    await enter(ada, await askToChange(ada, 'moved@example.com'))
    assert.equal((await new Browser(service).get(new URL(body.link).pathname)).status, 410)
  })

  it('addresses that mail is not sent to are refused', async () => {
    const ada = await person()
    for (const email of [
      'x',
      'a@b',
      '"e@evil.example"@example.com',
      'a@example.com\r\nBcc: e@evil.example',
      ada.email,
    ]) {
      const { status } = await ada.browser.post('/account/email/change', { email })
      assert.equal(status, email === ada.email ? 303 : 422, email)
    }
  })

  it('displaces an unverified account of the same address, which keeps its memberships and nothing else', async () => {
    const squatter = await person('owned@example.com')
    await sql`insert into recovery_codes values (${squatter.id}, '\\x01', now(), null)`
    await sql`insert into totp_factors values (${squatter.id}, '\\x01', 0, now(), now())`
    const ada = await person()
    const code = await askToChange(ada, 'OWNED@example.com')
    assert.equal((await enter(ada, code)).status, 200)
    assert.equal(await emailOf(squatter), `${squatter.id}@released.invalid`)
    assert.equal((await squatter.browser.get('/account')).location, '/sign-in?return_to=/account')
    assert.equal((await sql`select 1 from memberships where user_id = ${squatter.id}`).length, 1)
    assert.equal((await sql`select 1 from recovery_codes where user_id = ${squatter.id}`).length, 0)
    const { body } = await service.operator('GET', '/audit-events?type=user.email_released')
    assert.deepEqual(body.items[0].details, {
      user_id: squatter.id,
      email: 'owned@example.com',
      because: 'proven_by_another',
      second_factors_removed: 1,
    })
  })

  it('a verified account stays; it is told only after the right code', async () => {
    const owner = await person('kept@example.com')
    await enter(owner, await askToVerify(owner))
    const ada = await person()
    const code = await askToChange(ada, 'kept@example.com')
    const told = async (email: string) => {
      const { browser, email: own } = await person()
      const asked = await browser.post('/account/email/change', { email })
      assert.equal(asked.status, 303)
      const pages = [asked, await browser.get(asked.location!), await browser.get('/account')]
      return pages.map(
        ({ status, headers: { date: _, 'x-request-id': __, 'content-length': ___, ...headers }, body }) =>
          JSON.stringify([status, headers, body]).replaceAll(email, '?').replaceAll(own, 'own'),
      )
    }
    const [known, unknown] = [await told('kept@example.com'), await told('nobody@example.com')]
    assert.deepEqual(known, unknown)
    assert.match(known[1]!, /Enter the code/)
    const refused = await enter(ada, code)
    assert.equal(refused.status, 409)
    assert.match(refused.body, /kept@example\.com and has verified it/)
    assert.deepEqual([await emailOf(owner), await emailOf(ada)], ['kept@example.com', ada.email])
  })

  it('two accounts that prove the same address at once: one has it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const squatter = await person(`wanted${round}@example.com`)
      const rivals = await Promise.all([person(), person()])
      const codes: string[] = []
      for (const rival of rivals) codes.push(await askToChange(rival, squatter.email))
      const statuses = await Promise.all(rivals.map(async (rival, index) => (await enter(rival, codes[index]!)).status))
      assert.deepEqual(statuses.toSorted(), [200, 409])
      const held = await Promise.all(rivals.map(emailOf))
      assert.equal(held.filter((email) => email === squatter.email).length, 1)
    }
  })

  it('also where nobody had it, and where two exchange theirs', async () => {
    const rivals = await Promise.all([person(), person()])
    const codes: string[] = []
    for (const rival of rivals) codes.push(await askToChange(rival, 'fresh@example.com'))
    const statuses = await Promise.all(rivals.map(async (rival, index) => (await enter(rival, codes[index]!)).status))
    assert.deepEqual(statuses.toSorted(), [200, 409])
    const [one, two] = await Promise.all([person(), person()])
    const ones = await askToChange(one, two.email)
    const twos = await askToChange(two, one.email)
    const both = await Promise.all([enter(one, ones), enter(two, twos)])
    // Whoever is displaced is signed out, and its code with it.
    assert.deepEqual(both.map(({ status }) => status).toSorted()[0], 200)
    assert.equal((await sql`select 1 from users where lower(email) = lower(${two.email})`).length <= 1, true)
  })
})

describe('without mail', () => {
  it('the page offers neither', async () => {
    const plain = await startHarness({}, { beside: service })
    const ada = await person()
    const browser = new Browser(plain)
    await browser.signIn({ email: ada.email, password })
    const { body } = await browser.get('/account')
    assert.ok(!/email\/verify|email\/change/.test(body))
    assert.equal((await browser.post('/account/email/verify', {})).location, '/account')
    assert.equal((await browser.get('/account/email/change')).location, '/account')
    assert.equal((await sql`select 1 from email_codes where owner_id = ${ada.id}`).length, 0)
  })
})
