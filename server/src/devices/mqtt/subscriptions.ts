import { feedOf } from './device-topics.ts'
import { type Connection, type Downlink, type Endpoint, reasonString, send } from './mqtt-connection.ts'
import { type MqttRefusal, unsupported } from './mqtt-refusal.ts'
import { protocolError } from './packets/packet-fault.ts'
import type { PubackPacket } from './packets/puback-packet.ts'
import type { SubscribePacket, UnsubscribePacket } from './packets/subscribe-packet.ts'
import { type Reason, reasons } from './reason-codes.ts'
import { recordRefusal } from './refuse.ts'

/** [MQTT-3.8.4-5] one return code per filter; 0x80 is the only refusal of 3.1.1. The connection stays. */
export function handleSubscribe(endpoint: Endpoint, connection: Connection, packet: SubscribePacket): void {
  const { clientId } = connection.device!
  const requested = packet.filters.map(({ filter, qos }) => ({ filter, qos, feed: feedOf(filter, clientId) }))
  const refusals = requested.map(({ feed }) => judge(feed !== null, clientId, packet))
  const refusal = refusals.find((found) => found !== null)
  if (refusal) recordRefusal(endpoint, connection, refusal)
  const granted = requested.map(({ filter, qos, feed }, index) => {
    const refused = refusals[index]
    if (refused) return connection.version === 5 ? reasons[refused.reason].v5 : 0x80
    // [MQTT-3.8.4-3, MQTT5 3.8.4-3] a further one replaces the one before.
    connection.downlink ??= newDownlink()
    const most = qos === 0 ? 0 : 1
    connection.downlink.subscriptions.set(feed!, { topic: filter, qos: most })
    return most
  })
  const properties = refusal ? reasonString(refusal.description) : {}
  send(connection, { cmd: 'suback', messageId: packet.messageId, granted, properties })
  const feeds = new Set(requested.flatMap(({ feed }, index) => (refusals[index] || feed === null ? [] : feed)))
  for (const feed of feeds) endpoint.pushes.onSubscribe(connection, feed)
}

function judge(isOwn: boolean, clientId: string, { hasIdentifier }: SubscribePacket): MqttRefusal | null {
  if (!isOwn) {
    const description = `This device may only subscribe to v1/devices/${clientId}/command and v1/devices/${clientId}/config.`
    return unsupported('not_authorized', description)
  }
  // [MQTT5 3.2.2.3.12] the CONNACK said so.
  const reason: Reason = 'subscription_identifiers_not_supported'
  return hasIdentifier ? unsupported(reason, 'Subscribe without a subscription identifier.') : null
}

function newDownlink(): Downlink {
  return {
    subscriptions: new Map(),
    unacknowledged: new Map(),
    lastIdentifier: 0,
    configVersion: null,
    reading: new Set(),
    due: new Map(),
  }
}

const noSubscriptionExisted = 0x11

/** [MQTT-3.10.4-4, 3.10.4-5] acknowledged although there was no subscription; nothing new is sent from now on. */
export function handleUnsubscribe(connection: Connection, { messageId, filters }: UnsubscribePacket): void {
  const { device, downlink, version } = connection
  const codes = filters.map((filter) => {
    const feed = feedOf(filter, device!.clientId)
    if (feed === null || downlink?.subscriptions.get(feed)?.topic !== filter) return noSubscriptionExisted
    downlink.subscriptions.delete(feed)
    return reasons.success.v5
  })
  send(connection, { cmd: 'unsuback', messageId, granted: version === 5 ? codes : [] })
}

/** [MQTT-4.3.2-2, MQTT5 4.3.2-5] the message is no longer sent; its identifier may be used again. */
export function handlePuback(
  { pushes }: Endpoint,
  connection: Connection,
  { messageId, reasonCode }: PubackPacket,
): void {
  const commandId = connection.downlink?.unacknowledged.get(messageId)
  if (commandId === undefined) throw protocolError(`No message with identifier ${messageId} waits for its PUBACK.`)
  connection.downlink!.unacknowledged.delete(messageId)
  if (commandId !== null && reasonCode < 0x80) pushes.onDelivered(connection, commandId)
  pushes.onRoom(connection)
}
