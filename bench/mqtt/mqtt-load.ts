// Devices that publish at QoS 1 as fast as they are acknowledged, each with a few messages in flight. The connections
// stay open from one turn to the next; between two turns they are idle.
import { once } from 'node:events'
import { connect, createSecureContext, type TLSSocket } from 'node:tls'
import { generate } from 'mqtt-packet'
import { requireEnd, Window, type WindowLength } from '../window.ts'

export interface MqttLoadOrder {
  port: number
  devices: { id: string; access_key: string }[]
  payloads: string[]
  inFlight: number
}

class Device {
  readonly #socket: TLSSocket
  readonly #packets: Buffer[]
  readonly #sentAt: number[] = []
  /** The packets that were acknowledged in this turn. */
  readonly #begun = new Set<number>()
  #underWay = 0
  #window: Window | null = null
  #idle: (() => void) | null = null

  /** Each packet is built once and sent repeatedly; an acknowledgement is four bytes. */
  constructor(socket: TLSSocket, topic: string, payloads: string[]) {
    this.#socket = socket
    this.#packets = payloads.map((payload, n) =>
      generate({ cmd: 'publish', topic, payload, qos: 1, messageId: n + 1, dup: false, retain: false }),
    )
    let rest = Buffer.alloc(0)
    socket.on('data', (bytes) => {
      const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
      const whole = all.length - (all.length % 4)
      rest = all.subarray(whole)
      if (whole > 4) socket.cork()
      for (let at = 0; at < whole; at += 4) this.#acknowledged(all.readUInt16BE(at + 2) - 1)
      if (whole > 4) socket.uncork()
    })
  }

  /** Resolves when the window is over and nothing is in flight. */
  goOn(window: Window): Promise<void> {
    return new Promise((resolve) => {
      this.#window = window
      this.#idle = resolve
      this.#begun.clear()
      for (const index of this.#packets.keys()) this.#send(index)
    })
  }

  #send(index: number): void {
    this.#underWay += 1
    this.#sentAt[index] = performance.now()
    this.#socket.write(this.#packets[index]!)
  }

  #acknowledged(index: number): void {
    const now = performance.now()
    const window = this.#window!
    this.#underWay -= 1
    window.count(now, now - this.#sentAt[index]!)
    if (!this.#begun.has(index)) window.begun(now)
    this.#begun.add(index)
    if (!window.isOver(now)) this.#send(index)
    else if (this.#underWay === 0) this.#idle!()
  }
}

async function openDevices({ port, devices, payloads, inFlight }: MqttLoadOrder): Promise<Device[]> {
  const opened: Device[] = []
  // A hundred handshakes at a time: it is not these that are measured.
  for (let from = 0; from < devices.length; from += 100) {
    const some = devices.slice(from, from + 100).map(async (device, n) => {
      const own = Array.from({ length: inFlight }, (_, nth) => payloads[(from + n + nth) % payloads.length]!)
      return new Device(await openConnection(port, device), `v1/devices/${device.id}/telemetry`, own)
    })
    opened.push(...(await Promise.all(some)))
  }
  return opened
}

/** One for all: creating it takes longer than a handshake. */
const secureContext = createSecureContext()

async function openConnection(port: number, { id, access_key }: MqttLoadOrder['devices'][number]): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, secureContext })
  await once(socket, 'secureConnect')
  socket.setNoDelay(true)
  socket.write(
    generate({
      cmd: 'connect',
      protocolId: 'MQTT',
      protocolVersion: 4,
      clean: true,
      clientId: id,
      username: id,
      password: Buffer.from(access_key),
      keepalive: 0,
    }),
  )
  const [connack] = await once(socket, 'data')
  if (connack[0] !== 0x20 || connack[3] !== 0) throw new Error(`refused: ${connack.toString('hex')}`)
  socket.on('close', () => {
    throw new Error('a connection was lost')
  })
  return socket
}

let devices: Promise<Device[]>
let inFlight = 0
process.on('message', async (message: MqttLoadOrder | WindowLength | { opened: true }) => {
  if ('port' in message) {
    inFlight = message.inFlight
    devices = openDevices(message)
    return
  }
  const all = await devices
  // Connections that nobody publishes on.
  if ('opened' in message) return void process.send!({ opened: all.length })
  const window = new Window(all.length * inFlight, message)
  await requireEnd(Promise.all(all.map((device) => device.goOn(window))))
  process.send!(window.report())
})
process.on('disconnect', () => process.exit(0))
