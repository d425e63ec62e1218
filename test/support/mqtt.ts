import { once } from 'node:events'
import { after } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { parser as createParser, generate, type IConnectPacket, type Packet } from 'mqtt-packet'
import type { Context } from '../../server/src/context.ts'
import { telemetryTopic } from '../../server/src/devices/mqtt/device-topics.ts'
import { createMqttListener, type MqttListener } from '../../server/src/devices/mqtt/listener.ts'
import { createCertificate, type TlsMaterial } from '../../server/src/platform/tls/self-signed-certificate.ts'
import { post, send } from './devices.ts'
import type { Harness } from './harness.ts'

export interface TestListener extends MqttListener {
  port: number
}

/** A listener on its own port; several on one database behave like several processes. */
export async function startListener(context: Context, tls?: TlsMaterial, wanted = 0): Promise<TestListener> {
  const listener = await createMqttListener(context, tls ?? (await createCertificate([], new Date())))
  const port = await listener.listen({ host: '127.0.0.1', port: wanted })
  after(() => listener.close())
  return { ...listener, port }
}

export interface Credentials {
  id: string
  access_key: string
}

/** Sends exactly the packets a test wants, and exposes every packet that came back. */
export class WireDevice {
  readonly socket: TLSSocket
  readonly version: 4 | 5
  readonly received: Packet[] = []
  #wake = () => {}

  constructor(port: number, version: 4 | 5) {
    this.version = version
    this.socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    const parser = createParser({ protocolVersion: version })
    parser.on('packet', (packet) => {
      this.received.push(packet)
      this.#wake()
    })
    this.socket.on('data', (bytes) => parser.parse(bytes))
    this.socket.on('close', () => this.#wake())
    this.socket.on('error', () => {})
  }

  send(packet: Packet): void {
    this.socket.write(generate(packet, { protocolVersion: this.version }))
  }

  /** The next packet, or `closed`. */
  async next(seconds = 30): Promise<Packet | 'closed'> {
    const timer = setTimeout(() => this.socket.destroy(new Error('no packet received')), seconds * 1000)
    while (this.received.length === 0 && !this.socket.destroyed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    clearTimeout(timer)
    return this.received.shift() ?? 'closed'
  }

  async closed(): Promise<void> {
    if (!this.socket.destroyed) await once(this.socket, 'close')
  }

  /** Sends a CONNECT for this device and returns the reply. */
  async connect({ id, access_key }: Credentials, change: Partial<IConnectPacket> = {}): Promise<Packet | 'closed'> {
    this.send({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: this.version,
      clean: true,
      clientId: id,
      username: id,
      password: Buffer.from(access_key),
      keepalive: 60,
      ...change,
    })
    return await this.next()
  }

  publish({ id }: { id: string }, body: object | string, change: object = {}): void {
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const topic = telemetryTopic(id)
    this.send({ cmd: 'publish', topic, payload, qos: 1, messageId: 7, dup: false, retain: false, ...change })
  }
}

export type SendMessage = (device: Credentials, message: object) => Promise<boolean>

/** One message by every protocol; each returns whether the message was stored. */
export function senders(service: Harness, { port }: { port: number }): Record<string, SendMessage> {
  return {
    'one device': async (device, message) => (await send(service, device, message)).status === 200,
    'many devices': async ({ id, access_key }, message) => {
      const { body } = await post(service, '/v1/devices/telemetry', { devices: [{ id, access_key, ...message }] })
      return body.results[0].status === 200
    },
    MQTT: async (device, message) => {
      const wire = new WireDevice(port, 5)
      await wire.connect(device)
      wire.publish(device, message)
      const packet = await wire.next()
      wire.send({ cmd: 'disconnect' })
      wire.socket.destroy()
      return typeof packet === 'object' && packet.cmd === 'puback' && (packet.reasonCode ?? 0) === 0
    },
  }
}
