import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newMac, newModel, post, register, registration, send } from '../../../../test/support/devices.ts'
import { startHarness, toTestResponse } from '../../../../test/support/harness.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { until } from '../../../../test/support/until.ts'
import { ownLimits } from '../../platform/own-limits.ts'
import { newId } from '../../platform/secrets/identifiers.ts'
import { addHardwareKey, listHardwareKeys, revokeHardwareKey } from '../registry/hardware-keys.ts'

const service = await startHarness()
const model = await newModel(service)
const operator = { kind: 'operator' } as const
const hello = { status: 'online', telemetries: { temperature: 21.5 } }

describe('4.7 register device', () => {
  it('2.5 returns the device id, its access key and the three addresses', async () => {
    const { status, body } = await post(service, '/v1/devices', registration(model))
    assert.equal(status, 201)
    assert.match(body.id, /^[0-9a-f-]{36}$/)
    assert.match(body.access_key, /^lbd_/)
    const { id, access_key, ...addresses } = body
    assert.deepEqual(addresses, {
      hub_url: 'http://landbridge.test',
      hub_url_static_cert: 'https://landbridge.test:8443',
      mqtt_hub_url: 'mqtts://landbridge.test:8883',
    })
    assert.equal((await send(service, { id, access_key }, hello)).status, 200)
  })

  it('unknown model, wrong key, revoked key and another model’s key are the same 401 (decision 7.2)', async () => {
    const other = await newModel(service)
    const revoked = await addHardwareKey(service.context, operator, model.partner_id, model.id)
    await revokeHardwareKey(service.context, operator, model.partner_id, model.id, revoked.id)
    const attempts = [
      { device_model: '00000000-0000-7000-8000-000000000000' },
      { device_model: 'nonsense' },
      { hardware_key: 'lbh_nonsense' },
      { hardware_key: other.hardware_key },
      { hardware_key: revoked.hardware_key },
    ]
    const responses = await Promise.all(
      attempts.map((change) => post(service, '/v1/devices', registration(model, change))),
    )
    for (const { status, body } of responses) {
      assert.equal(status, 401)
      assert.equal(body.code, 'invalid_hardware_key')
      assert.deepEqual(body, responses[0]!.body)
    }
  })

  it('a hardware key that is revoked while the device registers → 401, and the device is not stored', async () => {
    const { sql, context } = service
    const { id, hardware_key } = await addHardwareKey(context, operator, model.partner_id, model.id)
    const body = registration(model, { hardware_key })
    const release = await holdLocks(sql, (hold) => hold`update hardware_keys set revoked_at = now() where id = ${id}`)
    const pending = post(service, '/v1/devices', body)
    await untilWaiting(sql)
    await release()
    const refused = await pending
    assert.deepEqual([refused.status, refused.body.code], [401, 'invalid_hardware_key'])
    assert.equal((await post(service, '/v1/devices', { ...body, hardware_key: model.hardware_key })).status, 201)
    assert.equal((await sql`select from audit_events where type = 'device.registered_again'`).length, 0)
  })

  it('every bad field is named', async () => {
    const bad = { mac: '00-11-22-33-44-55', sn: '', firmware_version: '1.02.3', colour: 'red', hardware_key: 7 }
    const { status, body } = await post(service, '/v1/devices', {
      ...registration(model, bad),
      device_model: undefined,
    })
    assert.equal(status, 422)
    const fields = body.details.map(({ field }: { field: string }) => field)
    assert.deepEqual(fields.toSorted(), ['colour', 'device_model', 'firmware_version', 'hardware_key', 'mac', 'sn'])
    assert.match(body.error, /mac must be six hexadecimal pairs .* such as 00:1a:2b:3c:4d:5e/)
  })

  it('a MAC is the same in either case', async () => {
    const mac = newMac()
    const first = await register(service, model, { mac: mac.toUpperCase(), sn: 'case' })
    const second = await register(service, model, { mac, sn: 'case' })
    assert.equal(second.id, first.id)
  })

  it('before its first use of the key a device may register again: same id, new key, and the old key is refused', async () => {
    const identity = { mac: newMac(), sn: 'again' }
    const first = await register(service, model, identity)
    const second = await register(service, model, identity)
    assert.equal(second.id, first.id)
    assert.equal((await send(service, first, hello)).status, 401)
    assert.equal((await send(service, second, hello)).status, 200)
  })

  it('after its first use: 409 already_registered, and the key still works', async () => {
    const identity = { mac: newMac(), sn: 'used' }
    const device = await register(service, model, identity)
    await send(service, device, hello)
    const { status, body } = await post(service, '/v1/devices', registration(model, identity))
    assert.deepEqual([status, body.code], [409, 'already_registered'])
    assert.equal((await send(service, device, hello)).status, 200)
  })

  it('a MAC or serial number of another device of the model is a 409; of another model it is free', async () => {
    const identity = { mac: newMac(), sn: 'taken' }
    await register(service, model, identity)
    const mac = await post(service, '/v1/devices', registration(model, { mac: identity.mac }))
    assert.deepEqual([mac.status, mac.body.code], [409, 'mac_taken'])
    const sn = await post(service, '/v1/devices', registration(model, { sn: identity.sn }))
    assert.deepEqual([sn.status, sn.body.code], [409, 'sn_taken'])
    assert.equal((await post(service, '/v1/devices', registration(await newModel(service), identity))).status, 201)
  })

  it('100 simultaneous registrations of one device → one device, and exactly one of the keys works', async () => {
    const identity = { mac: newMac(), sn: 'crowd' }
    const responses = await Promise.all(
      Array.from({ length: 100 }, () => post(service, '/v1/devices', registration(model, identity))),
    )
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [201])
    assert.equal(new Set(responses.map(({ body }) => body.id)).size, 1)
    const statuses = await Promise.all(responses.map(async ({ body }) => (await send(service, body, hello)).status))
    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.equal(statuses.filter((status) => status === 401).length, 99)
    const [row] = await service.sql`select count(*)::int as count from devices where sn = 'crowd'`
    assert.equal(row!.count, 1)
  })

  it('2.4 hardware keys are listed in order, can be read again, and count their uses', async () => {
    const fresh = await newModel(service)
    const second = await addHardwareKey(service.context, operator, fresh.partner_id, fresh.id)
    await register(service, fresh)
    await register(service, { ...fresh, hardware_key: second.hardware_key })
    await register(service, { ...fresh, hardware_key: second.hardware_key })
    const list = () => listHardwareKeys(service.context, fresh.partner_id, fresh.id)
    await until(async () => (await list()).at(-1)!.uses === 2, 'the uses are counted')
    assert.deepEqual(
      (await list()).map(({ hardware_key, uses }) => [hardware_key, uses]),
      [
        [fresh.hardware_key, 1],
        [second.hardware_key, 2],
      ],
    )
  })

  it('decision 9.15: every one of many registrations at once is counted, of several keys and models', async () => {
    const models = [await newModel(service), await newModel(service)]
    await Promise.all(Array.from({ length: 40 }, (_, n) => register(service, models[n % 4 === 0 ? 1 : 0]!)))
    const list = async () => {
      const keys = models.map(({ partner_id, id }) => listHardwareKeys(service.context, partner_id, id))
      return (await Promise.all(keys)).map(([key]) => key!)
    }
    await until(async () => (await list()).reduce((sum, { uses }) => sum + uses, 0) === 40, 'all uses are counted')
    assert.deepEqual(
      (await list()).map(({ uses, last_used_at }) => [uses, last_used_at]),
      [
        [30, service.clock.now()],
        [10, service.clock.now()],
      ],
    )
  })

  it('malformed JSON is a 400, another content type a 415, neither a 5xx', async () => {
    const malformed = await post(service, '/v1/devices', '{"mac":')
    assert.deepEqual([malformed.status, malformed.body.code], [400, 'malformed_json'])
    const form = await post(service, '/v1/devices', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })
    assert.equal(form.status, 415)
  })
})

describe('decision 10.4: refused registrations are limited by address, and by address and model', () => {
  const { refusedRegistrationsPerAddress, refusedRegistrationsPerAddressAndModel } = ownLimits
  const tryFrom = async (remoteAddress: string, payload: object) => {
    const response = await service.app.inject({ method: 'POST', url: '/v1/devices', payload, remoteAddress })
    return { ...toTestResponse(response), retryAfter: response.headers['retry-after'] }
  }
  const guess = (device_model: string) => registration(model, { device_model, hardware_key: `lbh_${newId()}` })

  it('wrong keys for one model → 429 without Retry-After; other models and addresses are not affected', async () => {
    const other = await newModel(service)
    for (let n = 0; n < refusedRegistrationsPerAddressAndModel; n += 1) {
      assert.equal((await tryFrom('192.0.2.50', guess(model.id))).status, 401)
    }
    const { status, body, retryAfter } = await tryFrom('192.0.2.50', registration(model))
    assert.deepEqual([status, body.code, retryAfter], [429, 'too_many_requests', undefined])
    assert.equal((await tryFrom('192.0.2.50', registration(other))).status, 201)
    assert.equal((await tryFrom('192.0.2.51', registration(model))).status, 201, 'nobody can lock the partner out')
    service.clock.forward(61)
    assert.equal((await tryFrom('192.0.2.50', registration(model))).status, 201)
  })

  it('wrong keys and bad fields for new models each time → 429 for the whole address', async () => {
    for (let n = 0; n < refusedRegistrationsPerAddress; n += 1) {
      const { status } = await tryFrom('192.0.2.52', n % 2 === 0 ? guess(newId()) : { mac: 'x' })
      assert.ok(status === 401 || status === 422)
    }
    assert.equal((await tryFrom('192.0.2.52', registration(model))).status, 429)
    assert.equal((await tryFrom('192.0.2.53', registration(model))).status, 201)
    service.clock.forward(61)
  })

  it('registrations that succeed, and those of known devices, are not limited', async () => {
    const known = registration(model)
    const { body: device } = await tryFrom('192.0.2.54', known)
    await send(service, device, { status: 'online', telemetries: {} })
    for (let n = 0; n < refusedRegistrationsPerAddressAndModel + 5; n += 1) {
      assert.equal((await tryFrom('192.0.2.54', registration(model))).status, 201)
      assert.equal((await tryFrom('192.0.2.54', known)).status, 409)
    }
  })
})

describe('decision 7.76: registrations that succeed are limited by hardware key', () => {
  const registrations = 5

  it('on all processes together: 429 with Retry-After; another key of the model is not affected', async () => {
    const settings = { LANDBRIDGE_REGISTRATIONS_PER_KEY: String(registrations), LANDBRIDGE_PROCESSES: '2' }
    const one = await startHarness(settings)
    const other = await startHarness(settings, { beside: one })
    const own = await newModel(one)
    const second = await addHardwareKey(one.context, operator, own.partner_id, own.id)
    const known = registration(own)
    const { body: device } = await post(one, '/v1/devices', known)
    await send(one, device, hello)
    // Refused ones are given back.
    for (let n = 0; n < registrations; n += 1) assert.equal((await post(other, '/v1/devices', known)).status, 409)
    one.clock.forward(20)
    const crowd = await Promise.all(
      Array.from({ length: 4 * registrations }, (_, n) =>
        post(n % 2 === 0 ? one : other, '/v1/devices', registration(own)),
      ),
    )
    const statuses = crowd.map(({ status }) => status)
    assert.equal(statuses.filter((status) => status === 201).length, registrations - 1)
    const refusal = crowd.find(({ status }) => status === 429)!
    assert.deepEqual([refusal.body.code, refusal.headers['retry-after']], ['too_many_requests', '40'])
    assert.equal(statuses.filter((status) => status === 429).length, 3 * registrations + 1)
    const devices = await one.sql`select from devices where model_id = ${own.id}`
    assert.equal(devices.length, registrations)
    await register(other, { ...own, hardware_key: second.hardware_key })
    one.clock.forward(41)
    await register(other, own)
    const [row] = await one.sql`
      select reason from integration_failures where model_id = ${own.id} and status = 429 limit 1`
    assert.equal(row?.reason, 'registrations_of_key_limited')
  })
})
