import type { ISubscribePacket, IUnsubscribePacket } from 'mqtt-packet'
import { type Connection, fitting, send } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { reasons } from './reason-codes.ts'
import { noteRefusal, type Refused } from './refuse.ts'

const refused: Refused = {
  reason: 'not_authorized',
  sentence: 'Nothing is sent to devices, so there is nothing to subscribe to.',
  why: 'mqtt_unsupported',
}

/** No filter is granted [MQTT-3.8.4-5: one answer a filter; 0x80 is 3.1.1's only refusal], and the connection stays. */
export function handleSubscribe(endpoint: Endpoint, connection: Connection, packet: ISubscribePacket): void {
  noteRefusal(endpoint, connection, refused)
  const { messageId, subscriptions } = packet
  const [code, words] =
    connection.version === 5 ? [reasons[refused.reason].v5, fitting(connection, refused.sentence)] : [0x80, {}]
  send(connection, { cmd: 'suback', messageId: messageId!, granted: subscriptions.map(() => code), ...words })
}

const noSubscriptionExisted = 0x11

/** [MQTT-3.10.4-4] acknowledged even though there never was a subscription. */
export function handleUnsubscribe(connection: Connection, packet: IUnsubscribePacket): void {
  const granted = connection.version === 5 ? packet.unsubscriptions.map(() => noSubscriptionExisted) : []
  send(connection, { cmd: 'unsuback', messageId: packet.messageId!, granted })
}
