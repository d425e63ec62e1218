import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMac, register } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { createOrganization } from '../../../../test/support/organization.ts'
import { newPartner } from '../../../../test/support/partners.ts'

const service = await startHarness()
const organization = await createOrganization(service)
const partner = await newPartner(service)
const { body: model } = await partner.call('POST', '/models', {
  name: 'Sensor',
  authentication_method: 'MAC & Serial Number',
})
const mac = newMac()
const { id } = await register(service, model, { mac, sn: mac })
await organization.call('session', 'POST', '/devices/claim', { mac, sn: mac, model_id: model.id })

const apis = {
  organization: (path: string) => organization.call('api_key', 'GET', path),
  partner: (path: string) => partner.call('GET', path),
}

for (const [api, get] of Object.entries(apis)) {
  describe(`${api} API: history`, () => {
    const refused: [string, string][] = [
      ['from=2016-12-31T23:59:60Z', 'from'],
      ['from=2026-03-01T12:00:00%2B01', 'from'],
      ['to=0000-01-01T00:00:00Z', 'to'],
      ['to=9999-12-31T23:59:59-01:00', 'to'],
      ['from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
    ]
    for (const [query, field] of refused) {
      it(`?${query} → 422 that names ${field}`, async () => {
        for (const view of ['history', 'history.csv', 'series']) {
          const { status, body } = await get(`/devices/${id}/${view}?keys=a&${query}`)
          assert.deepEqual([status, body.code, body.details?.[0].field], [422, 'invalid', field], view)
        }
      })
    }

    it('?after= that no page gave → 422', async () => {
      for (const after of ['x', '1.', '999999999999999.0', '9999999999999999.0']) {
        const { status, body } = await get(`/devices/${id}/history?after=${after}`)
        assert.deepEqual([status, body.details?.[0].field], [422, 'after'], after)
      }
    })

    it('the first and the last instant there are → 200', async () => {
      for (const view of ['history', 'history.csv', 'series']) {
        const query = 'keys=a&from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z'
        assert.equal((await get(`/devices/${id}/${view}?${query}`)).status, 200, view)
      }
      assert.equal((await get(`/devices/${id}/history?to=0001-01-01T00:00:00Z`)).status, 200)
    })
  })
}
