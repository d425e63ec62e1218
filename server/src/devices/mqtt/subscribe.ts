import type { ISubscribePacket, IUnsubscribePacket } from 'mqtt-packet'
import { type Connection, type Endpoint, reasonString, send } from './connection.ts'
import { reasons } from './reason-codes.ts'
import { recordRefusal, unsupported } from './refuse.ts'

const refusal = unsupported('not_authorized', 'Nothing is sent to devices, so there is nothing to subscribe to.')

/** [MQTT-3.8.4-5] one return code per filter; 0x80 is the only refusal of 3.1.1. The connection stays. */
export function handleSubscribe(endpoint: Endpoint, connection: Connection, packet: ISubscribePacket): void {
  recordRefusal(endpoint, connection, refusal)
  const { messageId, subscriptions } = packet
  const [code, properties] =
    connection.version === 5 ? [reasons[refusal.reason].v5, reasonString(connection, refusal.description)] : [0x80, {}]
  send(connection, { cmd: 'suback', messageId: messageId!, granted: subscriptions.map(() => code), ...properties })
}

const noSubscriptionExisted = 0x11

/** [MQTT-3.10.4-4] acknowledged although there was no subscription. */
export function handleUnsubscribe(connection: Connection, packet: IUnsubscribePacket): void {
  const granted = connection.version === 5 ? packet.unsubscriptions.map(() => noSubscriptionExisted) : []
  send(connection, { cmd: 'unsuback', messageId: packet.messageId!, granted })
}
