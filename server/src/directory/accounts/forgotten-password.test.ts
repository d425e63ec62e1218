import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { linkIn, mailSettings, mailsTo } from '../../../../test/support/mails.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { askedMailLimits } from '../../platform/own-limits.ts'

const service = await startHarness(mailSettings)
const { sql, clock } = service
const organization = await createOrganization(service)
const password = 'correct horse battery'
const next = 'a password of my own'
const twice = { new_password: next, repeated_password: next }
let people = 0
let addresses = 0

const browse = (host?: string) => {
  addresses += 1
  return new Browser(service, {
    address: `10.${addresses >> 8}.${addresses & 255}.1`,
    ...(host === undefined ? {} : { host }),
  })
}

async function person() {
  people += 1
  const added = { name: 'P', email: `person${people}@example.com`, password, role: 'member' }
  const { body } = await service.operator('POST', `/customers/${organization.customer_id}/users`, added)
  return { id: body.id as string, email: added.email, password }
}

const ask = async (email: string, browser = browse()) => await browser.post('/forgotten-password', { email })
const links = async (email: string) => (await mailsTo(service, email, 'password_reset')).map(linkIn)
const isVerified = async (id: string) =>
  (await sql`select email_verified from users where id = ${id}`)[0]!.email_verified

describe('decision 6.56: a forgotten password', () => {
  it('a mailed link sets a new one, proves the mailbox, ends every session and works once', async () => {
    const ada = await person()
    const elsewhere = browse()
    await elsewhere.signIn(ada)
    assert.match((await browse().get('/sign-in')).body, /href="\/forgotten-password"/)
    assert.match((await browse().get('/forgotten-password')).body, /name="email"/)
    const asked = await ask(ada.email.toUpperCase())
    assert.equal(asked.status, 200)
    assert.match(asked.body, /If <strong>/)
    const [link] = await links(ada.email)
    const browser = browse()
    assert.equal((await browser.get(link!.pathname)).status, 200)
    assert.equal(await isVerified(ada.id), false, 'opening it proves nothing')
    assert.equal((await browser.post(link!.pathname, twice)).location, '/')
    assert.equal(await isVerified(ada.id), true)
    assert.equal((await elsewhere.get('/account')).location, '/sign-in?return_to=/account')
    assert.equal((await browse().signIn({ email: ada.email, password })).status, 401)
    assert.equal((await browse().signIn({ email: ada.email, password: next })).status, 303)
    assert.equal((await browse().post(link!.pathname, twice)).status, 410)
    assert.equal((await mailsTo(service, ada.email, 'password_changed')).length, 1)
  })

  it('of many uses at once, one counts', async () => {
    const ada = await person()
    await ask(ada.email)
    const [link] = await links(ada.email)
    const used = await Promise.all([1, 2, 3, 4].map(() => browse().post(link!.pathname, twice)))
    assert.deepEqual(used.map(({ status }) => status).toSorted(), [303, 410, 410, 410])
  })

  it('CVE-2023-26481: the link is of its person, whatever the form says', async () => {
    const [ada, bob] = [await person(), await person()]
    await ask(ada.email)
    const [link] = await links(ada.email)
    const forged = { ...twice, user_id: bob.id, email: bob.email, username: bob.email, id: bob.id }
    await browse().post(`${link!.pathname}?user_id=${bob.id}&email=${bob.email}`, forged)
    assert.equal((await browse().signIn({ email: bob.email, password: next })).status, 401)
    assert.equal((await browse().signIn(bob)).status, 303)
    assert.equal((await browse().signIn({ email: ada.email, password: next })).status, 303)
  })

  it('an account that had not proven its email loses what somebody else may have prepared', async () => {
    const ada = await person()
    const squatter = browse()
    await squatter.signIn(ada)
    await sql`insert into recovery_codes values (${ada.id}, '\\x01', now(), null)`
    await sql`insert into totp_factors values (${ada.id}, '\\x01', 0, now(), null)`
    const { body } = await service.operator('POST', `/users/${ada.id}/password-reset`)
    await ask(ada.email)
    const [mailed] = (await links(ada.email)).slice(-1)
    await browse().post(mailed!.pathname, twice)
    assert.equal((await sql`select 1 from recovery_codes where user_id = ${ada.id}`).length, 0)
    assert.equal((await sql`select 1 from totp_factors where user_id = ${ada.id}`).length, 0)
    assert.equal((await browse().get(new URL(body.link).pathname)).status, 410)
    assert.equal((await squatter.get('/account')).location, '/sign-in?return_to=/account')
  })

  it('a mailbox alone removes no second factor, also where the email was never verified; nor is it verified then', async () => {
    const ada = await person()
    await sql`insert into recovery_codes values (${ada.id}, '\\x02', now(), null)`
    await sql`insert into totp_factors values (${ada.id}, '\\x01', 0, now(), now())`
    await ask(ada.email)
    const [link] = await links(ada.email)
    const browser = browse()
    assert.match((await browser.post(link!.pathname, twice)).location!, /^\/sign-in\/second-factor/)
    assert.equal((await sql`select 1 from totp_factors where user_id = ${ada.id}`).length, 1)
    assert.equal((await sql`select 1 from recovery_codes where user_id = ${ada.id}`).length, 1)
    assert.equal(await isVerified(ada.id), false)
    assert.equal((await browser.get('/account')).location, '/sign-in?return_to=/account')
    assert.match((await browse().signIn({ email: ada.email, password: next })).location!, /second-factor/)
  })

  it('an account that had proven it keeps its second factor', async () => {
    const ada = await person()
    await sql`update users set email_verified = true where id = ${ada.id}`
    await sql`insert into totp_factors values (${ada.id}, '\\x01', 0, now(), now())`
    await ask(ada.email)
    const [link] = await links(ada.email)
    await browse().post(link!.pathname, twice)
    assert.equal((await sql`select 1 from totp_factors where user_id = ${ada.id}`).length, 1)
  })

  it('expires after an hour', async () => {
    const ada = await person()
    await ask(ada.email)
    clock.forward(3_600)
    const [link] = await links(ada.email)
    assert.equal((await browse().post(link!.pathname, twice)).status, 410)
  })
})

describe('decision 6.56: nobody else gains or breaks anything', () => {
  it('whoever asks in an owner’s name sends links that all work, a bounded number, and ends none of an administrator', async () => {
    const ada = await person()
    const { body } = await service.operator('POST', `/users/${ada.id}/password-reset`)
    const before = (await links(ada.email)).length
    for (let n = 0; n < 25; n += 1) assert.equal((await ask(ada.email)).status, 200)
    const sent = (await links(ada.email)).slice(before)
    assert.equal(sent.length, askedMailLimits.forgottenPasswordsPerAccount)
    for (const link of sent) assert.equal((await browse().get(link.pathname)).status, 200)
    assert.equal((await browse().get(new URL(body.link).pathname)).status, 200)
    clock.forward(3_601)
    await ask(ada.email)
    assert.equal((await links(ada.email)).length, before + sent.length + 1)
  })

  it('one address asks so often and no more; others are not concerned', async () => {
    const browser = browse()
    const asked = Array.from({ length: askedMailLimits.forgottenPasswordsPerAddress + 1 }, (_, n) =>
      ask(`nobody${n}@example.com`, browser),
    )
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 429).length, 1)
    const ada = await person()
    assert.equal((await ask(ada.email)).status, 200)
    assert.equal((await links(ada.email)).length, 1)
  })

  it('the host of the request chooses among the person’s own portals, and is never written into the link', async () => {
    const ada = await person()
    const [{ portal_domain }] = (await sql`
      select portal_domain from partners p join customers c on c.partner_id = p.id where c.id = ${organization.customer_id}`) as [
      { portal_domain: string },
    ]
    const eve = { name: 'Eve', email: 'eve@evil.example', password }
    const evil = { name: 'Evil', portal_domain: 'portal.evil.test', admin: eve }
    assert.equal((await service.operator('POST', '/partners', evil)).status, 201)
    for (const host of ['portal.evil.test', 'unknown.test', 'landbridge.test.evil.test']) {
      await ask(ada.email, browse(host))
      const [link] = (await links(ada.email)).slice(-1)
      assert.ok(['landbridge.test', portal_domain].includes(link!.host), `${host} → ${link!.host}`)
    }
    clock.forward(3_601)
    const browser = browse()
    const forwarded = { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test', 'x-original-host': 'evil.test' }
    await browser.post('/forgotten-password', { email: ada.email }, forwarded)
    assert.equal((await links(ada.email)).at(-1)!.host, 'landbridge.test')
    if (portal_domain) {
      await ask(ada.email, browse(portal_domain))
      assert.equal((await links(ada.email)).at(-1)!.host, portal_domain)
    }
  })

  /** Asks for known and unknown emails in turn. `planted`: milliseconds that a known one takes longer. */
  async function compare(planted: number) {
    const known = await Promise.all(Array.from({ length: 20 }, person))
    const times = { known: [] as number[], unknown: [] as number[] }
    const plain = new Set<string>()
    for (const [index, { email }] of known.entries()) {
      const both: ['known' | 'unknown', string][] = [
        ['known', email],
        ['unknown', `unknown${index}@example.com`],
      ]
      for (const [kind, address] of index % 2 ? both : both.toReversed()) {
        const browser = browse()
        const start = performance.now()
        const page = await ask(address, browser)
        if (kind === 'known') await sleep(planted)
        times[kind].push(performance.now() - start)
        const { date: _, 'x-request-id': __, ...headers } = page.headers
        plain.add(
          JSON.stringify([page.status, headers, page.body])
            .replaceAll(address, '?')
            .replace(/"content-length":"\d+"/, ''),
        )
      }
    }
    // A test of ranks (Mann–Whitney): how often a known one took longer than an unknown one.
    const pairs = times.known.flatMap((one) => times.unknown.map((other) => (one > other ? 1 : 0)))
    const share = pairs.reduce<number>((sum, longer) => sum + longer, 0) / pairs.length
    return { pages: plain.size, share, times: JSON.stringify(times) }
  }

  it('page, status and time are the same for a known and an unknown email', async () => {
    const { pages, share, times } = await compare(0)
    assert.equal(pages, 1)
    assert.ok(share > 0.25 && share < 0.75, `${share}: ${times}`)
  })

  it('a planted difference of 30 milliseconds, a tenth of what one takes, is found', async () => {
    const { share, times } = await compare(30)
    assert.ok(share > 0.75, `${share}: ${times}`)
  })

  it('CSRF, and what is not an address', async () => {
    const ada = await person()
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    assert.equal((await browse().post('/forgotten-password', { email: ada.email }, foreign)).status, 403)
    for (const email of ['', 'x', `${ada.email}\r\nBcc: eve@evil.example`, `${ada.email},eve@evil.example`]) {
      assert.equal((await ask(email)).status, 422)
    }
    assert.equal((await links(ada.email)).length, 0)
  })

  it('without mail, the page of before says whom to ask', async () => {
    const plain = await startHarness({}, { beside: service })
    const browser = new Browser(plain)
    assert.match((await browser.get('/sign-in')).body, /An administrator of your organization can give you a link/)
    assert.equal((await browser.get('/forgotten-password')).location, '/sign-in')
    const ada = await person()
    assert.equal((await browser.post('/forgotten-password', { email: ada.email })).location, '/sign-in')
    assert.equal((await sql`select 1 from one_time_links where user_id = ${ada.id}`).length, 0)
  })
})
