import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  approveFor,
  connect,
  exchange,
  openCode,
  postForm,
  refresh,
  registerApplication,
  revoke,
  type TestApplication,
} from '../../../../../test/support/applications.ts'
import { newModel, post, register, registration, send } from '../../../../../test/support/devices.ts'
import { startHarness, toTestResponse } from '../../../../../test/support/harness.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'
import { specLimits } from '../../../authorization/spec-limits.ts'
import { reasonOfCode } from '../../../devices/telemetry/recorded-refusals.ts'
import { createApiKey } from '../../../directory/api-keys.ts'
import { refusalCodes } from '../../../openapi/refusal-codes.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'
import { mintSecret } from '../../../platform/secrets/secrets.ts'

const service = await startHarness()
const application = await registerApplication(service)

async function logOf(partnerId: string, query = ''): Promise<Record<string, string>[]> {
  await service.context.integrationLog.flush()
  const { key } = await createApiKey(service.context, { kind: 'operator' }, { partner_id: partnerId }, { name: 'log' })
  const url = `/core/v1/partner/integration-log?limit=100${query}`
  const { status, body } = toTestResponse(await service.app.inject({ url, headers: { authorization: key } }))
  assert.equal(status, 200)
  return body.items
}

describe('integration log: why invalid_grant?', () => {
  it('7.3 each cause has its own reason in the log, though the client got the same error', async () => {
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

  it('the request id is the one in the response', async () => {
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

  it('a redirect URI that is not registered is logged for the authorization endpoint, as it was received', async () => {
    const query = new URLSearchParams({ client_id: application.client_id, redirect_uri: 'https://evil.test/' })
    await service.app.inject({ url: `/oauth/authorize?${query}` })
    const [entry] = await logOf(application.partner_id, '&endpoint=authorize')
    assert.equal(entry?.reason, 'redirect_uri_not_registered')
    assert.equal(entry?.detail, 'redirect_uri=https://evil.test/')
  })
})

describe('integration log: why 401?', () => {
  const ask = (token: string, path = '/core/v1/organization/users') =>
    service.app.inject({ url: path, headers: { authorization: `Bearer ${token}` } })

  for (const [reason, end] of [
    ['token_expired', () => service.clock.forward(3_601)],
    ['grant_revoked', (own: TestApplication, token: string) => revoke(service, own, token)],
    [
      'application_disabled',
      (own: TestApplication) => service.operator('PATCH', `/applications/${own.client_id}`, { enabled: false }),
    ],
  ] as const) {
    it(`${reason} is logged for the organization API and userinfo, though the client got the same error`, async () => {
      const own = await registerApplication(service)
      const { access_token } = await connect(service, own)
      await end(own, access_token)
      const requestIds = [await ask(access_token), await ask(access_token, '/oauth/userinfo')].map((reply) => {
        assert.equal(reply.statusCode, 401)
        return reply.headers['x-request-id']
      })
      const log = await logOf(own.partner_id, `&error=invalid_token`)
      const seen = log.map((entry) => [entry.endpoint, entry.reason, entry.request_id, entry.application_id])
      assert.deepEqual(seen.toSorted(), [
        ['organization', reason, requestIds[0], own.client_id],
        ['userinfo', reason, requestIds[1], own.client_id],
      ])
    })
  }

  it('a token that was never issued is in nobody’s log', async () => {
    const entries = async () => {
      await service.context.integrationLog.flush()
      return (await service.sql`select count(*)::int as count from integration_failures`)[0]!.count
    }
    const before = await entries()
    assert.equal((await ask(mintSecret('access_token'))).statusCode, 401)
    assert.equal(await entries(), before)
  })
})

describe('integration log: the organization API', () => {
  it('1.5 what an application was refused is logged by code and route, without the customer’s data', async () => {
    const { application: own, call } = await createOrganization(service)
    await call('bearer', 'POST', '/groups', { name: 'Night shift' })
    await call('bearer', 'POST', '/groups', { name: 'Night shift' })
    await call('bearer', 'POST', '/groups', {})
    await call('bearer', 'GET', `/users/${newId()}`)
    await call('api_key', 'GET', `/users/${newId()}`)
    const log = await logOf(own.partner_id, '&endpoint=organization')
    const seen = log.map(({ status, error, reason, description }) => `${status} ${error} ${reason}, ${description}`)
    assert.deepEqual(seen.toSorted(), [
      '404 not_found organization_refused, GET /core/v1/organization/users/:id',
      '409 name_taken organization_refused, POST /core/v1/organization/groups',
      '422 invalid organization_refused, POST /core/v1/organization/groups',
    ])
    assert.ok(!JSON.stringify(log).includes('Night shift'))
  })

  it('decision 6.48: what a narrowed application lacks is named', async () => {
    const { application: own, call } = await createOrganization(service)
    const permissions = { devices: 'read', spaces: 'none', people: 'none', audit: 'none' }
    await approveFor(service, own, { permissions })
    assert.equal((await call('bearer', 'PATCH', `/devices/${newId()}`, { name: 'Lobby' })).status, 403)
    const [entry] = await logOf(own.partner_id, '&endpoint=organization')
    const { status, error, reason, description, advice } = entry!
    assert.deepEqual([status, error, reason], [403, 'not_approved', 'not_approved'])
    assert.equal(description, 'PATCH /core/v1/organization/devices/:id needs devices: manage')
    assert.match(advice!, /Connected apps/)
  })

  it('7.3 a client over its limit → rate_limited', async () => {
    const own = await registerApplication(service)
    const form = { grant_type: 'x', client_id: own.client_id, client_secret: own.client_secret }
    const { tokenRequestsPerClient: max } = specLimits
    for (let n = 0; n <= max; n += 1) {
      const { status } = await postForm(service, '/oauth/token', form)
      assert.equal(status, n < max ? 400 : 429)
    }
    const [entry] = await logOf(own.partner_id, '&error=Too%20many%20requests')
    assert.deepEqual([entry?.reason, entry?.endpoint, entry?.status], ['rate_limited', 'token', 429])
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

  it('a body that cannot be read, of a known device or model, is found by its request id, with advice of its own', async () => {
    const model = await newModel(service)
    const device = await register(service, model)
    const url = `/v1/devices/${device.id}/telemetry`
    const key = { authorization: device.access_key }
    const halfRegistration = JSON.stringify(registration(model)).replace(',', '')
    const refused = [
      await post(service, url, '{"status": "online" "telemetries": {}}', key),
      await post(service, url, `{"x": "${'x'.repeat(140_000)}"}`, key),
      await post(service, url, 'status=online', { ...key, 'content-type': 'text/plain' }),
      await post(service, url, '{}', { ...key, 'content-encoding': 'gzip' }),
      await post(service, '/v1/devices', halfRegistration),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [400, 413, 415, 415, 400],
    )
    const log = await logOf(model.partner_id, `&model_id=${model.id}`)
    const reasons = ['body_not_json', 'message_too_large', 'body_not_json', 'body_compressed', 'body_not_json']
    for (const [index, { headers }] of refused.entries()) {
      const entry = log.find(({ request_id }) => request_id === headers['x-request-id'])
      assert.equal(entry?.reason, reasons[index], JSON.stringify(log))
    }
  })

  it('every code of the device endpoints has a reason of its own, and so an advice', async () => {
    const { body: document } = toTestResponse(await service.app.inject({ url: '/openapi.json' }))
    const device = ['/v1/devices', '/v1/devices/{id}/telemetry', '/v1/devices/telemetry']
    // What many operations share is written once.
    const whole = (response: { $ref?: string }) =>
      response.$ref ? document.components.responses[response.$ref.split('/').at(-1)!] : response
    const responses = device.flatMap((path) => Object.values<object>(document.paths[path].post.responses))
    const text = JSON.stringify(responses.map(whole))
    const codes = Object.keys(refusalCodes).filter((code) => text.includes(`\`${code}\``) || text.includes(`"${code}"`))
    assert.ok(codes.length >= 10, codes.join())
    for (const code of codes) assert.ok(code in reasonOfCode, `${code} has no advice of its own`)
  })

  it('4.2 a client whose body is no form is known by its Basic credentials', async () => {
    const { client_id, client_secret } = application
    const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
    const { status, headers } = await post(service, '/oauth/token', { grant_type: 'refresh_token' }, { authorization })
    assert.equal(status, 400)
    const log = await logOf(application.partner_id, `&request_id=${headers['x-request-id']}`)
    assert.deepEqual(
      log.map(({ reason }) => reason),
      ['body_not_form'],
    )
  })

  it('U+0000 in a field’s name loses no entry', async () => {
    const model = await newModel(service)
    const device = await register(service, model)
    await post(service, '/v1/devices', { ...registration(model), 'a\0b': 1 })
    await send(service, device, { status: 'online', telemetries: { 'a\0b': 1 } })
    const log = await logOf(model.partner_id, `&model_id=${model.id}`)
    assert.equal(log.length, 2)
    for (const { description } of log) assert.match(description!, /a\ufffdb/)
  })
})
