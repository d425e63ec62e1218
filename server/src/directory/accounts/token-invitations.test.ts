import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { revoke } from '../../../../test/support/applications.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { overlap } from '../../../../test/support/locks.ts'
import { createOrganization, type TestOrganization } from '../../../../test/support/organization.ts'
import { acceptInvitation } from './links.ts'

const service = await startHarness()
const { context, sql } = service
const newcomer = { name: 'Nia', password: 'a password of my own' }
const secretOf = (link: string) => link.slice(link.lastIndexOf('/') + 1)
let people = 0
const freshEmail = () => {
  people += 1
  return `new${people}@example.com`
}

describe('decision 6.10 an invitation created with a token or an API key', () => {
  const inviteWith = (organization: TestOrganization, credential: 'bearer' | 'api_key', email = freshEmail()) =>
    organization.call(credential, 'POST', '/invitations', { email, role: 'member' })
  const linkOf = async (organization: TestOrganization, id: string) =>
    secretOf((await organization.call('session', 'POST', `/invitations/${id}/link`)).body.link)

  it('has no link; an administrator creates it in the portal, and each new link replaces the one before', async () => {
    const organization = await createOrganization(service)
    for (const [credential, kind] of [
      ['bearer', 'application'],
      ['api_key', 'api_key'],
    ] as const) {
      const created = await inviteWith(organization, credential)
      assert.deepEqual([created.status, created.body.link, created.body.has_link], [201, null, false])
      assert.equal(created.body.made_by.kind, kind)
      const path = `/invitations/${created.body.id}/link`
      const refused = await organization.call(credential, 'POST', path)
      assert.deepEqual([refused.status, refused.body.code], [403, 'portal_session_required'])
      const first = await linkOf(organization, created.body.id)
      const second = await linkOf(organization, created.body.id)
      assert.deepEqual(await acceptInvitation(context, first, newcomer), { verdict: 'void' })
      assert.equal((await acceptInvitation(context, second, newcomer)).verdict, 'accepted')
      assert.equal((await organization.call('session', 'POST', path)).status, 404)
    }
  })

  it('does not replace an invitation from a person, nor one for an administrator', async () => {
    const organization = await createOrganization(service)
    const email = freshEmail()
    const own = (await organization.call('session', 'POST', '/invitations', { email, role: 'administrator' })).body
    for (const credential of ['bearer', 'api_key'] as const) {
      const again = await inviteWith(organization, credential, email.toUpperCase())
      assert.deepEqual([again.status, again.body.code], [409, 'already_invited'])
      const withdrawn = await organization.call(credential, 'DELETE', `/invitations/${own.id}`)
      assert.deepEqual([withdrawn.status, withdrawn.body.code], [403, 'administrators_protected'])
    }
    assert.equal((await acceptInvitation(context, secretOf(own.link), newcomer)).verdict, 'accepted')
  })

  const endings: [
    what: string,
    credential: 'bearer' | 'api_key',
    end: (organization: TestOrganization) => Promise<unknown>,
  ][] = [
    [
      'the API key is revoked',
      'api_key',
      async (organization) => {
        const [key] = (await organization.call('session', 'GET', '/api-keys')).body.items
        await organization.call('session', 'DELETE', `/api-keys/${key.id}`)
      },
    ],
    [
      'the application revokes its grant',
      'bearer',
      ({ application, headers }) => revoke(service, application, headers.bearer.authorization!.slice('Bearer '.length)),
    ],
    [
      'the approval is withdrawn',
      'bearer',
      async ({ application, call }) => {
        const { client_id, customer_id } = application
        await sql`
          insert into approvals (client_id, customer_id, approved_at) values (${client_id}, ${customer_id}, now())`
        await call('session', 'DELETE', `/connected-apps/${client_id}`)
      },
    ],
    [
      'the operator disables the application',
      'bearer',
      ({ application }) => service.operator('PATCH', `/applications/${application.client_id}`, { enabled: false }),
    ],
  ]
  for (const [what, credential, end] of endings) {
    it(`ends with its link when ${what}`, async () => {
      const organization = await createOrganization(service)
      const waiting = (await inviteWith(organization, credential)).body
      const handedOver = await linkOf(organization, (await inviteWith(organization, credential)).body.id)
      await end(organization)
      assert.deepEqual((await organization.call('session', 'GET', '/invitations')).body.items, [])
      assert.equal((await organization.call('session', 'POST', `/invitations/${waiting.id}/link`)).status, 404)
      assert.deepEqual(await acceptInvitation(context, handedOver, newcomer), { verdict: 'void' })
    })

    it(`is not created while ${what}`, async () => {
      const organization = await createOrganization(service)
      const [, invited] = await overlap(
        sql,
        () => end(organization),
        () => inviteWith(organization, credential),
      )
      // Disabling records its own event before it revokes the grants: the invitation may still come first, and ends then.
      if (!what.includes('disables')) {
        const challenge = credential === 'bearer' ? 'Bearer error="invalid_token"' : undefined
        assert.deepEqual([invited.status, invited.headers['www-authenticate']], [401, challenge])
      }
      assert.deepEqual((await organization.call('session', 'GET', '/invitations')).body.items, [])
    })

    it(`created just before ${what} ends with it`, async () => {
      const organization = await createOrganization(service)
      const [invited] = await overlap(
        sql,
        () => inviteWith(organization, credential),
        () => end(organization),
      )
      assert.equal(invited.status, 201)
      assert.deepEqual((await organization.call('session', 'GET', '/invitations')).body.items, [])
    })
  }
})
