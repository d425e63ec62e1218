import type { IPublishPacket } from 'mqtt-packet'
import { mqttLimits } from '../../platform/own-limits.ts'
import type { HandedOut } from '../commands/hand-out.ts'
import type { Context } from '../context.ts'
import { commandTopic, configTopic } from '../live/topics.ts'
import { authenticateDevice } from '../telemetry/ingest.ts'
import { commandReportTopic, type Feed } from './device-topics.ts'
import { type Connection, type Endpoint, type Pushes, send } from './mqtt-connection.ts'
import { recordPushTooLarge } from './refuse.ts'

type Reads = 'subscribe' | 'notice'

/** What is published to a device, without the topic and the QoS of its subscription. */
interface Push {
  payload: string
  command?: HandedOut
  /** Of settings. */
  version?: number
}

/** After a failure, so that what was published meanwhile is not lost: a notification comes only once. */
const againMilliseconds = 1_000

/**
 * Sends the head of a device's queue at each SUBSCRIBE and whenever a notification says that there is a new one: on the
 * process that has its connection, whichever process the command came to. Nothing of it is remembered here but what the
 * client has not acknowledged: the queue is in the database.
 */
export function createPushes(context: Context, connections: Endpoint['connections']) {
  const { notifications, log } = context

  function request(connection: Connection, feed: Feed, why: Reads): void {
    const { downlink } = connection
    if (!isOpen(connection) || !downlink?.subscriptions.has(feed)) return
    if (downlink.reading.has(feed) || !hasRoomFor(connection)) {
      if (downlink.due.get(feed) !== 'subscribe') downlink.due.set(feed, why)
      return
    }
    downlink.reading.add(feed)
    void read(connection, feed, why).finally(() => {
      downlink.reading.delete(feed)
      requestDue(connection)
    })
  }

  async function read(connection: Connection, feed: Feed, why: Reads): Promise<void> {
    try {
      const push = await readers[feed](context, connection, why)
      if (push) sendPush(context, connection, feed, push)
    } catch (error) {
      log.warn({ err: error, device_id: connection.device!.id, feed }, 'mqtt: not sent to the device yet')
      setTimeout(() => request(connection, feed, why), againMilliseconds * (1 + Math.random())).unref()
    }
  }

  function requestDue(connection: Connection): void {
    const { due } = connection.downlink!
    for (const [feed, why] of [...due]) {
      due.delete(feed)
      request(connection, feed, why)
    }
  }

  const onNotification = (feed: Feed) => (deviceId: string) => {
    for (const connection of connections.get(deviceId) ?? []) request(connection, feed, 'notice')
  }

  /** Notifications may have been lost. */
  function readAll(): void {
    for (const ofDevice of connections.values()) {
      for (const connection of ofDevice) {
        for (const feed of connection.downlink?.subscriptions.keys() ?? []) request(connection, feed, 'notice')
      }
    }
  }

  const pushes: Pushes = {
    onSubscribe: (connection, feed) => request(connection, feed, 'subscribe'),
    onRoom: requestDue,
    onDelivered({ device }, id) {
      const { id: device_id } = device!
      context.commandHandOut.confirm({ device_id, id }).catch((error) => {
        // Nothing depends on it: a report says the same, and without one the command is sent again.
        log.warn({ err: error, device_id }, 'mqtt: delivery of a command not recorded')
      })
    },
  }

  async function start(): Promise<() => void> {
    const stops = [
      await notifications.subscribe(commandTopic, onNotification('command')),
      await notifications.subscribe(configTopic, onNotification('config')),
      notifications.afterGap(readAll),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  }

  return { pushes, start }
}

/** One that moves to another hub is sent the rest there. */
function isOpen({ state, refused, socket }: Connection): boolean {
  return state === 'open' && !refused && !socket.destroyed
}

/** [MQTT5 3.3.4-9] within the client's receive maximum; and not for a client that does not read what it was sent. */
function hasRoomFor({ downlink, receiveMaximum, socket }: Connection): boolean {
  const { unacknowledged, reading } = downlink!
  return unacknowledged.size + reading.size < receiveMaximum && socket.writableLength <= mqttLimits.unreadBytes
}

const readers: Record<Feed, (context: Context, connection: Connection, why: Reads) => Promise<Push | null>> = {
  async command(context, connection, why) {
    const { id, key_digest } = connection.device!
    // The key may have been revoked a moment ago; and most devices have no command.
    const verdict = await authenticateDevice(context, { device_id: id, key_digest })
    if (verdict.status === 503) throw new Error(verdict.error)
    if (verdict.status !== 200 || !verdict.command || !isOpen(connection)) return null
    const command = await context.commandHandOut.next(id, why)
    return command ? { payload: JSON.stringify(command), command } : null
  },
  async config(context, connection, why) {
    const { id, key_digest } = connection.device!
    const verdict = await authenticateDevice(context, { device_id: id, key_digest })
    if (verdict.status === 503) throw new Error(verdict.error)
    if (verdict.status !== 200 || verdict.config_version === undefined) return null
    // After a gap nearly all devices have what they should have.
    if (why === 'notice' && connection.downlink!.configVersion === verdict.config_version) return null
    const config = await context.readConfigs(id)
    return config ? { payload: JSON.stringify(config), version: config.version } : null
  },
}

function sendPush(context: Context, connection: Connection, feed: Feed, push: Push): void {
  const { payload, command, version } = push
  const { downlink, device } = connection
  const subscription = downlink?.subscriptions.get(feed)
  if (!subscription || !isOpen(connection)) return
  const secondsLeft = command && (new Date(command.expires_at).getTime() - context.now().getTime()) / 1000
  // It was handed out in time, and reached this line too late; one that is in progress was taken before.
  if (secondsLeft !== undefined && secondsLeft <= 0 && command!.state !== 'in_progress') return
  const { topic, qos } = subscription
  const packet: IPublishPacket = { cmd: 'publish', topic, payload, qos, dup: false, retain: false }
  if (qos === 1) packet.messageId = nextIdentifier(connection)
  if (connection.version === 5) packet.properties = propertiesOf(device!.clientId, command, secondsLeft)
  if (qos === 1) downlink!.unacknowledged.set(packet.messageId!, command?.id ?? null)
  if (version !== undefined) downlink!.configVersion = version
  if (send(connection, packet)) return
  downlink!.unacknowledged.delete(packet.messageId!)
  recordPushTooLarge({ context }, connection, topic)
}

/** [MQTT-2.3.1-4, MQTT5 2.2.1-4] one that is not in use; there are far fewer messages than identifiers. */
function nextIdentifier({ downlink }: Connection): number {
  const { unacknowledged } = downlink!
  do downlink!.lastIdentifier = (downlink!.lastIdentifier % 0xffff) + 1
  while (unacknowledged.has(downlink!.lastIdentifier))
  return downlink!.lastIdentifier
}

function propertiesOf(clientId: string, command: HandedOut | undefined, secondsLeft: number | undefined) {
  const json = { payloadFormatIndicator: true, contentType: 'application/json' }
  if (!command) return json
  return {
    ...json,
    ...(secondsLeft! > 0 ? { messageExpiryInterval: Math.max(1, Math.floor(secondsLeft!)) } : {}),
    responseTopic: commandReportTopic(clientId, command.id),
    correlationData: Buffer.from(command.id),
  }
}
