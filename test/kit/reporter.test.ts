import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { DeviceModel, DeviceRemoved, DeviceReporter, type Telemetry } from '../../client/src/index.ts'
import { MqttSender } from '../../client/src/mqtt.ts'
import { staticCertificate } from '../../server/src/platform/tls/static-certificate.ts'
import { newMac, newModel } from '../support/devices.ts'
import { startKitService } from '../support/kit-service.ts'
import { startListener } from '../support/mqtt.ts'
import { until } from '../support/until.ts'

const { service, url } = await startKitService()
const tls = await staticCertificate(service.context)
const { port, server } = await startListener(service.context, tls)
const model = await newModel(service)
const kit = new DeviceModel({ entryUrl: url, modelId: model.id, hardwareKey: model.hardware_key })

async function newDevice() {
  const device = await kit.register({ mac: newMac(), sn: newMac(), firmware_version: '1.0.0' })
  return { ...device, mqtt_hub_url: `mqtts://localhost:${port}` }
}

const historyOf = async (id: string) =>
  await service.sql`
    select telemetries from history where device_number = (select number from devices where id = ${id}) order by received_at`

describe('partner kit: reporter', () => {
  it('changes of a moment go together, what stays the same is not sent, and every so often it reports anyway', async () => {
    const sent: Telemetry[] = []
    const device = await newDevice()
    const everyMs = { least: 40, most: 60 }
    const reporter = new DeviceReporter(device, async (_, telemetry) => sent.push(telemetry), { everyMs, gatherMs: 1 })
    reporter.set({ temperature: 21 })
    reporter.set({ humidity: 40 })
    await until(() => sent.length === 1, 'the first report')
    assert.deepEqual(sent[0], { status: 'online', telemetries: { temperature: 21, humidity: 40 } })
    reporter.set({ temperature: 21 })
    await until(() => sent.length === 3, 'two reports without a change')
    reporter.set({ temperature: 22 }, 'error')
    await reporter.stop()
    assert.deepEqual(sent.at(-1), { status: 'error', telemetries: { temperature: 22, humidity: 40 } })
  })

  it('null removes a data point: it is sent until one message with it is stored, and then no more', async () => {
    const sent: Telemetry['telemetries'][] = []
    const everyMs = { least: 20, most: 30 }
    const send = async (_: unknown, { telemetries }: Telemetry) => {
      sent.push(telemetries)
      if (sent.length === 2) throw new Error('not stored')
    }
    const reporter = new DeviceReporter(await newDevice(), send, { everyMs, gatherMs: 1, onError: () => {} })
    reporter.set({ temperature: 21, mode: 'heat' })
    await until(() => sent.length === 1, 'the first report')
    reporter.set({ mode: null })
    await until(() => sent.length >= 4, 'a failed report, its repeat and another')
    await reporter.stop()
    assert.deepEqual(sent.slice(1, 4), [
      { temperature: 21, mode: null },
      { temperature: 21, mode: null },
      { temperature: 21 },
    ])
  })

  it('over MQTT: the same reporter, and send resolves once the message is stored', async () => {
    const device = await newDevice()
    const mqtt = new MqttSender({ ca: tls.certificate })
    after(() => mqtt.close())
    const errors: unknown[] = []
    const reporter = new DeviceReporter(device, mqtt.send, { gatherMs: 1, onError: (error) => errors.push(error) })
    reporter.set({ temperature: 21 })
    await reporter.stop()
    assert.deepEqual(errors, [])
    assert.deepEqual(
      (await historyOf(device.id)).map(({ telemetries }) => telemetries),
      [{ temperature: 21 }],
    )
    await assert.rejects(mqtt.send(device, { status: 'online', telemetries: { bad: [] as never } }), {
      name: 'LandbridgeError',
      code: 'invalid',
    })
    await assert.rejects(
      mqtt.send({ ...(await newDevice()), access_key: 'wrong' }, { status: 'online', telemetries: {} }),
      {
        code: 'invalid_access_key',
      },
    )
  })

  it('over MQTT: a device that was removed is reported as over HTTP, while it is connected and when it connects', async () => {
    const [connected, other] = [await newDevice(), await newDevice()]
    const mqtt = new MqttSender({ ca: tls.certificate })
    after(() => mqtt.close())
    const telemetry: Telemetry = { status: 'online', telemetries: { n: 1 } }
    await mqtt.send(connected, telemetry)
    // Without the notification that ends its connection: the message may come first.
    await service.sql`update device_states set removed_at = now() where device_id in (${connected.id}, ${other.id})`
    for (const device of [connected, connected, other]) {
      await assert.rejects(mqtt.send(device, telemetry), (error) => {
        assert.ok(error instanceof DeviceRemoved)
        assert.equal(error.code, 'device_removed')
        return true
      })
    }
  })

  it('over MQTT: a connection that breaks or is refused ends no process, and what cannot be sent is not kept', async () => {
    const raw = new Set<Socket>()
    const onConnection = (socket: Socket) => raw.add(socket)
    server.on('connection', onConnection)
    after(() => server.off('connection', onConnection))
    const device = await newDevice()
    const mqtt = new MqttSender({ ca: tls.certificate, timeoutMs: 500 })
    after(() => mqtt.close())
    await mqtt.send(device, { status: 'online', telemetries: { n: 1 } })
    for (const socket of raw) socket.resetAndDestroy()
    await sleep(50)
    // The next message connects again; one of a connection that is gone is not sent behind its caller's back.
    await mqtt.send(device, { status: 'online', telemetries: { n: 2 } })
    assert.deepEqual(
      (await historyOf(device.id)).map(({ telemetries }) => telemetries),
      [{ n: 1 }, { n: 2 }],
    )
    const before = raw.size
    await mqtt.disconnect(device.id)
    await mqtt.send(device, { status: 'online', telemetries: { n: 3 } })
    assert.equal(raw.size, before + 1)
  })
})
