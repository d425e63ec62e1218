// Devices that publish at QoS 1 as fast as they are acknowledged, each with a few messages in flight. The connections
// stay open from one turn to the next; between two turns they are idle.
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { generate } from 'mqtt-packet'

export interface MqttLoadOrder {
  port: number
  devices: { id: string; access_key: string }[]
  payloads: string[]
  inFlight: number
}

export interface MqttLoadTurn {
  warmUpSeconds: number
  seconds: number
}

export interface MqttLoadReport {
  /** Messages per second, of those acknowledged within the window. */
  rate: number
  p50: number
  p99: number
}

/** The window of the current turn, and how long each message in it took. */
let turn = { from: 0, until: 0, times: [] as number[] }

class Device {
  readonly #socket: TLSSocket
  readonly #packets: Buffer[]
  readonly #sentAt: number[] = []
  #underWay = 0
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

  /** Resolves when the turn is over and nothing is in flight. */
  goOn(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle = resolve
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
    this.#underWay -= 1
    if (now >= turn.from && now <= turn.until) turn.times.push(now - this.#sentAt[index]!)
    if (now < turn.until) this.#send(index)
    else if (this.#underWay === 0) this.#idle?.()
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

async function openConnection(port: number, { id, access_key }: MqttLoadOrder['devices'][number]): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
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

async function run(devices: Device[], { warmUpSeconds, seconds }: MqttLoadTurn): Promise<MqttLoadReport> {
  const from = performance.now() + warmUpSeconds * 1000
  turn = { from, until: from + seconds * 1000, times: [] }
  await Promise.all(devices.map((device) => device.goOn()))
  const times = turn.times.sort((a, b) => a - b)
  const quantile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  return { rate: times.length / seconds, p50: quantile(0.5), p99: quantile(0.99) }
}

let devices: Promise<Device[]>
process.on('message', async (message: MqttLoadOrder | MqttLoadTurn) => {
  if ('port' in message) devices = openDevices(message)
  else process.send!(await run(await devices, message))
})
process.on('disconnect', () => process.exit(0))
