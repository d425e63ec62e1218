import type { Packet } from 'mqtt-packet'
import { handleConnect } from './connect.ts'
import { applyBackpressure, type Connection, close, type Endpoint, send } from './connection.ts'
import { handlePublish } from './publish.ts'
import { reasons } from './reason-codes.ts'
import { refuse, unsupported } from './refuse.ts'
import { handleSubscribe, handleUnsubscribe } from './subscribe.ts'

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
