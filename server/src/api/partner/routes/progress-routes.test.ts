import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { registerApplication } from '../../../../../test/support/applications.ts'
import { register, send } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { newPartner } from '../../../../../test/support/partners.ts'
import { createApiKey } from '../../../directory/api-keys.ts'

const service = await startHarness({ LANDBRIDGE_WEBHOOK_ALLOW: '127.0.0.1' })

describe('partner API: how far the integration is', () => {
  it('each step is done when there is what it asks for, whoever did it, and never by what another partner has', async () => {
    const partner = await newPartner(service)
    const other = await newPartner(service, { name: 'Other' })
    const done = async (of = partner) => {
      const { status, body } = await of.call('GET', '/progress')
      assert.equal(status, 200)
      return Object.keys(body).filter((step) => body[step])
    }
    assert.deepEqual(await done(), [])
    const model = (
      await partner.call('POST', '/models', { name: 'Meter', authentication_method: 'MAC & Serial Number' })
    ).body
    const device = await register(service, model)
    assert.deepEqual(await done(), ['model_added', 'device_registered'])
    await send(service, device, { status: 'online', telemetries: { power: 1 } })
    await partner.call('POST', '/webhooks', { url: 'http://127.0.0.1:1/hook', events: ['device.claimed'] })
    await service.sql`
      update devices set customer_id = ${partner.lab_customer_id}, claimed_at = now() where id = ${device.id}`
    assert.deepEqual(await done(), [
      'model_added',
      'device_registered',
      'telemetry_received',
      'device_claimed',
      'webhook_added',
    ])
    assert.deepEqual(await done(other), [])
  })

  it('an application counts once it is registered, and as approved once a customer approved it', async () => {
    const application = await registerApplication(service)
    const owner = { partner_id: application.partner_id }
    const { key } = await createApiKey(service.context, { kind: 'operator' }, owner, { name: 'Tests' })
    const read = async () =>
      (await service.app.inject({ url: '/core/v1/partner/progress', headers: { authorization: key } })).json()
    const before = await read()
    assert.deepEqual([before.application_registered, before.application_approved], [true, false])
    await service.sql`
      insert into approvals (client_id, customer_id, approved_at)
      values (${application.client_id}, ${application.customer_id}, now())`
    assert.equal((await read()).application_approved, true)
  })
})
