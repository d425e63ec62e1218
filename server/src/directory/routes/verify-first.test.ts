import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addApp, addPasskey, codeNow, createPerson, signedIn } from '../../../../test/support/account.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { codeIn, mailSettings, mailsTo } from '../../../../test/support/mails.ts'

const service = await startHarness(mailSettings)
const { sql } = service
const pages = ['/account/passkeys/new', '/account/authenticator']

async function unverified() {
  const person = await createPerson(service)
  await sql`update users set email_verified = false where id = ${person.id}`
  return { person, browser: await signedIn(service, person) }
}
const factorsOf = async (id: string) =>
  (await sql`select 1 from totp_factors where user_id = ${id} union all select 1 from passkeys where user_id = ${id}`)
    .length

describe('decision 6.58: with mail, a factor is added to a verified email only', () => {
  for (const path of pages) {
    it(`${path} leads to the code, also after a wrong one and a new one, and back`, async () => {
      const { person, browser } = await unverified()
      const page = await browser.get(path)
      assert.equal(page.status, 200)
      assert.match(page.body, /Verify your email first/)
      assert.match(page.body, new RegExp(`name="return_to" value="${path}"`))
      assert.equal(await factorsOf(person.id), 0)
      const asked = await browser.post('/account/email/verify', { return_to: path })
      assert.equal(asked.location, `/account/email/code?return_to=${encodeURIComponent(path)}`)
      const shown = await browser.get(asked.location!)
      assert.equal(shown.body.split(`name="return_to" value="${path}"`).length, 3, 'in both forms')
      const resent = await browser.post('/account/email/resend', { return_to: path })
      assert.equal(resent.location, asked.location)
      const code = codeIn((await mailsTo(service, person.email, 'email_code')).at(-1))
      const wrong = await browser.post('/account/email/code', {
        code: code === '00000000' ? '1' : '00000000',
        return_to: path,
      })
      assert.deepEqual([wrong.status, wrong.body.includes(`value="${path}"`)], [422, true])
      const back = await browser.post('/account/email/code', { code, return_to: path })
      assert.deepEqual([back.status, back.location], [303, path])
      if (path === pages[0]) await addPasskey(browser)
      else await addApp(service, browser)
      assert.equal(await factorsOf(person.id), 1)
    })
  }

  it('the forms refuse it, too: begun before the email was lost', async () => {
    const { person, browser } = await unverified()
    await sql`update users set email_verified = true where id = ${person.id}`
    const begun = await browser.get('/account/authenticator')
    const secret = /<p><code>([A-Z2-7 ]+)</.exec(begun.body)![1]!.replaceAll(' ', '')
    await sql`update users set email_verified = false where id = ${person.id}`
    const posted = await browser.post('/account/authenticator', { totp: codeNow(service, secret) })
    assert.deepEqual([posted.status, posted.location], [303, '/account/authenticator'])
    const [{ enabled_at }] = (await sql`select enabled_at from totp_factors where user_id = ${person.id}`) as [
      { enabled_at: Date | null },
    ]
    assert.equal(enabled_at, null)
  })

  it('a code leads to no other host', async () => {
    const { browser } = await unverified()
    const asked = await browser.post('/account/email/verify', { return_to: 'https://evil.test/' })
    assert.equal(asked.location, '/account/email/code')
    assert.ok(!(await browser.get('/account/email/code?return_to=//evil.test/')).body.includes('evil.test'))
  })

  it('without mail it is not asked for', async () => {
    const { person } = await unverified()
    const plain = await startHarness({}, { beside: service })
    await addApp(plain, await signedIn(plain, person))
    assert.equal(await factorsOf(person.id), 1)
  })
})
