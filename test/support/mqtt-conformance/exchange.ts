import { once } from 'node:events'
import type { Socket } from 'node:net'
import { parser as createParser } from 'mqtt-packet'
import type { Credentials } from '../mqtt.ts'
import { connect, unsubscribe, type Version } from './bytes.ts'
import type { Row } from './row.ts'

const probeIdentifier = 0xfffe

/**
 * Sends what a row says and returns what came back, as `SUBACK 3 0x80, open`: each packet with its identifier and codes,
 * then whether the connection is open (an UNSUBSCRIBE gets its UNSUBACK) or closed.
 */
export async function exchange(socket: Socket, row: Row, device: Credentials, version: Version): Promise<string> {
  const replies: string[] = []
  let wake = () => {}
  let last = ''
  const parser = createParser({ protocolVersion: version })
  parser.on('packet', (packet) => {
    if (packet.messageId === probeIdentifier) last = 'open'
    else replies.push(describePacket(packet, row))
    wake()
  })
  parser.on('error', () => replies.push('unreadable'))
  socket.on('data', (bytes) => parser.parse(bytes))
  socket.on('error', () => {})
  socket.on('close', () => {
    last = 'closed'
    wake()
  })
  const until = async (done: () => boolean) => {
    const timer = setTimeout(() => socket.destroy(), 10_000)
    while (!done() && last === '') {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    clearTimeout(timer)
  }
  const expected = row.expected[version]!.split(', ').length - 1
  if (row.when === 'after CONNACK') {
    socket.write(connect(version, device, row.connect ?? {}))
    await until(() => replies.length > 0)
    replies.shift()
  }
  socket.write(row.bytes(device, version))
  await until(() => replies.length >= expected)
  if (last === '') socket.write(unsubscribe(version, ['probe'], { identifier: probeIdentifier }))
  await until(() => false)
  if (!socket.destroyed) socket.destroy()
  if (!socket.closed) await once(socket, 'close')
  return [...replies, last].join(', ')
}

// biome-ignore lint/suspicious/noExplicitAny: a packet of any kind
function describePacket(packet: any, { showReasons, showProperties = [] }: Row): string {
  const codes = packet.granted ?? [packet.reasonCode ?? packet.returnCode].filter((code) => code !== undefined)
  const parts = [
    packet.cmd.toUpperCase(),
    ...(packet.messageId === undefined ? [] : [packet.messageId]),
    ...codes.map((code: number) => `0x${code.toString(16).padStart(2, '0')}`),
    ...(packet.cmd === 'connack' && packet.sessionPresent ? ['session present'] : []),
    ...(showReasons && packet.properties?.reasonString ? ['with reason'] : []),
    ...showProperties.map((name) => `${name}=${packet.properties?.[name]}`),
  ]
  return parts.join(' ')
}
