import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { newModel, online, register, send } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { until } from '../../../../test/support/until.ts'
import { createApiKey } from '../../directory/api-keys.ts'
import { failureReasons } from '../../events/failure-reasons.ts'
import { removeDevice } from '../registry/devices.ts'
import type { RegisteredDevice } from '../registry/registration.ts'

const service = await startHarness()
const { port } = await startListener(service.context)
const model = await newModel(service)
const partner = { partner_id: model.partner_id }
const { key } = await createApiKey(service.context, { kind: 'operator' }, partner, { name: 'log' })
const devices: WireDevice[] = []
after(() => {
  for (const { socket } of devices) socket.destroy()
})

async function logOf({ id }: RegisteredDevice): Promise<Record<string, string>[]> {
  await service.context.integrationLog.flush()
  const url = `/core/v1/partner/integration-log?limit=100&model_id=${model.id}&endpoint=mqtt`
  const response = await service.app.inject({ url, headers: { authorization: key } })
  return response.json().items.filter((entry: { device_id: string }) => entry.device_id === id)
}

type Attempt = (device: WireDevice, credentials: RegisteredDevice, other: RegisteredDevice) => unknown

/** Connects, publishes and waits for the refusal. */
const publish =
  (body: (credentials: RegisteredDevice) => object | string, change: object = {}): Attempt =>
  async (device, credentials) => {
    await device.connect(credentials)
    device.publish(credentials, body(credentials), change)
    await device.next()
  }

const attempts: { title: string; reason: keyof typeof failureReasons; error: string; attempt: Attempt }[] = [
  {
    title: "another device's key",
    reason: 'access_key_wrong',
    error: 'bad_credentials',
    attempt: (device, { id }, { access_key }) => device.connect({ id, access_key }),
  },
  {
    title: 'a truncated key',
    reason: 'access_key_wrong',
    error: 'bad_credentials',
    attempt: (device, { id, access_key }) => device.connect({ id, access_key: access_key.slice(0, -1) }),
  },
  {
    title: 'a client id that is not the device id',
    reason: 'client_id_wrong',
    error: 'client_id_not_valid',
    attempt: (device, credentials) => device.connect(credentials, { clientId: 'sensor-1' }),
  },
  {
    title: 'a removed device',
    reason: 'device_removed',
    error: 'not_authorized',
    attempt: async (device, credentials) => {
      await send(service, credentials, online({}))
      await removeDevice(service.context, { kind: 'operator' }, partner, credentials.id)
      await device.connect(credentials)
    },
  },
  {
    title: 'a message of more than 128 KiB',
    reason: 'message_too_large',
    error: 'packet_too_large',
    attempt: publish(({ access_key }) => access_key.padEnd(128 * 1024 + 1)),
  },
  {
    title: 'a packet with a huge length',
    reason: 'message_too_large',
    error: 'packet_too_large',
    attempt: publish(({ access_key }) => access_key.padEnd(200 * 1024)),
  },
  {
    title: 'invalid telemetry that contains a secret',
    reason: 'telemetry_invalid',
    error: 'payload_format_invalid',
    attempt: publish(({ access_key }) => online({ [access_key]: [] })),
  },
  {
    title: "another device's topic",
    reason: 'topic_not_allowed',
    error: 'not_authorized',
    attempt: publish(({ access_key }) => online({ access_key }), { topic: 'v1/devices/mine/telemetry' }),
  },
  {
    title: 'a data point with control characters in its name',
    reason: 'telemetry_invalid',
    error: 'payload_format_invalid',
    attempt: publish(() => online({ 'a\0\nb\u0085c': 1 })),
  },
  {
    title: 'QoS 2',
    reason: 'mqtt_unsupported',
    error: 'qos_not_supported',
    attempt: publish(() => online({}), { qos: 2 }),
  },
  {
    title: 'a subscription',
    reason: 'mqtt_unsupported',
    error: 'not_authorized',
    attempt: async (device, credentials) => {
      await device.connect(credentials)
      device.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: credentials.access_key, qos: 0 }] })
      await device.next()
    },
  },
]

describe('integration log: what MQTT refused', () => {
  for (const version of [4, 5] as const) {
    for (const { title, reason, error, attempt } of attempts) {
      it(`${version === 4 ? '3.1.1' : '5'}: ${title} → ${reason}, and no secret`, async () => {
        const [credentials, other] = [await register(service, model), await register(service, model)]
        const device = new WireDevice(port, version)
        devices.push(device)
        await attempt(device, credentials, other)
        // A removed device's connection may end before its refusal is recorded.
        await until(async () => (await logOf(credentials)).length > 0, 'an entry in the log')
        const [entry, ...more] = (await logOf(credentials)) as [Record<string, string>]
        assert.equal(more.length, 0)
        assert.deepEqual([entry.error, entry.reason, entry.advice], [error, reason, failureReasons[reason]])
        assert.match(entry.request_id!, /^[0-9a-f-]{36}$/)
        assert.ok(entry.description!.length > 10)
        for (const { access_key } of [credentials, other]) {
          assert.ok(!JSON.stringify(entry).includes(access_key.slice(4, -1)))
        }
      })
    }
  }
})

describe('[MQTT5 1.5.4] a reason string', () => {
  it('names the refused key without the control characters that would make a client close the connection', async () => {
    const credentials = await register(service, model)
    const device = new WireDevice(port, 5)
    devices.push(device)
    await device.connect(credentials)
    device.publish(credentials, online({ 'a\0\nb\u0085c': 1 }))
    const puback = (await device.next()) as { reasonCode: number; properties: { reasonString: string } }
    assert.equal(puback.reasonCode, 0x99)
    assert.match(puback.properties.reasonString, /^telemetries\.a\ufffd\ufffdb\ufffdc must have a name without control/)
    device.publish(credentials, online({ a: 1 }))
    assert.equal(((await device.next()) as { reasonCode?: number }).reasonCode ?? 0, 0)
  })
})
