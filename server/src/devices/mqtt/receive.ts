import type { Packet } from 'mqtt-packet'
import { applyBackpressure } from './backpressure.ts'
import { handleConnect } from './connect.ts'
import { type Connection, close, send } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { handlePublish } from './publish.ts'
import { reasons } from './reason-codes.ts'
import { refuse } from './refuse.ts'
import { handleSubscribe, handleUnsubscribe } from './subscribe.ts'

/** One packet from the wire, in the order of arrival. */
export function receive(endpoint: Endpoint, connection: Connection, packet: Packet): void {
  switch (connection.state) {
    case 'ended':
      break
    case 'connecting':
      // [MQTT5 3.1.4-5] a client may speak before its CONNACK; what it says waits for the verdict.
      connection.held.push(packet)
      break
    case 'new':
      // [MQTT-3.1.0-1] the first packet is a CONNECT. Whoever sends another is no client: no word is lost on it.
      if (packet.cmd === 'connect')
        void handleConnect(endpoint, connection, packet).then(() => release(endpoint, connection))
      else close(connection)
      break
    case 'open':
      handle(endpoint, connection, packet)
  }
}

function release(endpoint: Endpoint, connection: Connection): void {
  const held = connection.held
  connection.held = []
  for (const packet of held) receive(endpoint, connection, packet)
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
      // [MQTT-3.14.4-3] a clean DISCONNECT discards the will, unless version 5 asks for it by 0x04.
      connection.leaves = packet.reasonCode !== reasons.disconnect_with_will.v5
      close(connection)
      break
    default:
      // [MQTT-3.1.0-2] a second CONNECT; acknowledgements of messages we never sent; AUTH without a method.
      refuse(endpoint, connection, {
        reason: 'protocol_error',
        sentence: `A ${packet.cmd.toUpperCase()} has no place here.`,
        why: 'mqtt_unsupported',
      })
  }
}
