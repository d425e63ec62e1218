import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Document, operationsOf } from '../../../../test/openapi/document.ts'
import { connect, userinfo } from '../../../../test/support/applications.ts'
import { Browser } from '../../../../test/support/form-browser.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { codeIn, mailSettings, mailsTo } from '../../../../test/support/mails.ts'
import { createOrganization, credentialKinds } from '../../../../test/support/organization.ts'

const service = await startHarness(mailSettings)
const organization = await createOrganization(service)
const operations = operationsOf((await service.app.inject({ url: '/openapi.json' })).json<Document>())
const { id, email, password } = organization.administrator
const isVerified = async (user = id) =>
  (await service.sql`select email_verified from users where id = ${user}`)[0]!.email_verified

describe('CVE-2026-27946: nobody says of themselves, or of others, that an email is verified', () => {
  it('no operation takes it', () => {
    const taking = operations.filter(({ body }) => JSON.stringify(body ?? '').includes('email_verified'))
    assert.deepEqual(
      taking.map(({ id }) => id),
      [],
    )
    assert.ok(
      operations.some(({ body }) => JSON.stringify(body ?? '').includes('"email"')),
      'bodies are looked at',
    )
  })

  it('sent with all fields of the response to every change of a person, it changes nothing', async () => {
    const added = { name: 'Bob', email: 'bob@example.com', password, role: 'member' }
    const bob = (await service.operator('POST', `/customers/${organization.customer_id}/users`, added)).body.id
    const { body: shown } = await organization.call('session', 'GET', `/users/${bob}`)
    const forged = { ...shown, email_verified: true, emailVerified: true, verified: true }
    for (const kind of credentialKinds) {
      await organization.call(kind, 'PATCH', `/users/${bob}`, forged)
      await organization.call(kind, 'PATCH', `/users/${bob}`, { role: 'member', email_verified: true })
      await organization.call(kind, 'POST', '/invitations', { email: 'carl@example.com', role: 'member', ...forged })
    }
    const people = operations.filter(({ path, method }) => /users|members|invitations/.test(path) && method !== 'GET')
    assert.ok(people.length > 5)
    for (const { path, method } of people) {
      const url = path.replaceAll(/\{\w+\}/g, bob)
      for (const headers of [...Object.values(organization.headers), { authorization: service.context.operatorKey }]) {
        if (method !== 'DELETE') await service.app.inject({ method, url, headers, payload: forged })
      }
    }
    const browser = new Browser(service)
    await browser.signIn(added)
    const form = { email_verified: 'true', verified: '1', mails: 'api_keys' }
    for (const path of ['mails', 'email/verify', 'email/code', 'email/resend']) {
      await browser.post(`/account/${path}`, { ...form, code: '' })
    }
    assert.equal(await isVerified(bob), false)
  })
})

describe('decision 6.55: claims follow at once', () => {
  it('userinfo of a token of before, a refresh and a new id_token', async () => {
    const { access_token } = await connect(service, organization.application)
    const claimed = async () => (await userinfo(service, access_token)).body.email_verified
    assert.equal(await claimed(), false)
    const browser = new Browser(service)
    await browser.signIn({ email, password })
    await browser.post('/account/email/verify', {})
    await browser.post('/account/email/code', { code: codeIn((await mailsTo(service, email, 'email_code')).at(-1)) })
    assert.equal(await isVerified(), true)
    assert.equal(await claimed(), true)
    const { id_token } = await connect(service, organization.application)
    const claims = JSON.parse(Buffer.from(id_token.split('.')[1]!, 'base64url').toString())
    assert.deepEqual([claims.email, claims.email_verified], [email, true])
    await browser.post('/account/email/change', { email: 'ada.next@example.com' })
    await browser.post('/account/email/code', {
      code: codeIn((await mailsTo(service, 'ada.next@example.com', 'email_code')).at(-1)),
    })
    assert.deepEqual((await userinfo(service, access_token)).body.email, 'ada.next@example.com')
  })
})
