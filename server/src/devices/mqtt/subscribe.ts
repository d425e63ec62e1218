import type { ISubscribePacket, IUnsubscribePacket } from 'mqtt-packet'
import { type Connection, send } from './connection.ts'
import { reasons } from './reason-codes.ts'

/** Nothing is sent to devices, so no filter is granted [MQTT-3.8.4-5: one answer a filter; 0x80 is 3.1.1's only refusal]. */
export function handleSubscribe(connection: Connection, packet: ISubscribePacket): void {
  const refused = connection.version === 5 ? reasons.not_authorized.v5 : 0x80
  send(connection, { cmd: 'suback', messageId: packet.messageId!, granted: packet.subscriptions.map(() => refused) })
}

const noSubscriptionExisted = 0x11

/** [MQTT-3.10.4-4] acknowledged even though there never was a subscription. */
export function handleUnsubscribe(connection: Connection, packet: IUnsubscribePacket): void {
  const granted = connection.version === 5 ? packet.unsubscriptions.map(() => noSubscriptionExisted) : []
  send(connection, { cmd: 'unsuback', messageId: packet.messageId!, granted })
}
