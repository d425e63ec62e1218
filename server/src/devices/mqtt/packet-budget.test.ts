import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { generate } from 'mqtt-packet'
import { newModel, online, register } from '../../../../test/support/devices.ts'
import { startHarness } from '../../../../test/support/harness.ts'
import { startListener, WireDevice } from '../../../../test/support/mqtt.ts'
import { until } from '../../../../test/support/until.ts'
import { mqttLimits } from '../../platform/own-limits.ts'

const service = await startHarness()
const { port } = await startListener(service.context)
const model = await newModel(service)
const { otherPacketsAtOnce: atOnce, otherPacketsPerSecond: perSecond } = mqttLimits
const devices: WireDevice[] = []
after(() => {
  for (const { socket } of devices) socket.destroy()
})

async function connected(change: object = {}) {
  const credentials = await register(service, model)
  const device = new WireDevice(port, 5)
  devices.push(device)
  assert.equal(((await device.connect(credentials, change)) as { reasonCode: number }).reasonCode, 0)
  return { device, credentials }
}

const pingreq = generate({ cmd: 'pingreq' })
const subscribe = generate(
  { cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a', qos: 0 }] },
  { protocolVersion: 5 },
)
const toOther = generate(
  { cmd: 'publish', messageId: 1, topic: 'other', payload: '{}', qos: 1, dup: false, retain: false },
  { protocolVersion: 5 },
)

describe('decision 7.72: every connection has a budget of packets', () => {
  for (const [what, packet] of Object.entries({
    PINGREQ: pingreq,
    SUBSCRIBE: subscribe,
    'a refused PUBLISH': toOther,
  })) {
    it(`${what} without pause: ${atOnce} get their response at once, then ${perSecond} per second, and the rest stays with the client`, async () => {
      const startedAt = performance.now()
      const { device } = await connected({ keepalive: 1 })
      device.socket.write(Buffer.concat(Array.from({ length: 400_000 }, () => packet)))
      // Longer than its keep-alive of a second, times 1.5.
      await until(() => device.received.length > atOnce + 2 * perSecond, 'those of two seconds')
      const allowed = atOnce + (perSecond * (performance.now() - startedAt)) / 1000
      const { length } = device.received
      // A chunk of bytes was read before; those that wait in it come five at a time.
      assert.ok(length <= allowed + perSecond, `${length} of ${allowed}`)
      assert.equal(device.socket.destroyed, false, 'its keep-alive does not end it')
    })
  }

  it('replies that are not read do not pile up', async () => {
    const { device } = await connected()
    device.socket.pause()
    const before = process.memoryUsage().arrayBuffers
    device.socket.write(Buffer.concat(Array.from({ length: 4_000_000 }, () => pingreq)))
    await sleep(1_000)
    assert.ok(device.socket.writableLength > 4_000_000, `${device.socket.writableLength}`)
    assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024)
  })

  it('three thousand messages sent without waiting are all acknowledged, within seconds', async () => {
    const { device, credentials } = await connected()
    device.socket.cork()
    for (let messageId = 1; messageId <= 3_000; messageId += 1) {
      device.publish(credentials, online({ level: messageId }), { messageId })
    }
    device.socket.uncork()
    await until(() => device.received.length === 3_000, 'all acknowledged')
  })

  it('a DISCONNECT behind a budget that is used up is read when the client has left', async () => {
    const { device, credentials } = await connected()
    device.publish(credentials, online({}))
    await device.next()
    device.socket.end(Buffer.concat([...Array.from({ length: 1_000 }, () => pingreq), generate({ cmd: 'disconnect' })]))
    await device.closed()
    await sleep(500)
    const [row] = await service.sql`select status from device_states where device_id = ${credentials.id}`
    assert.equal(row!.status, 'online')
  })
})
