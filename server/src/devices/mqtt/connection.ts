import type { TLSSocket } from 'node:tls'
import { generate, type Packet } from 'mqtt-packet'
import { connackCode, type Reason, reasons } from './reason-codes.ts'
import type { Will } from './will.ts'

/** The device a connection speaks for, once its CONNECT was accepted. */
export interface ConnectedDevice {
  id: string
  /** Of the key it came with, asked about again with every message. */
  key_digest: string
  topic: string
  /** Counts the device's connections over all processes: the highest is its current one. */
  number: number
}

/** One device's connection, from the TLS handshake to its end. */
export interface Connection {
  readonly id: string
  readonly socket: TLSSocket
  version: 4 | 5
  /** `held` packets wait while the CONNECT before them is being judged. */
  state: 'new' | 'connecting' | 'open' | 'ended'
  held: Packet[]
  device: ConnectedDevice | null
  will: Will | null
  /** Runs out when the client has been silent for too long; every packet winds it up again. */
  keepAliveTimer: NodeJS.Timeout | undefined
  /** Messages taken but not yet committed. */
  inFlight: number
  /** What waits for the last of them: a message must not set online a device that is already known to be lost. */
  whenIdle: (() => void) | undefined
  /** The client's limit for what we may send it, in bytes. */
  maxBytes: number
  /** The highest number told for this device while its own was not yet known. */
  overtakenBy: number
  /** Set by a clean DISCONNECT, and wherever we end it ourselves: it is then no lost connection. */
  leaves: boolean
}

export function send(connection: Connection, packet: Packet): void {
  if (connection.socket.writable) {
    connection.socket.write(generate(packet, { protocolVersion: connection.version }))
  }
}

/** Many acknowledgements of one commit become one TLS record. */
export function sendTogether(connection: Connection, bytes: Buffer): void {
  const { socket } = connection
  if (!socket.writable) return
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  socket.write(bytes)
}

/** A CONNECT that is turned down [MQTT-3.2.2-7 in version 5, MQTT-3.2.2-5 in 3.1.1: the connection then closes]. */
export function refuseConnect(connection: Connection, reason: Reason, sentence: string): void {
  const returnCode = connackCode(reason)
  if (connection.version === 5) {
    const properties = fitting(connection, sentence)
    send(connection, { cmd: 'connack', sessionPresent: false, reasonCode: reasons[reason].v5, ...properties })
  } else if (returnCode !== undefined) {
    send(connection, { cmd: 'connack', sessionPresent: false, returnCode })
  }
  close(connection)
}

/** Version 5 is told why; 3.1.1 has no DISCONNECT from the server, only the closed connection. */
export function endConnection(connection: Connection, reason: Reason, sentence?: string): void {
  if (connection.state === 'ended') return
  if (connection.version === 5 && connection.state === 'open') {
    const properties = sentence === undefined ? {} : fitting(connection, sentence)
    send(connection, { cmd: 'disconnect', reasonCode: reasons[reason].v5, ...properties })
  }
  close(connection)
}

/**
 * [MQTT-3.2.2-19, 3.4.2-2, 3.14.2-3] a reason string is left out rather than exceed the client's packet size.
 * [MQTT5 1.5.4] a client may close the connection at control characters, which a refused key can bring along.
 */
export function fitting(connection: Connection, sentence: string): { properties?: { reasonString: string } } {
  const reasonString = sentence.replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, '\ufffd')
  return Buffer.byteLength(reasonString) + 64 <= connection.maxBytes ? { properties: { reasonString } } : {}
}

/** Without a word. Written replies still go out; a client that does not close its side is cut off. */
export function close(connection: Connection): void {
  connection.state = 'ended'
  connection.held = []
  clearTimeout(connection.keepAliveTimer)
  const { socket } = connection
  socket.end()
  // A paused socket would never see the client close its side.
  socket.resume()
  connection.keepAliveTimer = setTimeout(() => socket.destroy(), 2_000).unref()
}
