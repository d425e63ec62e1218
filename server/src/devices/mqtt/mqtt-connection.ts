import type { TLSSocket } from 'node:tls'
import { generate, type IConnackPacket, type Packet } from 'mqtt-packet'
import { mqttLimits } from '../../platform/own-limits.ts'
import type { Context } from '../context.ts'
import type { Outcome } from '../telemetry/outcome.ts'
import type { Feed } from './device-topics.ts'
import type { MqttRefusal } from './mqtt-refusal.ts'
import type { PacketBudget } from './packet-budget.ts'
import type { PacketReader } from './packets/packet-reader.ts'
import { connackCode, type Reason, reasons } from './reason-codes.ts'

/** What every packet handler needs. */
export interface Endpoint {
  context: Context
  /** The connections of this process by device; a device has several only while a new one takes over. */
  connections: Map<string, Set<Connection>>
  pushes: Pushes
  /** The listener closes: what was received is committed and acknowledged, and nothing more is read. */
  closing: boolean
}

/** Sends devices what they have subscribed to. */
export interface Pushes {
  /** After the SUBACK: what waits is sent, whether or not it was before. */
  onSubscribe(connection: Connection, feed: Feed): void
  /** The client acknowledged something, or reads again: what had no room may have now. */
  onRoom(connection: Connection): void
  /** The client has the command that this message carried. */
  onDelivered(connection: Connection, commandId: string): void
}

/** What a connection with subscriptions is sent. */
export interface Downlink {
  readonly subscriptions: Map<Feed, { topic: string; qos: 0 | 1 }>
  /** Identifiers of messages without a PUBACK so far, each with the command that it carries, if any. */
  readonly unacknowledged: Map<number, string | null>
  lastIdentifier: number
  /** The version of the settings that were sent last. */
  configVersion: number | null
  /** Being read from the database. */
  readonly reading: Set<Feed>
  /** To be read as soon as there is room, or when the current read has ended. */
  readonly due: Map<Feed, 'subscribe' | 'notice'>
}

/** A message from its arrival until it is settled, which is acknowledged or refused: [MQTT-4.6.0-2] in the order of arrival. */
export interface Pending {
  readonly qos: 0 | 1 | 2
  readonly messageId: number
  /** Null while it waits for its commit. */
  result: Outcome | MqttRefusal | null
}

export interface ConnectedDevice {
  id: string
  /** The id as the client spells it. */
  clientId: string
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
  /** The bytes that were not read as packets yet. */
  readonly reader: PacketReader
  readonly budget: PacketBudget
  /** Set while the budget is used up. */
  budgetTimer: NodeJS.Timeout | undefined
  /** Null until the CONNECT is accepted. */
  device: ConnectedDevice | null
  willPayload: Buffer | null
  /** Every packet restarts it. */
  keepAliveTimer: NodeJS.Timeout | undefined
  /** Messages that are not settled yet. */
  readonly pending: Pending[]
  /** The last of them ends the connection, and nothing after it is read. */
  refused: boolean
  /** Identifiers of messages to acknowledge at the end of this tick. */
  acknowledged: number[]
  /** Whether the end of this tick has something to do for it. */
  finishing: boolean
  /** Reads further packets. */
  read(): void
  /** Called when no message is left: a message must not set a device online that is already known to be lost. */
  onIdle: (() => void) | undefined
  /** The client's maximum packet size. */
  maxBytes: number
  /** How many messages the client takes without having acknowledged them. */
  receiveMaximum: number
  /** Null until a subscription is granted. */
  downlink: Downlink | null
  /** Whether the client wants a reason string in every packet that may have one. */
  problemInformation: boolean
  /** The client's CONNECT asked for no session beyond the connection. */
  withoutSession: boolean
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

/** Returns whether it was sent: false for a packet that the client has no room for. */
export function send(connection: Connection, packet: Packet): boolean {
  writeAcknowledgements(connection)
  if (!connection.socket.writable) return true
  const bytes = packetBytes(connection, packet)
  if (bytes) connection.socket.write(bytes)
  return bytes !== null
}

/**
 * Null for a packet that the client has no room for: [MQTT5 3.1.2-24, 3.1.2-25] it is not sent.
 * [MQTT5 3.2.2-19, 3.4.2-2, 3.9.2-1, 3.14.2-3] before that, its reason string is left out; [MQTT5 3.1.2-29] and always in
 * a PUBACK or SUBACK of a client that wants no problem information.
 */
function packetBytes({ version, maxBytes, problemInformation }: Connection, packet: Packet): Buffer | null {
  const options = { protocolVersion: version }
  const { reasonString, ...properties } = (packet as IConnackPacket).properties ?? {}
  if (reasonString !== undefined && (problemInformation || packet.cmd === 'connack' || packet.cmd === 'disconnect')) {
    const bytes = generate(packet, options)
    if (bytes.length <= maxBytes) return bytes
  }
  const bytes = generate({ ...packet, properties } as Packet, options)
  return bytes.length <= maxBytes ? bytes : null
}

let finishing: Connection[] = []

/**
 * Once per tick, when a message was settled: all messages of one commit are settled in one tick, so that their
 * acknowledgements become one write, and one TLS record.
 */
export function finishThisTick(connection: Connection): void {
  if (connection.finishing) return
  connection.finishing = true
  if (finishing.length === 0) process.nextTick(finishAll)
  finishing.push(connection)
}

function finishAll(): void {
  const connections = finishing
  finishing = []
  for (const connection of connections) {
    connection.finishing = false
    writeAcknowledgements(connection)
    connection.read()
    if (connection.pending.length === 0) connection.onIdle?.()
  }
}

/** The same in both versions: without a reason code the length is 2, which version 5 reads as success. */
function writeAcknowledgements(connection: Connection): void {
  const { acknowledged, socket } = connection
  if (acknowledged.length === 0) return
  connection.acknowledged = []
  if (!socket.writable) return
  const bytes = Buffer.allocUnsafe(4 * acknowledged.length)
  for (const [index, messageId] of acknowledged.entries()) bytes.writeUInt32BE(0x40020000 + messageId, 4 * index)
  socket.write(bytes)
}

/** [MQTT-3.2.2-7 in version 5, MQTT-3.2.2-5 in 3.1.1] a refused CONNECT closes the connection. */
export function refuseConnect(connection: Connection, reason: Reason, description: string): void {
  const returnCode = connackCode(reason)
  if (connection.version === 5) {
    const properties = reasonString(description)
    send(connection, { cmd: 'connack', sessionPresent: false, reasonCode: reasons[reason].v5, properties })
  } else if (returnCode !== undefined) {
    send(connection, { cmd: 'connack', sessionPresent: false, returnCode })
  }
  close(connection)
}

/** Version 5 gets the reason in a DISCONNECT; 3.1.1 has no DISCONNECT from the server. */
export function endConnection(connection: Connection, reason: Reason, description?: string): void {
  if (connection.state === 'ended') return
  if (connection.version === 5 && connection.state === 'open') {
    const properties = description === undefined ? {} : reasonString(description)
    send(connection, { cmd: 'disconnect', reasonCode: reasons[reason].v5, properties })
  }
  close(connection)
}

/** [MQTT5 1.5.4] a client may close the connection at control characters, which the name of a refused data point can have. */
export function reasonString(description: string): { reasonString: string } {
  return { reasonString: description.replace(/[\p{Cc}\p{Noncharacter_Code_Point}]/gu, '\ufffd') }
}

/** Replies already written are still sent; a client that does not close its side is cut off. */
export function close(connection: Connection): void {
  writeAcknowledgements(connection)
  connection.state = 'ended'
  connection.reader.clear()
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
  connection.keepAliveTimer = setTimeout(() => endIfSilent(connection), keepAliveSeconds * 1_500).unref()
}

/** Only for the client's own silence: not while we do not read, nor for what arrived while this process was busy. */
function endIfSilent(connection: Connection): void {
  const { socket, pending, keepAliveTimer, budgetTimer } = connection
  if (pending.length > 0 || budgetTimer) return void keepAliveTimer?.refresh()
  const { bytesRead } = socket
  // After the next poll phase.
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) endConnection(connection, 'keep_alive_timeout')
  })
}

/** Whether the next packet may be read. Memory is bounded: what is not read stays with the client. */
export function hasRoom({ socket, pending, state, refused, budget }: Connection, { closing }: Endpoint): boolean {
  if (state === 'connecting' || state === 'ended' || refused || closing) return false
  // What a client sent before it left is read in any case.
  if (socket.destroyed) return pending.length < mqttLimits.inFlight
  return pending.length < mqttLimits.inFlight && socket.writableLength <= mqttLimits.unreadBytes && budget.isLeft()
}

/** Stops reading while there is no room. At half, so that a busy connection does not pause and resume with every message. */
export function applyBackpressure(connection: Connection, endpoint: Endpoint): void {
  const { socket, pending, state, keepAliveTimer } = connection
  if (state === 'ended') return
  if (!hasRoom(connection, endpoint)) {
    if (!socket.isPaused()) socket.pause()
    if (!connection.budget.isLeft()) readLater(connection)
  } else if (socket.isPaused() && pending.length <= mqttLimits.inFlight >> 1) {
    // Its silence until now was ours.
    if (state === 'open') keepAliveTimer?.refresh()
    socket.resume()
  }
}

/** A few packets per round: of those that count as other packets, five. */
const budgetMilliseconds = 250

function readLater(connection: Connection): void {
  connection.budgetTimer ??= setTimeout(() => {
    connection.budgetTimer = undefined
    connection.read()
  }, budgetMilliseconds).unref()
}
