import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { codeIn, mailSettings, mailsTo } from '../../../../test/support/mails.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { askedMailLimits } from '../../platform/own-limits.ts'

const service = await startHarness(mailSettings)
const { sql } = service
const organization = await createOrganization(service)
const squatted = await createOrganization(service)
const own = 'mauve tractor lullaby'
const form = { name: 'Nia', new_password: own, repeated_password: own }
let people = 0

const browse = () => {
  people += 1
  return new Browser(service, { host: 'acme.test', address: `10.4.${people >> 8}.${people & 255}` })
}

/** An email that somebody else has an account with, and an invitation for it. */
async function invitedElsewhere() {
  people += 1
  const squatter = { name: 'S', email: `nia${people}@example.com`, password: 'correct horse battery', role: 'member' }
  const added = await service.operator('POST', `/customers/${squatted.customer_id}/users`, squatter)
  const { email } = squatter
  const { body } = await organization.call('session', 'POST', '/invitations', { email, role: 'member' })
  return { email, path: new URL(body.link).pathname, squatterId: added.body.id as string, password: squatter.password }
}
const codeTo = async (email: string) => codeIn((await mailsTo(service, email, 'email_code')).at(-1))
const holderOf = async (email: string) =>
  (await sql`select id, email_verified from users where lower(email) = lower(${email})`)[0] as
    | { id: string; email_verified: boolean }
    | undefined

describe('decision 6.55: an invitation for an email that somebody else took', () => {
  it('whoever proves the email gets an account of their own, and the other one loses the email', async () => {
    const { email, path, squatterId, password } = await invitedElsewhere()
    const squatter = browse()
    await squatter.signIn({ email, password })
    const browser = browse()
    const refused = await browser.post(path, form)
    assert.equal(refused.status, 409)
    assert.match(refused.body, /Send a code to/)
    const sent = await browser.post(`${path}/code/send`, {})
    assert.deepEqual([sent.status, sent.location], [303, `${path}/code`])
    assert.match((await browser.get(`${path}/code`)).body, /We sent a code/)
    const joined = await browser.post(`${path}/code`, { ...form, code: await codeTo(email) })
    assert.deepEqual([joined.status, joined.location], [303, '/'])
    const holder = (await holderOf(email))!
    assert.ok(holder.id !== squatterId && holder.email_verified)
    assert.match((await browser.get('/account')).body, new RegExp(email))
    assert.equal((await squatter.get('/account')).location, '/sign-in?return_to=/account')
    const members = async (customer: string, user: string) =>
      (await sql`select 1 from memberships where customer_id = ${customer} and user_id = ${user}`).length
    assert.equal(await members(organization.customer_id, holder.id), 1)
    assert.equal(await members(squatted.customer_id, holder.id), 0, 'what the other account belongs to stays its own')
    assert.equal(await members(squatted.customer_id, squatterId), 1)
    assert.equal((await browse().get(path)).status, 410)
  })

  it('the code counts only in the browser that asked, for five tries, and the link only once', async () => {
    const { email, path, squatterId } = await invitedElsewhere()
    const browser = browse()
    await browser.post(`${path}/code/send`, {})
    const code = await codeTo(email)
    assert.equal((await browse().post(`${path}/code`, { ...form, code })).location, path)
    const wrong = code === '00000000' ? '00000001' : '00000000'
    for (let n = 1; n <= askedMailLimits.triesPerCode; n += 1) {
      const { status } = await browser.post(`${path}/code`, { ...form, code: wrong })
      assert.equal(status, n < askedMailLimits.triesPerCode ? 422 : 410)
    }
    assert.equal((await browser.post(`${path}/code`, { ...form, code })).status, 410)
    assert.equal((await holderOf(email))!.id, squatterId)
  })

  it('a weak password or no name uses up no try', async () => {
    const { email, path } = await invitedElsewhere()
    const browser = browse()
    await browser.post(`${path}/code/send`, {})
    const code = await codeTo(email)
    for (const bad of [{ name: ' ' }, { new_password: 'x' }, { repeated_password: 'y' }]) {
      assert.equal((await browser.post(`${path}/code`, { ...form, code, ...bad })).status, 422)
    }
    const both = await Promise.all([1, 2].map(() => browser.post(`${path}/code`, { ...form, code })))
    assert.ok(both.some(({ location }) => location === '/'))
    assert.equal((await sql`select 1 from users where lower(email) = lower(${email})`).length, 1)
  })

  it('an account that has proven the email keeps it', async () => {
    const { email, path, squatterId } = await invitedElsewhere()
    await sql`update users set email_verified = true where id = ${squatterId}`
    const browser = browse()
    await browser.post(`${path}/code/send`, {})
    const refused = await browser.post(`${path}/code`, { ...form, code: await codeTo(email) })
    assert.equal(refused.status, 409)
    assert.match(refused.body, /has verified it, so it stays/)
    assert.equal((await holderOf(email))!.id, squatterId)
  })

  it('two who prove it at once, by two invitations: one has it', async () => {
    const { email, path } = await invitedElsewhere()
    const other = await createOrganization(service)
    const { body } = await other.call('session', 'POST', '/invitations', { email, role: 'member' })
    const paths = [path, new URL(body.link).pathname]
    const rivals: { browser: Browser; path: string; code: string }[] = []
    for (const each of paths) {
      const browser = browse()
      await browser.post(`${each}/code/send`, {})
      rivals.push({ browser, path: each, code: await codeTo(email) })
    }
    const outcomes = await Promise.all(
      rivals.map(({ browser, path, code }) => browser.post(`${path}/code`, { ...form, code })),
    )
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), [303, 409])
    assert.equal((await sql`select 1 from users where lower(email) = lower(${email})`).length, 1)
  })

  it('a link for a new password, an unknown one and another site get no code', async () => {
    const { squatterId, path, email } = await invitedElsewhere()
    const { body } = await service.operator('POST', `/users/${squatterId}/password-reset`)
    for (const each of [new URL(body.link).pathname, '/link/unknown']) {
      assert.equal((await browse().post(`${each}/code/send`, {})).location, each)
    }
    const foreign = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    assert.equal((await browse().post(`${path}/code/send`, {}, foreign)).status, 403)
    assert.equal((await mailsTo(service, email, 'email_code')).length, 0)
  })
})
