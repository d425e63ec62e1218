import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { online, post, register, send, startScene } from '../../../../test/support/devices.ts'
import { testMasterKey } from '../../../../test/support/keys.ts'
import { holdLocks, untilWaiting } from '../../../../test/support/locks.ts'
import { senders, startListener } from '../../../../test/support/mqtt.ts'
import { createContext } from '../../context.ts'
import { ingest, keyDigest } from '../telemetry/ingest.ts'
import { getDevice, openReplaceWindow, removeDevice } from './devices.ts'

const { claimed, clock, context, customer, model, partner, registered, service, sql, user } = await startScene()
const listener = await startListener(context)
await sql`
  insert into webhook_endpoints (id, partner_id, url, events, secret, created_at)
  values (gen_random_uuid(), ${partner.partner_id}, 'https://partner.test/', '{device.updated}', '\\x00', now())`

type Device = Awaited<ReturnType<typeof registered>>

const versionOf = async ({ id }: Device) => (await getDevice(context, partner, id)).firmware_version
const auditOf = async ({ id }: Device) =>
  await sql`
    select actor, partner_id, customer_id, details from audit_events
    where type = 'device.updated' and device_id = ${id} order by id`
const webhooksOf = async ({ id }: Device) =>
  (
    await sql<
      { payload: string }[]
    >`select payload from webhook_deliveries where type = 'device.updated' order by event_id`
  )
    .map(({ payload }) => JSON.parse(payload).data)
    .filter(({ device_id }) => device_id === id)
const changesOf = async (device: Device) =>
  (await auditOf(device)).map(({ details }) => `${details.previous_firmware_version} → ${details.firmware_version}`)
const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * 1000).toISOString()

describe('decision 7.13: a device can report a new firmware version and keeps its key', () => {
  for (const [protocol, sendBy] of Object.entries(senders(service, listener))) {
    it(`${protocol}: with a message; the device, the audit and the webhook device.updated have it`, async () => {
      const device = await registered()
      assert.ok(await sendBy(device, online({ a: 1 })))
      assert.equal(await versionOf(device), '1.4.2')
      assert.ok(await sendBy(device, online({ a: 2 }, { firmware_version: '1.5.0-rc.1+7' })))
      assert.equal(await versionOf(device), '1.5.0-rc.1+7')
      // The key is still the same, and repeating the version is no change.
      assert.ok(await sendBy(device, online({ a: 3 }, { firmware_version: '1.5.0-rc.1+7' })))
      const data = { model_id: model.id, mac: device.mac, sn: device.sn }
      const change = { firmware_version: '1.5.0-rc.1+7', previous_firmware_version: '1.4.2' }
      assert.deepEqual(
        [...(await auditOf(device))],
        [
          {
            actor: { kind: 'device', id: device.id },
            partner_id: partner.partner_id,
            customer_id: null,
            details: { ...data, ...change },
          },
        ],
      )
      assert.deepEqual(await webhooksOf(device), [{ device_id: device.id, ...data, ...change }])
    })

    for (const version of ['1.5', 'v1.5.0', '01.0.0', '1.5.0 ', '', `1.0.0-${'a'.repeat(256)}`, 15, null]) {
      it(`${protocol}: ${JSON.stringify(version).slice(0, 20)} is no semantic version → refused, and nothing is stored`, async () => {
        const device = await registered()
        assert.equal(await sendBy(device, online({ a: 1 }, { firmware_version: version })), false)
        assert.deepEqual([await versionOf(device), (await getDevice(context, partner, device.id)).state], ['1.4.2', {}])
      })
    }
  }

  it('422 names the field', async () => {
    const { status, body } = await send(service, await registered(), online({}, { firmware_version: 'new' }))
    assert.deepEqual([status, body.details.map(({ field }: { field: string }) => field)], [422, ['firmware_version']])
  })

  it('a late message and a repeat never change it back', async () => {
    const device = await registered()
    const old = online({}, { timestamp: ago(60), message_id: 'old', firmware_version: '1.5.0' })
    await send(service, device, old)
    await send(service, device, online({}, { timestamp: ago(30), message_id: 'new', firmware_version: '2.0.0' }))
    await send(service, device, old)
    await send(service, device, online({}, { timestamp: ago(40), firmware_version: '1.6.0' }))
    assert.equal(await versionOf(device), '2.0.0')
    // A downgrade is a change like any other.
    await send(service, device, online({}, { firmware_version: '1.5.0' }))
    assert.deepEqual(await changesOf(device), ['1.4.2 → 1.5.0', '1.5.0 → 2.0.0', '2.0.0 → 1.5.0'])
  })

  it('a report with a timestamp before the registration counts', async () => {
    const device = await registered()
    await send(service, device, online({}, { timestamp: ago(3_600), firmware_version: '2.0.0' }))
    assert.equal(await versionOf(device), '2.0.0')
  })

  it('the acknowledgement comes after the commit', async () => {
    const device = await registered()
    await send(service, device, online({}))
    const release = await holdLocks(sql, (hold) => hold`select from devices where id = ${device.id} for update`)
    let acknowledged = false
    const reply = send(service, device, online({}, { firmware_version: '2.0.0' })).then((response) => {
      acknowledged = true
      return response
    })
    await untilWaiting(sql)
    assert.equal(acknowledged, false)
    await release()
    assert.equal((await reply).status, 200)
    assert.equal(await versionOf(device), '2.0.0')
  })

  it('concurrent reports on two processes → one change, one event', async () => {
    const device = await registered()
    const keys = { master: testMasterKey, operator: 'x'.repeat(32) }
    const elsewhere = createContext({ ...context, keys })
    const message = (n: number) => ({
      device_id: device.id,
      key_digest: keyDigest(device.access_key),
      body: online({ n }, { firmware_version: '2.0.0' }),
    })
    const outcomes = await Promise.all([
      ...[1, 2, 3].map((n) => ingest(context, message(n))),
      ...[4, 5, 6].map((n) => ingest(elsewhere, message(n))),
    ])
    await elsewhere.telemetry.close()
    assert.ok(outcomes.every(({ status }) => status === 200))
    assert.deepEqual(await changesOf(device), ['1.4.2 → 2.0.0'])
    assert.equal((await webhooksOf(device)).length, 1)
  })

  it('a wrong key, and a removed device, change nothing', async () => {
    const [device, other] = [await registered(), await registered()]
    const message = online({}, { firmware_version: '2.0.0' })
    assert.equal((await send(service, { ...device, access_key: other.access_key }, message)).status, 401)
    assert.equal(await versionOf(device), '1.4.2')
    await removeDevice(context, user, partner, device.id)
    assert.equal((await send(service, device, message)).status, 410)
    assert.deepEqual(await changesOf(device), [])
  })

  it('1.5 a claimed device: the customer’s audit has it, the webhook does not name the customer', async () => {
    const device = await claimed({ name: 'zebra' })
    await send(service, device, online({}, { firmware_version: '2.0.0' }))
    assert.equal((await auditOf(device))[0]!.customer_id, customer.customer_id)
    const [data] = await webhooksOf(device)
    assert.deepEqual(Object.keys(data).toSorted(), [
      'device_id',
      'firmware_version',
      'mac',
      'model_id',
      'previous_firmware_version',
      'sn',
    ])
  })

  it('a new version with every message: six changes per minute are recorded, and all messages', async () => {
    const device = await registered()
    for (let n = 0; n < 20; n += 1) {
      assert.equal((await send(service, device, online({ n }, { firmware_version: `2.0.${n}` }))).status, 200)
    }
    assert.equal((await changesOf(device)).length, 6)
    assert.equal((await getDevice(context, partner, device.id)).state.n!.value, 19)
    clock.forward(61)
    await send(service, device, online({}, { firmware_version: '2.0.19' }))
    assert.equal(await versionOf(device), '2.0.19')
  })

  it('registering again sets it, whatever earlier messages reported', async () => {
    const device = await registered()
    await send(service, device, online({}, { firmware_version: '2.0.0' }))
    await openReplaceWindow(context, user, partner, device.id)
    const { mac, sn } = device
    const again = await register(service, model, { mac, sn, firmware_version: '3.0.0' })
    assert.deepEqual(await changesOf(device), ['1.4.2 → 2.0.0', '2.0.0 → 3.0.0'])
    await send(service, again, online({}, { timestamp: ago(100), firmware_version: '3.0.1' }))
    assert.equal(await versionOf(device), '3.0.1')
  })

  it('a fleet that updates together in one call: each device has its event', async () => {
    const fleet = await Promise.all(Array.from({ length: 40 }, () => registered()))
    const { body } = await post(service, '/v1/devices/telemetry', {
      devices: fleet.map(({ id, access_key }) => ({ id, access_key, ...online({}, { firmware_version: '5.0.0' }) })),
    })
    assert.ok(body.results.every(({ status }: { status: number }) => status === 200))
    for (const device of fleet) assert.deepEqual(await changesOf(device), ['1.4.2 → 5.0.0'])
  })
})
