import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness } from '../../../../test/support/harness.ts'
import { mailSettings, mailsTo } from '../../../../test/support/mails.ts'
import { newPartner, type TestPartner } from '../../../../test/support/partners.ts'

const service = await startHarness(mailSettings)
const { sql } = service
const redirect_uris = ['https://app.example.com/callback']
let people = 0

async function colleagueOf({ id }: TestPartner): Promise<string> {
  people += 1
  const email = `colleague${people}@example.com`
  const user = { id: crypto.randomUUID(), email, name: 'Quinn', password_hash: '', created_at: new Date() }
  await sql`insert into users ${sql(user)}`
  await sql`insert into partner_members (partner_id, user_id, created_at) values (${id}, ${user.id}, now())`
  return email
}

const subjects = async (email: string, kind: 'application_requested' | 'application_decided') =>
  (await mailsTo(service, email, kind)).map(({ subject }) => subject)
const decide = (id: string, verb: string, body: object) =>
  service.operator('POST', `/application-requests/${id}/${verb}`, body)

describe('decision 6.57: mails about applications that a partner asks for', () => {
  it('the other members learn that one was asked for; all learn what the operator decided, and why', async () => {
    const partner = await newPartner(service)
    const colleague = await colleagueOf(partner)
    const stranger = await newPartner(service, { name: 'Other' })
    const { body: asked } = await partner.browse('POST', '/application-requests', { name: 'Roomfinder', redirect_uris })
    assert.deepEqual(await subjects(colleague, 'application_requested'), ['Roomfinder was asked for'])
    assert.deepEqual(await subjects(partner.email, 'application_requested'), [], 'who asked knows it')
    await decide(asked.id, 'refuse', { revision: 1, reason: 'Which product is this?' })
    for (const email of [colleague, partner.email]) {
      const [mail] = await mailsTo(service, email, 'application_decided')
      assert.equal(mail!.subject, 'Roomfinder was refused')
      assert.match(JSON.stringify(mail!.paragraphs), /Which product is this\?.*account#mails/)
    }
    const wish = { home_page: 'https://app.example.com' }
    const { body: again } = await partner.call('PATCH', `/application-requests/${asked.id}`, wish)
    assert.equal((await subjects(partner.email, 'application_requested')).length, 1, 'asked again with an API key')
    const approved = await decide(asked.id, 'approve', { revision: again.revision })
    assert.equal(approved.status, 201)
    const decided = ['Roomfinder was refused', 'Roomfinder was approved']
    assert.deepEqual(await subjects(colleague, 'application_decided'), decided)
    const written = JSON.stringify(await mailsTo(service, colleague))
    assert.ok(!written.includes(approved.body.client_secret))
    assert.deepEqual(await subjects(stranger.email, 'application_decided'), [])
  })

  it('what is refused or rolled back mails nobody, and whoever switched them off gets none', async () => {
    const partner = await newPartner(service)
    const colleague = await colleagueOf(partner)
    await partner.browse('POST', '/application-requests', { name: 'Broken', redirect_uris: ['http://evil'] })
    assert.deepEqual(await subjects(colleague, 'application_requested'), [])
    await sql`update users set mails_off = '{applications}' where email = ${colleague}`
    const { body } = await partner.call('POST', '/application-requests', { name: 'Lamplighter', redirect_uris })
    assert.equal((await decide(body.id, 'refuse', { revision: 2, reason: 'x' })).status, 409)
    assert.deepEqual(await subjects(colleague, 'application_requested'), [])
    assert.deepEqual(await subjects(partner.email, 'application_requested'), ['Lamplighter was asked for'])
    assert.deepEqual(await subjects(partner.email, 'application_decided'), [])
  })
})
