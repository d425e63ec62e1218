import type { ISubscribePacket, IUnsubscribePacket, Packet } from 'mqtt-packet'
import { handleConnect } from './connect.ts'
import { applyBackpressure, type Connection, close, type Endpoint, reasonString, send } from './connection.ts'
import { handlePublish } from './publish.ts'
import { reasons } from './reason-codes.ts'
import { recordRefusal, refuse, unsupported } from './refuse.ts'

/** Dispatches a packet, in the order of arrival. */
export function receive(endpoint: Endpoint, connection: Connection, packet: Packet): void {
  switch (connection.state) {
    case 'ended':
      break
    case 'connecting':
      // [MQTT5 3.1.4-5] a client may send packets before its CONNACK; they wait for the verdict.
      connection.queued.push(packet)
      break
    case 'new':
      // [MQTT-3.1.0-1] the first packet is a CONNECT; anything else is closed without a reply.
      if (packet.cmd === 'connect')
        void handleConnect(endpoint, connection, packet).then(() => receiveQueued(endpoint, connection))
      else close(connection)
      break
    case 'open':
      handle(endpoint, connection, packet)
  }
}

function receiveQueued(endpoint: Endpoint, connection: Connection): void {
  const { queued } = connection
  connection.queued = []
  for (const packet of queued) receive(endpoint, connection, packet)
  applyBackpressure(connection)
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
      refuse(endpoint, connection, unsupported('protocol_error', `Unexpected packet: ${packet.cmd.toUpperCase()}.`))
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
