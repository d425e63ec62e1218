// Devices that publish at QoS 1 as fast as they are acknowledged, each with a few messages in flight.
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { generate } from 'mqtt-packet'

export interface MqttLoadOrder {
  port: number
  devices: { id: string; access_key: string }[]
  payloads: string[]
  inFlight: number
  warmUpSeconds: number
  seconds: number
}

export interface MqttLoadReport {
  rate: number
}

process.once('message', async (order: MqttLoadOrder) => {
  const sockets: TLSSocket[] = []
  // A hundred handshakes at a time: it is not these that are measured.
  for (let from = 0; from < order.devices.length; from += 100) {
    sockets.push(
      ...(await Promise.all(order.devices.slice(from, from + 100).map((device) => openConnection(order, device)))),
    )
  }
  let acknowledged = 0
  for (const [index, socket] of sockets.entries()) {
    publishOn(order, socket, index, () => {
      acknowledged += 1
    })
  }
  await elapsed(order.warmUpSeconds)
  const before = acknowledged
  const began = performance.now()
  await elapsed(order.seconds)
  const report: MqttLoadReport = { rate: (acknowledged - before) / ((performance.now() - began) / 1000) }
  process.send!(report, () => process.exit(0))
})

async function openConnection(
  { port }: MqttLoadOrder,
  { id, access_key }: { id: string; access_key: string },
): Promise<TLSSocket> {
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

/** Each packet is built once and sent repeatedly; an acknowledgement is four bytes and arrives whole. */
function publishOn(
  { devices, payloads, inFlight }: MqttLoadOrder,
  socket: TLSSocket,
  index: number,
  acknowledged: () => void,
): void {
  const topic = `v1/devices/${devices[index]!.id}/telemetry`
  const packets = Array.from({ length: inFlight }, (_, n) =>
    generate({
      cmd: 'publish',
      topic,
      payload: payloads[(index + n) % payloads.length]!,
      qos: 1,
      messageId: n + 1,
      dup: false,
      retain: false,
    }),
  )
  let rest = Buffer.alloc(0)
  socket.on('data', (bytes) => {
    const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes
    const whole = all.length - (all.length % 4)
    rest = all.subarray(whole)
    if (whole > 4) socket.cork()
    for (let at = 0; at < whole; at += 4) {
      acknowledged()
      socket.write(packets[all.readUInt16BE(at + 2) - 1]!)
    }
    if (whole > 4) socket.uncork()
  })
  for (const packet of packets) socket.write(packet)
}

async function elapsed(seconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
