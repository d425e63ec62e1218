// A device whose MQTT hub sends it to another one (MQTT 5, 4.11), with brokers of a few lines: the service has one hub.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { generate, type Packet, parser } from 'mqtt-packet'
import { DeviceReporter, type RegisteredDevice } from '../../client/src/index.ts'
import { MqttSender } from '../../client/src/mqtt.ts'
import { until } from '../support/until.ts'

const options = { protocolVersion: 5 }

interface Broker {
  url: string
  reference: string
  /** Of the messages that it took. */
  taken: number[]
  connections: number
  /** Sends every connected device on. */
  disconnect(reasonCode: number, serverReference: string): void
}

/** `refusal`: instead of accepting a connection. */
async function startBroker(refusal: () => { reasonCode: number; serverReference?: string } | null): Promise<Broker> {
  const sockets = new Set<Socket>()
  const broker: Broker = { url: '', reference: '', taken: [], connections: 0, disconnect: () => {} }
  const server = createServer((socket) => {
    const write = (packet: Packet) => socket.write(generate(packet, options))
    const read = parser(options)
    read.on('packet', (packet) => {
      if (packet.cmd === 'connect') {
        broker.connections += 1
        const { reasonCode = 0, ...properties } = refusal() ?? {}
        write({ cmd: 'connack', reasonCode, sessionPresent: false, properties })
        if (reasonCode === 0) sockets.add(socket)
      } else if (packet.cmd === 'publish' && sockets.has(socket)) {
        broker.taken.push(JSON.parse(String(packet.payload)).telemetries.n)
        write({ cmd: 'puback', messageId: packet.messageId!, reasonCode: 0 })
      }
    })
    socket.on('data', (bytes) => read.parse(bytes))
    socket.on('error', () => {})
    after(() => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  broker.reference = `127.0.0.1:${port}`
  broker.url = `mqtt://${broker.reference}`
  broker.disconnect = (reasonCode, serverReference) => {
    for (const socket of sockets) {
      socket.end(generate({ cmd: 'disconnect', reasonCode, properties: { serverReference } }, options))
    }
    sockets.clear()
  }
  return broker
}

const taking = () => startBroker(() => null)
const reading = (n: number) => ({ status: 'online' as const, telemetries: { n } })

function setUp(mqtt_hub_url: string) {
  const device: RegisteredDevice = { id: 'd', access_key: 'k', hub_url: '', hub_url_static_cert: '', mqtt_hub_url }
  const stored: string[] = []
  const sender = new MqttSender({ timeoutMs: 2_000, onMoved: (_, moved) => stored.push(moved.mqtt_hub_url) })
  after(() => sender.close())
  return { device, stored, sender }
}

describe('partner kit: a device whose MQTT hub sends it to another one', () => {
  it('moved when it connects (0x9D): it follows, and the new address is for its caller to store', async () => {
    const b = await taking()
    const a = await startBroker(() => ({ reasonCode: 0x9d, serverReference: b.reference }))
    const { device, stored, sender } = setUp(a.url)
    await sender.send(device, reading(1))
    await sender.disconnect(device.id)
    await sender.send(device, reading(2))
    assert.deepEqual([a.connections, b.taken, stored], [1, [1, 2], [b.url]])
  })

  it('for now (0x9C): it follows while that connection lasts, and nothing is stored', async () => {
    const b = await taking()
    const a = await startBroker(() => ({ reasonCode: 0x9c, serverReference: `${b.reference} other.test:8883` }))
    const { device, stored, sender } = setUp(a.url)
    await sender.send(device, reading(1))
    b.disconnect(0x8b, '')
    await until(async () => {
      await sender.send(device, reading(2)).catch(() => {})
      return b.taken.includes(2)
    }, 'the device comes back')
    assert.ok(a.connections >= 2, String(a.connections))
    assert.deepEqual(stored, [])
  })

  it('moved while it is connected: a reporter loses no report', async () => {
    const [a, b] = [await taking(), await taking()]
    const { device, stored, sender } = setUp(a.url)
    const errors: unknown[] = []
    const reporter = new DeviceReporter(device, sender.send, { gatherMs: 1, onError: (error) => errors.push(error) })
    reporter.set({ n: 1 })
    await until(() => a.taken.length === 1, 'the first report')
    a.disconnect(0x9d, b.reference)
    reporter.set({ n: 2 })
    await until(() => b.taken.includes(2), 'the second report')
    await reporter.stop()
    assert.deepEqual([errors, stored, a.taken], [[], [b.url], [1]])
  })

  it('in circles, to nowhere, or to where the key must not go: an error says so', async () => {
    let target = ''
    const a = await startBroker(() => ({ reasonCode: 0x9d, serverReference: target }))
    const b = await startBroker(() => ({ reasonCode: 0x9d, serverReference: a.reference }))
    const { device, sender, stored } = setUp(a.url)
    target = b.reference
    await assert.rejects(sender.send(device, reading(1)), { code: 'moved_in_circles' })
    assert.equal(a.connections + b.connections, 4)
    for (const wrong of ['10.0.0.1:1883', 'evil.test', 'http://127.0.0.1:1', 'user:word@127.0.0.1', '']) {
      target = wrong
      await assert.rejects(sender.send(device, reading(1)), { code: 'move_refused' }, wrong)
    }
    target = '127.0.0.1:1'
    await assert.rejects(sender.send(device, reading(1)), { code: 'network_error' })
    assert.deepEqual(stored, [])
  })
})
