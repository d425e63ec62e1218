import type { ISubscribePacket, IUnsubscribePacket, Packet } from 'mqtt-packet'
import { handleConnect, supportedVersions } from './connect.ts'
import {
  applyBackpressure,
  type Connection,
  close,
  type Endpoint,
  hasRoom,
  reasonString,
  refuseConnect,
  send,
} from './connection.ts'
import { type Frame, PacketTooLarge, parsePacket, readOwnPublish } from './packet-reader.ts'
import { handlePublish, refuseInTurn } from './publish.ts'
import { reasons } from './reason-codes.ts'
import { recordRefusal, unsupported } from './refuse.ts'

/** Handles what has arrived, packet by packet, while the connection has room for more. */
export function readPackets(endpoint: Endpoint, connection: Connection): void {
  try {
    while (hasRoom(connection, endpoint)) {
      const frame = connection.reader.next()
      if (frame === null) break
      receive(endpoint, connection, frame)
    }
  } catch (error) {
    refuseMalformed(endpoint, connection, error as Error)
  }
  applyBackpressure(connection, endpoint)
}

function receive(endpoint: Endpoint, connection: Connection, frame: Frame): void {
  const publish = connection.device && readOwnPublish(frame, connection.device.topic, connection.version)
  if (publish) {
    handlePublish(endpoint, connection, publish)
    return
  }
  const packet = parsePacket(frame, connection.version)
  if (connection.state !== 'new') handle(endpoint, connection, packet)
  // [MQTT-3.1.0-1] the first packet is a CONNECT; anything else is closed without a reply.
  else if (packet.cmd !== 'connect') close(connection)
  // [MQTT5 3.1.4-5] a client may send packets before its CONNACK; they wait for the verdict.
  else void handleConnect(endpoint, connection, packet).then(() => readPackets(endpoint, connection))
}

/** [MQTT-4.8.0-1, MQTT5 4.13.1-1] the connection closes; before a CONNECT, only an unsupported version gets a reply. */
function refuseMalformed(endpoint: Endpoint, connection: Connection, error: Error): void {
  if (connection.state === 'new') {
    if (error.message === 'Invalid protocol version') {
      refuseConnect(connection, 'unsupported_version', supportedVersions)
    } else close(connection)
  } else if (error instanceof PacketTooLarge) {
    const refusal = { reason: 'packet_too_large', description: error.message, logReason: 'message_too_large' } as const
    refuseInTurn(endpoint, connection, refusal)
  } else refuseInTurn(endpoint, connection, unsupported('malformed_packet', error.message))
}

function handle(endpoint: Endpoint, connection: Connection, packet: Packet): void {
  switch (packet.cmd) {
    case 'publish':
      handlePublish(endpoint, connection, packet)
      break
    case 'pingreq':
      send(connection, { cmd: 'pingresp' })
      break
    case 'subscribe':
      handleSubscribe(endpoint, connection, packet)
      break
    case 'unsubscribe':
      handleUnsubscribe(connection, packet)
      break
    case 'disconnect':
      // [MQTT-3.14.4-3] a clean DISCONNECT discards the will, unless version 5 requests it by 0x04.
      connection.closeExpected = packet.reasonCode !== reasons.disconnect_with_will.v5
      close(connection)
      break
    default:
      // [MQTT-3.1.0-2] a second CONNECT; acknowledgements of messages we never sent; AUTH without a method.
      refuseInTurn(
        endpoint,
        connection,
        unsupported('protocol_error', `Unexpected packet: ${packet.cmd.toUpperCase()}.`),
      )
  }
}

const refusal = unsupported('not_authorized', 'Nothing is sent to devices, so there is nothing to subscribe to.')

/** [MQTT-3.8.4-5] one return code per filter; 0x80 is the only refusal of 3.1.1. The connection stays. */
function handleSubscribe(endpoint: Endpoint, connection: Connection, packet: ISubscribePacket): void {
  recordRefusal(endpoint, connection, refusal)
  const { messageId, subscriptions } = packet
  const [code, properties] =
    connection.version === 5 ? [reasons[refusal.reason].v5, reasonString(connection, refusal.description)] : [0x80, {}]
  send(connection, { cmd: 'suback', messageId: messageId!, granted: subscriptions.map(() => code), ...properties })
}

const noSubscriptionExisted = 0x11

/** [MQTT-3.10.4-4] acknowledged although there was no subscription. */
function handleUnsubscribe(connection: Connection, packet: IUnsubscribePacket): void {
  const granted = connection.version === 5 ? packet.unsubscriptions.map(() => noSubscriptionExisted) : []
  send(connection, { cmd: 'unsuback', messageId: packet.messageId!, granted })
}
