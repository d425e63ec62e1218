import type { TLSSocket } from 'node:tls'
import { generate, type Packet } from 'mqtt-packet'
import type { Context } from '../../context.ts'
import { maxInFlight, maxUnreadBytes } from './limits.ts'
import { connackCode, type Reason, reasons } from './reason-codes.ts'

/** What every packet handler needs. */
export interface Endpoint {
  context: Context
  /** The connections of this process by device; a device has several only while a new one takes over. */
  connections: Map<string, Set<Connection>>
}

export interface ConnectedDevice {
  id: string
  /** The digest of the access key in its CONNECT, checked again with every message. */
  key_digest: string
  topic: string
  /** Counts the device's connections over all processes: the highest is the current one. */
  number: number
}

export interface Connection {
  readonly id: string
  readonly socket: TLSSocket
  version: 4 | 5
  state: 'new' | 'connecting' | 'open' | 'ended'
  /** Packets that arrived while the CONNECT before them was being checked. */
  queued: Packet[]
  /** Null until the CONNECT is accepted. */
  device: ConnectedDevice | null
  willPayload: Buffer | null
  /** Every packet restarts it. */
  keepAliveTimer: NodeJS.Timeout | undefined
  /** Messages received but not yet committed. */
  inFlight: number
  /** Called when none is left: a message must not set a device online that is already known to be lost. */
  onIdle: (() => void) | undefined
  /** The client's maximum packet size. */
  maxBytes: number
  /** The highest connection number published for this device while its own was not yet known. */
  takenOverBy: number
  /** After a clean DISCONNECT, and where the server ends it: the close is then not a lost connection. */
  closeExpected: boolean
}

export function addConnection({ connections }: Endpoint, deviceId: string, connection: Connection): void {
  const ofDevice = connections.get(deviceId)
  if (ofDevice) ofDevice.add(connection)
  else connections.set(deviceId, new Set([connection]))
}

export function removeConnection({ connections }: Endpoint, deviceId: string, connection: Connection): void {
  const ofDevice = connections.get(deviceId)
  ofDevice?.delete(connection)
  if (ofDevice?.size === 0) connections.delete(deviceId)
}

export function send(connection: Connection, packet: Packet): void {
  if (connection.socket.writable) {
    connection.socket.write(generate(packet, { protocolVersion: connection.version }))
  }
}

/** The acknowledgements of one commit become one TLS record. */
export function sendCorked({ socket }: Connection, bytes: Buffer): void {
  if (!socket.writable) return
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  socket.write(bytes)
}

/** [MQTT-3.2.2-7 in version 5, MQTT-3.2.2-5 in 3.1.1] a refused CONNECT closes the connection. */
export function refuseConnect(connection: Connection, reason: Reason, description: string): void {
  const returnCode = connackCode(reason)
  if (connection.version === 5) {
    const properties = reasonString(connection, description)
    send(connection, { cmd: 'connack', sessionPresent: false, reasonCode: reasons[reason].v5, ...properties })
  } else if (returnCode !== undefined) {
    send(connection, { cmd: 'connack', sessionPresent: false, returnCode })
  }
  close(connection)
}

/** Version 5 gets the reason in a DISCONNECT; 3.1.1 has no DISCONNECT from the server. */
export function endConnection(connection: Connection, reason: Reason, description?: string): void {
  if (connection.state === 'ended') return
  if (connection.version === 5 && connection.state === 'open') {
    const properties = description === undefined ? {} : reasonString(connection, description)
    send(connection, { cmd: 'disconnect', reasonCode: reasons[reason].v5, ...properties })
  }
  close(connection)
}

/**
 * [MQTT-3.2.2-19, 3.4.2-2, 3.14.2-3] a reason string is left out rather than exceed the client's packet size.
 * [MQTT5 1.5.4] a client may close the connection at control characters, which the name of a refused data point can have.
 */
export function reasonString(connection: Connection, description: string): { properties?: { reasonString: string } } {
  const reasonString = description.replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, '\ufffd')
  return Buffer.byteLength(reasonString) + 64 <= connection.maxBytes ? { properties: { reasonString } } : {}
}

/** Replies already written are still sent; a client that does not close its side is cut off. */
export function close(connection: Connection): void {
  connection.state = 'ended'
  connection.queued = []
  clearTimeout(connection.keepAliveTimer)
  const { socket } = connection
  socket.end()
  // A paused socket would not notice that the client closed its side.
  socket.resume()
  connection.keepAliveTimer = setTimeout(() => socket.destroy(), 2_000).unref()
}

/** [MQTT-3.1.2-24, MQTT5 3.1.2-22] nothing for 1.5 times the keep-alive: the connection is lost. Zero turns it off. */
export function startKeepAlive(connection: Connection, keepAliveSeconds: number): void {
  clearTimeout(connection.keepAliveTimer)
  connection.keepAliveTimer = undefined
  if (keepAliveSeconds === 0) return
  connection.keepAliveTimer = setTimeout(
    () => endConnection(connection, 'keep_alive_timeout'),
    keepAliveSeconds * 1_500,
  ).unref()
}

/** Stops reading while a CONNECT is checked, messages wait for their commit or replies are not read: memory is bounded. */
export function applyBackpressure({ socket, inFlight, state }: Connection): void {
  const full = state === 'connecting' || inFlight >= maxInFlight || socket.writableLength > maxUnreadBytes
  if (full && !socket.isPaused()) socket.pause()
  // At half, so that a busy connection does not pause and resume with every message.
  else if (!full && inFlight <= maxInFlight >> 1 && socket.isPaused()) socket.resume()
}
