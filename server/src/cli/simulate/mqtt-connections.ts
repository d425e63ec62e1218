import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext } from 'node:tls'
import { parser as createParser, generate, type IPublishPacket, type Packet } from 'mqtt-packet'
import { stamped } from '../../../../client/src/devices.ts'
import { DeviceRemoved } from '../../../../client/src/errors.ts'
import type { Telemetry } from '../../../../client/src/generated-types.ts'

interface MqttDevice {
  id: string
  access_key: string
  mqtt_hub_url: string
}

/** What a device does with what is published to it: JSON, and how long it is valid. */
export interface Receiver {
  command(body: unknown, leftMs: number | null): void
  settings(body: unknown): void
}

const keepAliveSeconds = 60
const deadlineMilliseconds = 30_000
/** MQTT 5: the connection of a removed device is refused with the first and ended with the second. */
const removedReasons = [0x87, 0x98]

/**
 * One connection per device, as devices have it, with no more of MQTT than they need: the package `mqtt` would take
 * several times the memory for each. A connection that was lost is made again by the device's next message.
 */
export class MqttConnections {
  readonly #connections = new Map<string, Promise<MqttConnection>>()
  readonly #receivers = new Map<string, Receiver>()
  readonly #keepAlive = setInterval(() => void this.#pingAll(), (keepAliveSeconds / 2) * 1000)

  async send(device: MqttDevice, telemetry: Telemetry): Promise<void> {
    await this.publish(device, 'telemetry', stamped(telemetry))
  }

  async publish(device: MqttDevice, path: string, body: object): Promise<void> {
    const connection = await this.#connectionOf(device)
    await connection.publish(`v1/devices/${device.id}/${path}`, JSON.stringify(body))
  }

  /** From its next connection on, the device subscribes to its commands and settings. */
  receive(deviceId: string, receiver: Receiver): void {
    this.#receivers.set(deviceId, receiver)
  }

  #connectionOf(device: MqttDevice): Promise<MqttConnection> {
    const { id } = device
    const kept = this.#connections.get(id)
    if (kept) return kept
    const opening = this.#open(device)
    this.#connections.set(id, opening)
    opening.catch(() => this.#connections.delete(id))
    return opening
  }

  async #open(device: MqttDevice): Promise<MqttConnection> {
    const { id } = device
    const connection = await MqttConnection.open(device, () => this.#connections.delete(id))
    const receiver = this.#receivers.get(id)
    if (!receiver) return connection
    const topics = { [`v1/devices/${id}/command`]: receiver.command, [`v1/devices/${id}/config`]: receiver.settings }
    await connection.subscribe(topics)
    return connection
  }

  cut(deviceId: string): void {
    this.#connections.get(deviceId)?.then(
      (connection) => connection.cut(),
      () => {},
    )
  }

  async close(): Promise<void> {
    clearInterval(this.#keepAlive)
    await Promise.allSettled([...this.#connections.values()].map(async (opening) => (await opening).close()))
  }

  async #pingAll(): Promise<void> {
    for (const opening of this.#connections.values()) opening.then((connection) => connection.ping()).catch(() => {})
  }
}

type Topics = Record<string, (body: unknown, leftMs: number | null) => void>

class MqttConnection {
  readonly #socket: Socket
  #lastMessage = 0
  #received: ((packet: Packet | Error) => void) | null = null
  #lost: Error | null = null
  #topics: Topics = {}
  #turn: Promise<unknown> = Promise.resolve()

  static async open({ id, access_key, mqtt_hub_url }: MqttDevice, onClose: () => void): Promise<MqttConnection> {
    const connection = new MqttConnection(openSocket(new URL(mqtt_hub_url)), onClose)
    const connack = await connection.#exchange({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 5,
      clean: true,
      clientId: id,
      username: id,
      password: Buffer.from(access_key),
      keepalive: keepAliveSeconds,
    })
    if (connack.cmd === 'connack' && connack.reasonCode === 0) return connection
    connection.cut()
    throw refusalOf(connack)
  }

  private constructor(socket: Socket, onClose: () => void) {
    this.#socket = socket
    const parser = createParser({ protocolVersion: 5 })
    parser.on('packet', (packet) => {
      if (packet.cmd === 'disconnect') this.#end(refusalOf(packet))
      else if (packet.cmd === 'publish') this.#take(packet)
      else if (packet.cmd !== 'pingresp') this.#received?.(packet)
    })
    parser.on('error', (error: Error) => this.#end(error))
    socket.on('data', (bytes) => parser.parse(bytes))
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => {
      this.#end(new Error('The connection was lost.'))
      onClose()
    })
  }

  async publish(topic: string, payload: string): Promise<void> {
    const messageId = this.#nextMessage()
    const reply = await this.#exchange({
      ...{ cmd: 'publish', topic, payload, messageId, qos: 1, dup: false, retain: false },
    } as Packet)
    // 0x10: nobody subscribes, which is no refusal.
    if (reply.cmd !== 'puback' || (reply.reasonCode ?? 0) >= 0x80) throw refusalOf(reply)
  }

  /** A refusal is one of an older service: the device goes on without. */
  async subscribe(topics: Topics): Promise<void> {
    this.#topics = topics
    const subscriptions = Object.keys(topics).map((topic) => ({ topic, qos: 1 as const }))
    await this.#exchange({ cmd: 'subscribe', messageId: this.#nextMessage(), subscriptions })
  }

  #take({ topic, payload, qos, messageId, properties }: IPublishPacket): void {
    if (qos === 1)
      this.#socket.write(generate({ cmd: 'puback', messageId: messageId!, reasonCode: 0 }, { protocolVersion: 5 }))
    const left = properties?.messageExpiryInterval
    this.#topics[topic]?.(JSON.parse(payload.toString()), left === undefined ? null : left * 1000)
  }

  #nextMessage(): number {
    this.#lastMessage = (this.#lastMessage % 65_535) + 1
    return this.#lastMessage
  }

  ping(): void {
    this.#socket.write(generate({ cmd: 'pingreq' }))
  }

  cut(): void {
    this.#socket.destroy()
  }

  /** Says goodbye, so that the device does not count as offline. */
  async close(): Promise<void> {
    if (this.#socket.destroyed) return
    const closed = once(this.#socket, 'close')
    this.#socket.end(generate({ cmd: 'disconnect', reasonCode: 0 }, { protocolVersion: 5 }))
    setTimeout(() => this.#socket.destroy(), 2_000).unref()
    await closed
  }

  /** A device has one packet in flight. */
  #exchange(packet: Packet): Promise<Packet> {
    const reply = this.#turn.then(() => this.#exchangeNow(packet))
    this.#turn = reply.catch(() => {})
    return reply
  }

  async #exchangeNow(packet: Packet): Promise<Packet> {
    if (this.#lost) throw this.#lost
    const received = await new Promise<Packet | Error>((resolve) => {
      const timer = setTimeout(() => resolve(new Error('No acknowledgement within 30 s.')), deadlineMilliseconds)
      this.#received = (value) => {
        clearTimeout(timer)
        resolve(value)
      }
      this.#socket.write(generate(packet, { protocolVersion: 5 }))
    })
    this.#received = null
    if (!(received instanceof Error)) return received
    this.cut()
    throw received
  }

  #end(reason: Error): void {
    this.#lost ??= reason
    this.#received?.(this.#lost)
  }
}

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])
/** One for all: creating it takes longer than a handshake. */
const secureContext = createSecureContext()

/** The lab's certificate is signed by itself: on this machine there is nobody in between to fear. */
function openSocket({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'mqtt:') return connectTcp({ host, port: Number(port || 1883), noDelay: true })
  const rejectUnauthorized = !loopbackNames.has(hostname)
  const socket = connectTls({ host, port: Number(port || 8883), servername: host, rejectUnauthorized, secureContext })
  return socket.setNoDelay(true)
}

function refusalOf(packet: Packet): Error {
  const code = 'reasonCode' in packet ? (packet.reasonCode ?? 0) : 0
  if (removedReasons.includes(code)) return new DeviceRemoved('device_removed', 'The device was removed.')
  return new Error(`MQTT ${packet.cmd} with reason 0x${code.toString(16)}`)
}
