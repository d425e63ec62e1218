import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openCode, postForm, refresh, registerApplication } from '../../../../../test/support/applications.ts'
import { newModel, online, post, register, registration, send } from '../../../../../test/support/devices.ts'
import { startHarness, type TestResponse, toTestResponse } from '../../../../../test/support/harness.ts'
import { createOrganization } from '../../../../../test/support/organization.ts'
import { specLimits } from '../../../authorization/spec-limits.ts'
import { removeDevice } from '../../../devices/registry/devices.ts'
import { refusalCodes } from '../../../openapi/refusal-codes.ts'
import { ownLimits } from '../../../platform/own-limits.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { newId } from '../../../platform/secrets/identifiers.ts'

// Every way to be refused by a route that a partner's applications and devices call, where the caller is known.

const service = await startHarness({ LANDBRIDGE_REGISTRATIONS_PER_KEY: '20' })
const { context, sql, clock } = service
const model = await newModel(service)
const own = { partner_id: model.partner_id }
const operator = { kind: 'operator' } as const
const identity = { mac: '00:1a:2b:3c:4d:5e', sn: 'known' }
const device = await register(service, model, identity)
assert.equal((await send(service, device, online({ n: 1 }))).status, 200)

const register400 = JSON.stringify(registration(model)).replace(',', '')
const from = async (remoteAddress: string, url: string, payload: object | string, headers = {}) =>
  toTestResponse(await service.app.inject({ method: 'POST', url, payload, remoteAddress, headers }))

/** With a part of the process as it is when there is trouble. */
async function during<Part extends object, Name extends keyof Part>(
  part: Part,
  name: Name,
  value: Part[Name],
  work: () => Promise<TestResponse>,
): Promise<TestResponse> {
  const before = part[name]
  part[name] = value
  try {
    return await work()
  } finally {
    part[name] = before
  }
}

async function removed(): Promise<TestResponse> {
  const gone = await register(service, model)
  await removeDevice(context, operator, own, gone.id)
  return await send(service, gone, online({}))
}

const telemetryUrl = `/v1/devices/${device.id}/telemetry`
const key = { authorization: device.access_key }
const mass = (entry: object) => post(service, '/v1/devices/telemetry', { devices: [{ ...device, ...entry }] })
const entryOf = (call: Promise<TestResponse>) =>
  call.then((reply) => ({ ...reply, ...reply.body.results[0], body: reply.body.results[0] }))

type Row = [code: string, reason: string, attempt: () => Promise<TestResponse>]

const devices: Row[] = [
  ['malformed_json', 'body_not_json', () => post(service, '/v1/devices', register400)],
  [
    'invalid_hardware_key',
    'hardware_key_wrong',
    () => post(service, '/v1/devices', registration(model, { hardware_key: 'x' })),
  ],
  ['already_registered', 'already_registered', () => post(service, '/v1/devices', registration(model, identity))],
  ['mac_taken', 'identity_taken', () => post(service, '/v1/devices', registration(model, { mac: identity.mac }))],
  ['sn_taken', 'identity_taken', () => post(service, '/v1/devices', registration(model, { sn: identity.sn }))],
  ['invalid', 'fields_invalid', () => post(service, '/v1/devices', registration(model, { firmware_version: 'x' }))],
  ['too_many_requests', 'registrations_of_key_limited', registerTooMany],
  ['too_many_requests', 'registrations_limited', guessTooOften],
  ['malformed_json', 'body_not_json', () => post(service, telemetryUrl, '{"status"', key)],
  ['invalid_access_key', 'access_key_wrong', () => post(service, telemetryUrl, online({}), { authorization: 'x' })],
  ['device_removed', 'device_removed', removed],
  ['too_large', 'message_too_large', () => post(service, telemetryUrl, `"${'x'.repeat(140_000)}"`, key)],
  [
    'unsupported_media_type',
    'body_not_json',
    () => post(service, telemetryUrl, 'x', { ...key, 'content-type': 'text/plain' }),
  ],
  [
    'unsupported_content_encoding',
    'body_compressed',
    () => post(service, telemetryUrl, '{}', { ...key, 'content-encoding': 'gzip' }),
  ],
  ['invalid', 'telemetry_invalid', () => post(service, telemetryUrl, { status: 'x' }, key)],
  [
    'storage_full',
    'storage_full',
    () =>
      during(
        context.disk,
        'isFull',
        () => true,
        () => send(service, device, online({})),
      ),
  ],
  [
    'overloaded',
    'overloaded',
    () =>
      during(
        context.telemetry.queue,
        'hasRoom',
        () => false,
        () => send(service, device, online({})),
      ),
  ],
  // Before the body is read, but the address names the device.
  [
    'clock_wrong',
    'unavailable',
    () => during(clock, 'problem', 'The clock is wrong.', () => send(service, device, online({}))),
  ],
  ['invalid_access_key', 'access_key_wrong', () => entryOf(mass({ access_key: 'x', ...online({}) }))],
  ['invalid', 'telemetry_invalid', () => entryOf(mass({ status: 'x' }))],
  [
    'invalid',
    'telemetry_invalid',
    () => post(service, '/v1/devices/telemetry', { devices: Array(1_001).fill({ ...device, ...online({}) }) }),
  ],
  [
    'overloaded',
    'overloaded',
    () =>
      during(
        context.telemetry.queue,
        'hasRoom',
        (count) => count === 1,
        () =>
          post(service, '/v1/devices/telemetry', {
            devices: [device, device].map((one) => ({ ...one, ...online({}) })),
          }),
      ),
  ],
]

async function registerTooMany(): Promise<TestResponse> {
  for (;;) {
    const reply = await post(service, '/v1/devices', registration(model))
    if (reply.status === 201) continue
    clock.forward(61)
    return reply
  }
}

async function guessTooOften(): Promise<TestResponse> {
  const guess = () => from('192.0.2.7', '/v1/devices', registration(model, { hardware_key: 'x' }))
  for (let n = 0; n < ownLimits.refusedRegistrationsPerAddressAndModel; n += 1)
    assert.equal((await guess()).status, 401)
  return await guess()
}

/** No partner can be named, there is no database to write to, or another test has it. */
const elsewhere: Record<string, string> = {
  not_found: 'of an id that no device has',
  unavailable: 'the log is in the database that cannot be reached',
  unknown_outcome: 'unknown-outcome.test.ts',
  device_moved: 'hub-cells.test.ts',
  internal: 'no request is known to cause it',
}

async function found(partnerId: string, { headers }: TestResponse): Promise<Record<string, unknown>[]> {
  await context.integrationLog.flush()
  const rows = await sql`
    select status, error, reason from integration_failures
    where partner_id = ${partnerId} and request_id = ${String(headers['x-request-id'])}`
  return rows.map((row) => ({ ...row }))
}

const openApi = async () => toTestResponse(await service.app.inject({ url: '/openapi.json' })).body

describe('integration log: every refusal of a known caller is found by its request id', () => {
  for (const [index, [code, reason, attempt]] of devices.entries()) {
    it(`device routes, row ${index + 1}: ${code}, ${reason}`, async () => {
      const reply = await attempt()
      assert.equal(reply.body.code, code, JSON.stringify(reply.body))
      assert.deepEqual(await found(model.partner_id, reply), [{ status: reply.status, error: code, reason }])
    })
  }

  it('device routes: no code is missing above', async () => {
    const { paths, components } = await openApi()
    const routes = ['/v1/devices', '/v1/devices/{id}/telemetry', '/v1/devices/telemetry']
    // What many operations share is written once.
    const whole = (response: { $ref?: string }) =>
      response.$ref ? components.responses[response.$ref.split('/').at(-1)!] : response
    const responses = routes.flatMap((path) => Object.values<object>(paths[path].post.responses))
    const text = JSON.stringify(responses.map(whole))
    const declared = Object.keys(refusalCodes).filter(
      (code) => text.includes(`\`${code}\``) || text.includes(`"${code}"`),
    )
    const tried = new Set([...devices.map(([code]) => code), ...Object.keys(elsewhere)])
    assert.ok(declared.length >= 10, declared.join())
    assert.deepEqual(
      declared.filter((code) => !tried.has(code)),
      [],
    )
  })

  it('token and revocation: every error, also over the limit of the address, with the credentials in header or body', async () => {
    const application = await registerApplication(service)
    const { client_id, client_secret, partner_id } = application
    const credentials = { client_id, client_secret }
    const basic = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
    const code = await openCode(service, application)
    const exchange = { grant_type: 'authorization_code', ...credentials, ...code }
    const token = (form: Record<string, string>, headers = {}) => postForm(service, '/oauth/token', form, headers)
    const rows: [status: number, error: string, reason: string, reply: TestResponse][] = [
      [400, 'unsupported_grant_type', 'grant_type_unsupported', await token({ grant_type: 'x', ...credentials })],
      [400, 'invalid_request', 'parameter_missing', await token({ grant_type: 'refresh_token', ...credentials })],
      [
        401,
        'invalid_client',
        'secret_wrong',
        await token({ grant_type: 'refresh_token', refresh_token: 'x', client_id, client_secret: 'x' }),
      ],
      [400, 'invalid_grant', 'refresh_unknown', await refresh(service, application, 'x')],
      [400, 'invalid_grant', 'verifier_mismatch', await token({ ...exchange, code_verifier: 'x'.repeat(43) })],
      [400, 'invalid_request', 'parameter_missing', await postForm(service, '/oauth/revoke', credentials)],
      [
        401,
        'invalid_client',
        'secret_wrong',
        await postForm(service, '/oauth/revoke', { token: 'x', client_id, client_secret: 'x' }),
      ],
      [400, 'invalid_request', 'body_not_form', await post(service, '/oauth/token', { a: 1 }, basic)],
    ]
    const form = new URLSearchParams({ grant_type: 'x', token: 'x', ...credentials }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const [path, max, address] of [
      ['token', specLimits.tokenRequestsPerAddress, '192.0.2.8'],
      ['revoke', specLimits.revocationRequestsPerAddress, '192.0.2.9'],
    ] as const) {
      for (let n = 0; n < max; n += 1) await from(address, `/oauth/${path}`, form, type)
      const limited = await from(address, `/oauth/${path}`, form, type)
      rows.push([429, 'Too many requests', 'rate_limited', limited])
      // Whatever else is wrong with it.
      const json = await from(address, `/oauth/${path}`, { a: 1 }, basic)
      rows.push([429, 'Too many requests', 'rate_limited', json])
      for (const { body } of [limited, json]) assert.deepEqual(body, { error: 'Too many requests' })
    }
    for (const [status, error, reason, reply] of rows) {
      assert.equal(reply.status, status, JSON.stringify(reply.body))
      assert.deepEqual(await found(partner_id, reply), [{ status, error, reason }])
    }
  })

  it('organization API: every status that it declares', async () => {
    const { application, call, headers } = await createOrganization(service)
    const bearer = headers.bearer
    const url = '/core/v1/organization'
    const group = await call('bearer', 'POST', '/groups', { name: 'Night shift' })
    const claim = { mac: identity.mac, sn: 'x', model_id: model.id }
    const claimTooOften = async () => {
      for (;;) {
        const reply = await call('bearer', 'POST', '/devices/claim', claim)
        if (reply.status !== 422) return reply
      }
    }
    const unavailable = new Refusal(503, 'unavailable', 'The database cannot be reached.')
    const rows: [status: number, attempt: () => Promise<TestResponse>][] = [
      [400, () => post(service, `${url}/groups`, '{"name"', bearer)],
      [403, () => call('bearer', 'GET', '/api-keys')],
      [404, () => call('bearer', 'GET', `/users/${newId()}`)],
      [404, () => call('bearer', 'GET', '/nothing')],
      [409, () => call('bearer', 'POST', '/groups', { name: 'Night shift' })],
      [412, () => call('bearer', 'PATCH', `/groups/${group.body.id}`, { name: 'Day' }, { 'if-match': '"x"' })],
      [413, () => post(service, `${url}/groups`, `"${'x'.repeat(300_000)}"`, bearer)],
      [415, () => post(service, `${url}/groups`, 'x', { ...bearer, 'content-type': 'text/plain' })],
      [422, () => call('bearer', 'POST', '/groups', {})],
      [429, claimTooOften],
      [
        500,
        () =>
          during(
            context,
            'now',
            () => {
              throw new Error('failed')
            },
            () => call('bearer', 'POST', '/groups', { name: 'X' }),
          ),
      ],
      [
        503,
        () =>
          during(
            context,
            'now',
            () => {
              throw unavailable
            },
            () => call('bearer', 'POST', '/groups', { name: 'X' }),
          ),
      ],
    ]
    const { paths } = await openApi()
    const declared = new Set(
      Object.keys(paths)
        .filter((path) => path.startsWith(url))
        .flatMap((path) =>
          Object.values<{ responses: object }>(paths[path]).flatMap(({ responses }) => Object.keys(responses ?? {})),
        ),
    )
    // An ended token, 401, is in integration-log-routes.test.ts with each of its reasons.
    const tried = new Set([...rows.map(([status]) => String(status)), '401'])
    assert.deepEqual(
      [...declared].filter((status) => Number(status) >= 400 && !tried.has(status)),
      [],
    )
    for (const [status, attempt] of rows) {
      const reply = await attempt()
      assert.equal(reply.status, status, JSON.stringify(reply.body))
      const entries = await found(application.partner_id, reply)
      assert.deepEqual(
        entries.map((entry) => [entry.status, entry.error]),
        [[status, reply.body.code]],
      )
    }
  })
})
