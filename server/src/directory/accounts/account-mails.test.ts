import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { linkIn, mailSettings, mailsTo } from '../../../../test/support/mails.ts'
import { createOrganization, sessionHeaders } from '../../../../test/support/organization.ts'
import { announceExpiringKeysJob } from '../api-key-expiry.ts'
import { createApiKey } from '../api-keys.ts'

const service = await startHarness(mailSettings)
const { sql, clock, context } = service
const organization = await createOrganization(service)
const password = 'correct horse battery'
const own = 'mauve tractor lullaby'
const twice = { new_password: own, repeated_password: own }
let people = 0

async function person(role: 'administrator' | 'member' = 'member') {
  people += 1
  const added = { name: `P${people}`, email: `person${people}@example.com`, password, role }
  const { body } = await service.operator('POST', `/customers/${organization.customer_id}/users`, added)
  return { id: body.id as string, email: added.email, password }
}
const browse = () => {
  people += 1
  return new Browser(service, { address: `10.3.${people >> 8}.${people & 255}`, host: 'acme.test' })
}
const kindsTo = async (to: string) => (await mailsTo(service, to)).map(({ kind }) => kind)

describe('decision 6.57: mails that people expect', () => {
  it('an invitation has the link of the portal domain; accepting it brings a welcome', async () => {
    const email = 'nia@example.com'
    const { body } = await organization.call('session', 'POST', '/invitations', { email, role: 'member' })
    assert.equal(body.mailed, true)
    const [mail] = await mailsTo(service, email, 'invitation')
    assert.equal(linkIn(mail).href, body.link)
    assert.match(mail!.subject, /^You are invited to join Acme/)
    const browser = browse()
    assert.equal((await browser.post(linkIn(mail).pathname, { name: 'Nia', ...twice })).location, '/')
    const [welcome] = await mailsTo(service, email, 'welcome')
    assert.equal(linkIn(welcome).href, 'http://acme.test/')
    assert.deepEqual(await kindsTo(email), ['invitation', 'welcome'], 'and no word of a new browser')
  })

  it('also one that a token or an API key makes, which does not get the link itself', async () => {
    for (const credential of ['bearer', 'api_key'] as const) {
      const email = `${credential}@example.com`
      const { body } = await organization.call(credential, 'POST', '/invitations', { email, role: 'member' })
      assert.deepEqual([body.link, body.has_link, body.mailed], [null, true, true])
      const [mail] = await mailsTo(service, email, 'invitation')
      assert.equal((await browse().get(linkIn(mail).pathname)).status, 200)
    }
  })

  it('and by the operator, also for an email that has an account; a new link is mailed again', async () => {
    const known = await person()
    const other = await createOrganization(service)
    const added = { name: 'P', email: known.email, password, role: 'member' }
    await service.operator('POST', `/customers/${other.customer_id}/users`, added)
    const mailed = await mailsTo(service, known.email, 'invitation')
    assert.equal(mailed.length, 1)
    const pending = await other.call('session', 'GET', '/invitations')
    await other.call('session', 'POST', `/invitations/${pending.body.items[0].id}/link`)
    const [, again] = await mailsTo(service, known.email, 'invitation')
    assert.equal((await browse().get(linkIn(mailed[0]).pathname)).status, 410)
    assert.equal((await browse().get(linkIn(again).pathname)).status, 200)
  })

  it('what is rolled back is not mailed', async () => {
    const { body } = await organization.call('session', 'POST', '/invitations', {
      email: 'rolled@example.com',
      role: 'member',
      groups: ['01955210-0a00-7d41-8f0e-6c1b2a3d4e5f'],
    })
    assert.equal(body.code, 'not_found')
    assert.deepEqual(await kindsTo('rolled@example.com'), [])
  })

  it('a sign-in from a new browser is told; not the first one ever, and not one from a known browser', async () => {
    const ada = await person()
    const first = browse()
    await first.signIn(ada)
    assert.deepEqual(await mailsTo(service, ada.email, 'new_sign_in'), [])
    await first.signIn(ada)
    assert.deepEqual(await mailsTo(service, ada.email, 'new_sign_in'), [])
    const other = browse()
    await other.post(
      '/sign-in',
      { email: ada.email, password, return_to: '/' },
      { 'user-agent': 'Mozilla Firefox/140' },
    )
    const [mail] = await mailsTo(service, ada.email, 'new_sign_in')
    assert.match(JSON.stringify(mail!.paragraphs), new RegExp(`Firefox.*${other.address}`))
    assert.equal((await browse().signIn({ ...ada, password: 'wrong' })).status, 401)
    assert.equal((await mailsTo(service, ada.email, 'new_sign_in')).length, 1)
  })

  it('a changed password, and a link that an administrator created', async () => {
    const ada = await person()
    const browser = browse()
    await browser.signIn(ada)
    await browser.post('/account/password', { password, ...twice })
    assert.equal((await mailsTo(service, ada.email, 'password_changed')).length, 1)
    const { body } = await organization.call('session', 'POST', `/users/${ada.id}/password-reset`)
    assert.equal(body.mailed, true)
    const [mail] = await mailsTo(service, ada.email, 'password_reset')
    assert.equal(linkIn(mail).href, body.link)
    await browse().post(linkIn(mail).pathname, {
      new_password: 'orange parade kettle',
      repeated_password: 'orange parade kettle',
    })
    assert.equal((await mailsTo(service, ada.email, 'password_changed')).length, 2)
    const [row] = await sql`select email_verified from users where id = ${ada.id}`
    assert.equal(row!.email_verified, false, 'somebody else has had this link')
  })

  it('an API key that is about to expire, to administrators who want to know', async () => {
    const [wants, not] = [await person('administrator'), await person('administrator')]
    const browser = browse()
    await browser.signIn(not)
    assert.match((await browser.get('/account')).body, /value="api_keys" checked/)
    await browser.post('/account/mails', { mails: 'applications' })
    assert.ok(!/value="api_keys" checked/.test((await browser.get('/account')).body))
    const actor = { kind: 'user', id: organization.administrator.id } as const
    const expires_at = new Date(clock.now().getTime() + 20 * 86_400_000)
    const { customer_id } = organization
    await createApiKey(context, actor, { customer_id }, { name: 'Nightly sync', expires_at })
    clock.forward(7 * 86_400)
    await announceExpiringKeysJob(context).runShared()
    const [mail] = await mailsTo(service, wants.email, 'api_key_expiring')
    assert.match(JSON.stringify(mail!.paragraphs), /Nightly sync.*account#mails/)
    assert.deepEqual(await mailsTo(service, not.email, 'api_key_expiring'), [])
    await announceExpiringKeysJob(context).runShared()
    assert.equal((await mailsTo(service, wants.email, 'api_key_expiring')).length, 1)
  })

  it('names that somebody chose become no links and no headers', async () => {
    const other = await createOrganization(service)
    const evil = 'Visit https://evil.example/login now'
    await service.operator('PATCH', `/customers/${other.customer_id}`, { name: evil })
    await other.call('session', 'POST', '/invitations', { email: 'target@example.com', role: 'member' })
    const [mail] = await mailsTo(service, 'target@example.com', 'invitation')
    assert.ok(!`${mail!.subject} ${JSON.stringify(mail!.paragraphs)}`.includes('https://evil.example'))
  })
})

describe('without mail', () => {
  it('everything is as before', async () => {
    const plain = await startHarness({}, { beside: service })
    const headers = await sessionHeaders(plain, organization.administrator)
    const url = '/core/v1/organization/invitations'
    const payload = { email: 'plain@example.com', role: 'member' }
    const invited = (await plain.app.inject({ method: 'POST', url, headers, payload })).json()
    assert.deepEqual([typeof invited.link, invited.mailed], ['string', false])
    const byKey = await plain.app.inject({
      ...{ method: 'POST', url, headers: organization.headers.api_key },
      payload: { email: 'plain2@example.com', role: 'member' },
    })
    assert.deepEqual([byKey.json().link, byKey.json().has_link, byKey.json().mailed], [null, false, false])
    assert.equal((await sql`select 1 from mails where recipient like 'plain%'`).length, 0)
    const browser = new Browser(plain)
    await browser.signIn(organization.administrator)
    assert.ok(!(await browser.get('/account')).body.includes('/account/mails'))
  })
})
