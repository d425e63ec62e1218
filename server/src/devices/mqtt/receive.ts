import { mqttLimits } from '../../platform/own-limits.ts'
import { handleConnect } from './mqtt-connect.ts'
import {
  applyBackpressure,
  type Connection,
  close,
  type Endpoint,
  hasRoom,
  refuseConnect,
  send,
} from './mqtt-connection.ts'
import { handlePublish, refuseInTurn } from './mqtt-publish.ts'
import { readConnect, readProtocolVersion } from './packets/connect-packet.ts'
import type { DisconnectPacket } from './packets/disconnect-packet.ts'
import { PacketFault, protocolError } from './packets/packet-fault.ts'
import type { Frame } from './packets/packet-reader.ts'
import { readOwnPublish } from './packets/publish-packet.ts'
import { fieldsOf, type Packet, readPacket, requireMinimal } from './packets/read-packet.ts'
import { reasons } from './reason-codes.ts'
import { handlePuback, handleSubscribe, handleUnsubscribe } from './subscriptions.ts'

/** Handles what has arrived, packet by packet, while the connection has room for more. */
export function readPackets(endpoint: Endpoint, connection: Connection): void {
  try {
    while (hasRoom(connection, endpoint)) {
      const frame = connection.reader.next(
        connection.state === 'new' ? mqttLimits.connectBytes : mqttLimits.packetBytes,
      )
      if (frame === null) break
      receive(endpoint, connection, frame)
    }
  } catch (error) {
    if (!(error instanceof PacketFault)) throw error
    refuseFault(endpoint, connection, error)
  }
  applyBackpressure(connection, endpoint)
}

function receive(endpoint: Endpoint, connection: Connection, frame: Frame): void {
  if (connection.state === 'new') {
    receiveFirst(endpoint, connection, frame)
    return
  }
  const bytes = frame.end - frame.start
  if (frame.bytes[frame.start]! >> 4 === 3) connection.budget.takeMessage(bytes)
  else connection.budget.takeOther(bytes)
  const publish = connection.device && readOwnPublish(frame, connection.device.topic, connection.version)
  if (publish) handlePublish(endpoint, connection, publish)
  else handle(endpoint, connection, readPacket(frame, connection.version))
}

/** [MQTT-3.1.0-1] the first packet is a CONNECT; anything else is closed without a reply. */
function receiveFirst(endpoint: Endpoint, connection: Connection, frame: Frame): void {
  if (frame.bytes[frame.start]! >> 4 !== 1) {
    close(connection)
    return
  }
  const fields = fieldsOf(frame)
  connection.version = readProtocolVersion(fields)
  requireMinimal(frame, connection.version)
  const packet = readConnect(fields, connection.version)
  // [MQTT5 3.1.4-5] a client may send packets before its CONNACK; they wait for the verdict.
  void handleConnect(endpoint, connection, packet).then(() => readPackets(endpoint, connection))
}

/** [MQTT-3.1.4-1] 3.1.1 gets no CONNACK for a malformed CONNECT, version 5 one with the reason. */
function refuseFault(endpoint: Endpoint, connection: Connection, { reason, message }: PacketFault): void {
  const logReason = reason === 'packet_too_large' ? 'message_too_large' : 'mqtt_unsupported'
  if (connection.state === 'new') refuseConnect(connection, reason, message)
  else refuseInTurn(endpoint, connection, { reason, description: message, logReason })
}

function handle(endpoint: Endpoint, connection: Connection, packet: Packet): void {
  switch (packet.kind) {
    case 'publish':
      handlePublish(endpoint, connection, packet)
      break
    case 'pingreq':
      send(connection, { cmd: 'pingresp' })
      break
    case 'puback':
      handlePuback(endpoint, connection, packet)
      break
    case 'subscribe':
      handleSubscribe(endpoint, connection, packet)
      break
    case 'unsubscribe':
      handleUnsubscribe(connection, packet)
      break
    case 'disconnect':
      handleDisconnect(connection, packet)
      break
  }
}

function handleDisconnect(connection: Connection, { reasonCode, properties }: DisconnectPacket): void {
  // [MQTT5 3.14.2.2.2] it is then not a valid DISCONNECT.
  if (properties.sessionExpiryInterval && connection.withoutSession) {
    throw protocolError('A session that ends with its connection cannot be prolonged.')
  }
  // [MQTT-3.14.4-3] a clean DISCONNECT discards the will, unless version 5 requests it by 0x04.
  connection.closeExpected = reasonCode === reasons.success.v5
  close(connection)
}
