import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMac, newModel, register, send } from '../../../../../test/support/devices.ts'
import { startHarness } from '../../../../../test/support/harness.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'

const service = await startHarness()

describe('GET /core/v1/organization/devices/counts', () => {
  it("counts the customer's own devices by status, and neither another's nor a removed one", async () => {
    const model = await newModel(service, 'Room sensor')
    const [organization, other] = [await createOrganization(service), await createOrganization(service)]
    const claim = async (owner: typeof organization) => {
      const mac = newMac()
      const credentials = await register(service, model, { mac, sn: `SN-${mac}` })
      await owner.call('session', 'POST', '/devices/claim', { mac, sn: `SN-${mac}`, model_id: model.id })
      return credentials
    }
    const [online, failing, removed] = [await claim(organization), await claim(organization), await claim(organization)]
    await claim(organization)
    await send(service, await claim(other), { status: 'online', telemetries: {} })
    await send(service, online, { status: 'online', telemetries: {} })
    await send(service, failing, { status: 'error', telemetries: {} })
    await organization.call('session', 'DELETE', `/devices/${removed.id}`)
    const { status, body } = await organization.call('session', 'GET', '/devices/counts')
    assert.equal(status, 200)
    assert.deepEqual(body, { never_seen: 1, online: 1, offline: 0, error: 1 })
  })
})
