import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startHarness, toTestResponse } from '../../../../test/support/harness.ts'
import { joinAlso } from '../../../../test/support/joining.ts'
import { sessionCookie, startSession } from '../accounts/sessions.ts'

const service = await startHarness()

describe('GET /core/v1/session', () => {
  it('returns who is signed in and their customers and partners; 401 without a session', async () => {
    const admin = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
    const { body: partner } = await service.operator('POST', '/partners', { name: 'Acme', portal_domain: null, admin })
    const { body: customer } = await service.operator('POST', '/customers', { partner_id: partner.id, name: 'Zenith' })
    await joinAlso(service, customer.id, admin.email, 'member')
    const boss = { name: 'Bo', email: 'bo@example.com', password: 'correct horse battery', role: 'administrator' }
    await service.operator('POST', `/customers/${customer.id}/users`, boss)

    const [user] = await service.sql`select id from users where email = ${admin.email}`
    const secret = await startSession(service.context, service.sql, { user_id: user!.id, host: 'localhost' })
    const cookie = sessionCookie(service.context, secret!).split(';')[0]!
    const { status, body, headers } = toTestResponse(
      await service.app.inject({ url: '/core/v1/session', headers: { cookie } }),
    )
    assert.equal(status, 200)
    assert.equal(headers['cache-control'], 'no-store')
    assert.deepEqual(body, {
      user: { id: user!.id, name: 'Ada', email: 'ada@example.com' },
      customers: [
        {
          id: customer.id,
          name: 'Zenith',
          lab: false,
          role: 'member',
          can_view_devices: false,
          can_open_portal: false,
          administrators: [{ name: 'Bo', email: 'bo@example.com' }],
          second_factor: null,
        },
        {
          id: partner.lab.customer_id,
          name: 'Acme (test tenant)',
          lab: true,
          role: 'administrator',
          can_view_devices: false,
          can_open_portal: true,
          administrators: [],
          second_factor: null,
        },
      ],
      partners: [{ id: partner.id, name: 'Acme' }],
    })

    const signedOut = toTestResponse(await service.app.inject({ url: '/core/v1/session' }))
    assert.deepEqual([signedOut.status, signedOut.body], [401, { error: 'Not authorized' }])
  })
})
