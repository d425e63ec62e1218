import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newModel, post, register, registration, send } from '../devices/testing.ts'
import { createApiKey } from '../directory/api-keys.ts'
import { connect, exchange, openCode, postForm, refresh, registerApplication } from '../testing/applications.ts'
import { answer, startHarness } from '../testing/harness.ts'

const service = await startHarness()
const application = await registerApplication(service)

async function logOf(partnerId: string, query = ''): Promise<Record<string, string>[]> {
  await service.context.failures.settled()
  const { key } = await createApiKey(service.context, { kind: 'operator' }, { partner_id: partnerId }, 'log')
  const url = `/core/v1/partner/integration-log?limit=100${query}`
  const { status, body } = answer(await service.app.inject({ url, headers: { authorization: key } }))
  assert.equal(status, 200)
  return body.items
}

describe('integration log: why invalid_grant?', () => {
  it('each cause of 7.3 is told apart to the partner, though the client got the same word', async () => {
    const used = await openCode(service, application)
    await exchange(service, application, used)
    await exchange(service, application, used)
    const late = await openCode(service, application)
    service.clock.forward(61)
    await exchange(service, application, late)
    const wrong = await openCode(service, application)
    await exchange(service, application, { ...wrong, code_verifier: 'x'.repeat(43) })
    await exchange(service, application, { ...wrong, redirect_uri: 'https://app.example.com/other' })
    const tokens = await connect(service, application)
    await refresh(service, application, tokens.refresh_token)
    await refresh(service, application, tokens.refresh_token)
    const log = await logOf(application.partner_id, '&error=invalid_grant')
    const expected = ['code_used', 'code_expired', 'verifier_mismatch', 'redirect_uri_differs', 'refresh_rotated_retry']
    assert.deepEqual(new Set(log.map(({ reason }) => reason)), new Set(expected))
    for (const entry of log) {
      assert.equal(entry.application_id, application.client_id)
      assert.ok(entry.advice!.length > 20)
    }
  })

  it('the request id is the one the client got with the answer', async () => {
    const reply = await postForm(service, '/oauth/token', {
      grant_type: 'password',
      client_id: application.client_id,
      client_secret: application.client_secret,
    })
    const requestId = String(reply.headers['x-request-id'])
    const [entry, ...others] = await logOf(application.partner_id, `&request_id=${requestId}`)
    assert.equal(others.length, 0)
    assert.equal(entry?.reason, 'grant_type_unsupported')
    assert.equal(entry?.error, reply.body.error)
    assert.equal(entry?.description, reply.body.error_description)
  })

  it('a redirect URI that is not registered is told at the authorization endpoint', async () => {
    const query = new URLSearchParams({ client_id: application.client_id, redirect_uri: 'https://evil.test/' })
    await service.app.inject({ url: `/oauth/authorize?${query}` })
    const [entry] = await logOf(application.partner_id, '&endpoint=authorize')
    assert.equal(entry?.reason, 'redirect_uri_not_registered')
  })
})

describe('integration log: devices', () => {
  it('a model’s refused registrations and messages, each with its reason', async () => {
    const model = await newModel(service)
    await post(service, '/v1/devices', registration({ ...model, hardware_key: 'wrong' }))
    await post(service, '/v1/devices', { ...registration(model), firmware_version: 'one' })
    const device = await register(service, model)
    const hello = { status: 'online', telemetries: { temperature: 21 } }
    await send(service, device, hello)
    await send(service, { ...device, access_key: 'wrong' }, hello)
    await send(service, device, { status: 'online', telemetries: { nested: {} } })
    const mass = [{ id: device.id, access_key: 'wrong', ...hello }]
    await post(service, '/v1/devices/telemetry', { devices: mass })
    const log = await logOf(model.partner_id, `&model_id=${model.id}`)
    const seen = log.map(({ endpoint, status, reason }) => `${endpoint} ${status} ${reason}`)
    assert.deepEqual(seen.toSorted(), [
      'mass_telemetry 401 access_key_wrong',
      'registration 401 hardware_key_wrong',
      'registration 422 fields_invalid',
      'telemetry 401 access_key_wrong',
      'telemetry 422 telemetry_invalid',
    ])
    assert.deepEqual(await logOf(application.partner_id, `&model_id=${model.id}`), [])
  })
})
