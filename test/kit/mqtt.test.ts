// Devices over MQTT by the kit, against the service's own listener.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileQueue } from '../../client/src/file-queue.ts'
import {
  DeviceModel,
  DeviceRemoved,
  type LandbridgeError,
  type RegisteredDevice,
  TelemetryOutbox,
} from '../../client/src/index.ts'
import { MqttSender } from '../../client/src/mqtt.ts'
import { removeDevice } from '../../server/src/devices/registry/devices.ts'
import { createCertificate } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { newMac, newModel } from '../support/devices.ts'
import { freePort } from '../support/free-port.ts'
import { startKitService } from '../support/kit-service.ts'
import { startListener } from '../support/mqtt.ts'
import { until } from '../support/until.ts'

const { service, url } = await startKitService()
const model = await newModel(service)
const kit = new DeviceModel({ entryUrl: url, modelId: model.id, hardwareKey: model.hardware_key })
const tls = await createCertificate(['127.0.0.1', 'localhost'], new Date())
const listener = await startListener(service.context, tls)
const backoff = { attempts: 3, firstDelayMs: 20, longestDelayMs: 100 }
const folder = await mkdtemp(join(tmpdir(), 'landbridge-mqtt-'))
after(() => rm(folder, { recursive: true, force: true }))

function newSender(): MqttSender {
  const sender = new MqttSender({ ca: tls.certificate, backoff })
  after(() => sender.close())
  return sender
}

async function register(port = listener.port): Promise<RegisteredDevice> {
  const device = await kit.register({ mac: newMac(), sn: newMac(), firmware_version: '1.0.0' })
  return { ...device, mqtt_hub_url: `mqtts://localhost:${port}` }
}

async function remove({ id }: RegisteredDevice): Promise<void> {
  await removeDevice(service.context, operator, { partner_id: model.partner_id }, id)
}

async function stored({ id }: RegisteredDevice): Promise<number[]> {
  const rows = await service.sql<{ n: number }[]>`
    select (telemetries ->> 'n')::int as n from history join devices on device_number = number
    where id = ${id} order by timestamp, n`
  return rows.map(({ n }) => n)
}

const operator = { kind: 'operator' } as const
const reading = (n: number) => ({ status: 'online' as const, telemetries: { n } })
const invalid = { status: 'online' as const, telemetries: { 'a b': 'x'.repeat(2_000), n: 1 } }

describe('partner kit: MQTT', () => {
  it('a refused message carries the field and the reason, as over HTTP', async () => {
    const device = await register()
    const overHttp = await kit.send(device, invalid).then(
      () => assert.fail(),
      (error: LandbridgeError) => error,
    )
    const sender = newSender()
    await assert.rejects(sender.send(device, invalid), (error: LandbridgeError) => {
      assert.deepEqual([error.code, error.details], ['invalid', overHttp.details])
      assert.deepEqual([error.details[0]!.field, error.message], ['telemetries.a b', overHttp.message])
      return true
    })
    await sender.send(device, reading(1))
    assert.deepEqual(await stored(device), [1], 'the connection stays')
  })

  it('a refused connection carries the reason', async () => {
    const device = await register()
    const sender = newSender()
    await assert.rejects(sender.send({ ...device, access_key: 'wrong' }, reading(1)), (error: LandbridgeError) => {
      assert.equal(error.code, 'invalid_access_key')
      assert.doesNotMatch(error.message, /^Connection refused/)
      return true
    })
  })

  it('send after close is refused, also for a device that was connected, and connects nobody', async () => {
    const device = await register()
    const sender = newSender()
    await sender.send(device, reading(1))
    await sender.close()
    for (const each of [device, await register()]) {
      await assert.rejects(sender.send(each, reading(2)), { code: 'closed', message: /closed/ })
    }
    await sender.close()
    assert.deepEqual(await stored(device), [1])
  })

  it('a message_id without timestamp is refused before it is sent', async () => {
    const device = await register()
    const unstamped = { ...reading(1), message_id: 'm' } as never
    await assert.rejects(newSender().send(device, unstamped), { code: 'invalid', message: /^timestamp is required/ })
    await assert.rejects(kit.send(device, unstamped), { code: 'invalid' })
    await assert.rejects(new TelemetryOutbox(kit).add(device, unstamped), { code: 'invalid' })
  })

  it('an outbox keeps what is added while the hub is away, through a restart, and each is stored once, in order', async () => {
    const port = await freePort()
    const [one, two] = [await register(port), await register(port)]
    const errors: LandbridgeError[] = []
    const first = new TelemetryOutbox(newSender(), {
      queue: await fileQueue(join(folder, 'outbox')),
      onError: (error) => errors.push(error as LandbridgeError),
    })
    for (let n = 0; n < 5; n += 1) for (const device of [one, two]) await first.add(device, reading(n))
    await until(() => errors.length > 2, 'it tries')
    assert.equal(errors[0]!.code, 'network_error')
    await first.stop()
    await assert.rejects(first.add(one, reading(9)), { code: 'stopped' })

    const sender = newSender()
    const second = new TelemetryOutbox(sender, { queue: await fileQueue(join(folder, 'outbox')) })
    for (let n = 5; n < 10; n += 1) for (const device of [one, two]) await second.add(device, reading(n))
    assert.equal(second.waiting, 20)
    const late = await startListener(service.context, tls, port)
    await second.flushed()
    assert.equal(second.waiting, 0)
    const all = Array.from({ length: 10 }, (_, n) => n)
    assert.deepEqual([await stored(one), await stored(two)], [all, all])
    await second.stop()
    await sender.close()
    await late.close()
  })

  it('a removed device, a wrong key and a bad message are reported; a device whose hub is away holds up no other', async () => {
    const port = await freePort()
    const [well, gone, wrong, away] = [await register(), await register(), await register(), await register(port)]
    // Two hubs would not wait for each other: here one device of the same hub cannot connect.
    const sender = newSender()
    const dead = { hubOf: () => 'one hub', backoff, sendOnce: sender.sendOnce.bind(sender) }
    const told: string[] = []
    const outbox = new TelemetryOutbox(dead, {
      onRemoved: (id) => told.push(`${id} removed`),
      onRefused: ({ id, code, status, details }) => told.push([id, code, status, details?.[0]?.field].join(' ')),
    })
    await remove(gone)
    for (let n = 0; n < 3; n += 1) {
      await outbox.add(away, reading(n))
      await outbox.add(gone, reading(n))
      await outbox.add(well, reading(n))
    }
    await outbox.add({ ...wrong, access_key: 'wrong' }, reading(1))
    await outbox.add(well, invalid)
    await outbox.add(well, reading(3))
    await until(async () => (await stored(well)).length === 4, 'the others go on')
    await until(() => outbox.waiting === 3, 'only those of the device that cannot connect wait')
    assert.deepEqual(
      told.toSorted(),
      [
        `${gone.id} removed`,
        `${wrong.id} invalid_access_key 401 `,
        `${well.id} invalid 422 telemetries.a b`,
      ].toSorted(),
    )
    for (let n = 4; n < 6; n += 1) await outbox.add(well, reading(n))
    await until(async () => (await stored(well)).length === 6, 'and on')
    const late = await startListener(service.context, tls, port)
    await outbox.flushed()
    assert.deepEqual(await stored(away), [0, 1, 2])
    await outbox.stop()
    await sender.close()
    await late.close()
  })

  it('a removal is told as such by send', async () => {
    const device = await register()
    await remove(device)
    await assert.rejects(newSender().send(device, reading(1)), DeviceRemoved)
  })
})
