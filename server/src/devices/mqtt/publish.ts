import type { IPublishPacket } from 'mqtt-packet'
import type { Context } from '../../context.ts'
import { parseJson } from '../../platform/bounded-json.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { Tracing } from '../../platform/tracing.ts'
import { type IncomingMessage, ingest, type Outcome } from '../telemetry/ingest.ts'
import {
  applyBackpressure,
  type Connection,
  type Endpoint,
  endConnection,
  reasonString,
  send,
  sendCorked,
} from './connection.ts'
import { maxInFlight, maxPayloadBytes } from './limits.ts'
import { credentialLogReasons, type MqttRefusal, recordRefusal, refuse, unsupported } from './refuse.ts'

/** The only topic a device may publish to. */
export function telemetryTopic(deviceId: string): string {
  return `v1/devices/${deviceId}/telemetry`
}

export function handlePublish(endpoint: Endpoint, connection: Connection, packet: IPublishPacket): void {
  // [MQTT5 3.3.4-7] version 5 knows the receive maximum; 3.1.1 has none, and is paused instead.
  if (connection.version === 5 && packet.qos === 1 && connection.inFlight >= maxInFlight) {
    const description = `At most ${maxInFlight} messages may wait for their acknowledgement.`
    refuse(endpoint, connection, unsupported('receive_maximum_exceeded', description))
    return
  }
  const judged = judgePublish(packet, connection.device!.topic, connection.version)
  if ('reason' in judged) {
    refuseMessage(endpoint, connection, packet, judged)
    endpoint.context.counters.countRefusedMessage('mqtt', judged.logReason)
    return
  }
  connection.inFlight += 1
  const { context } = endpoint
  const { id, key_digest } = connection.device!
  const message = { device_id: id, key_digest, body: judged.body }
  const ingested = context.tracing ? ingestTraced(context, context.tracing, packet, message) : ingest(context, message)
  void ingested.then((outcome) => {
    context.counters.countMessage('mqtt', outcome)
    connection.inFlight -= 1
    applyBackpressure(connection)
    if (connection.inFlight === 0) connection.onIdle?.()
    acknowledge(endpoint, connection, packet, outcome)
  })
}

async function ingestTraced(
  context: Context,
  tracing: Tracing,
  packet: IPublishPacket,
  message: IncomingMessage,
): Promise<Outcome> {
  const caller = packet.properties?.userProperties?.traceparent
  const span = tracing.start({ name: 'PUBLISH v1/devices/:id/telemetry', kind: 'server', caller })
  const outcome = await tracing.run(span, () => ingest(context, message))
  span.end({ 'landbridge.status': outcome.status }, { failed: outcome.status === 503 })
  return outcome
}

/** A PUBLISH to the device's own topic with a JSON body, or what is wrong with it. */
function judgePublish(packet: IPublishPacket, ownTopic: string, version: 4 | 5): { body: unknown } | MqttRefusal {
  if (packet.qos === 2) return unsupported('qos_not_supported', 'Publish with QoS 0 or 1.')
  // [MQTT-2.3.1-1]
  if (packet.qos === 1 && !packet.messageId) {
    return unsupported('protocol_error', 'QoS 1 needs a packet identifier other than zero.')
  }
  // [MQTT5 3.3.2-9] the CONNACK granted no aliases.
  if (packet.properties?.topicAlias !== undefined) {
    return unsupported('topic_alias_invalid', 'Topic aliases are not supported.')
  }
  // 3.1.1 has no reason code for it; without subscribers a retained message is like any other.
  if (packet.retain && version === 5) return unsupported('retain_not_supported', 'Publish without retain.')
  if (packet.topic !== ownTopic) {
    // [MQTT-3.3.2-2] a topic name has no wildcards.
    const reason = packet.topic === '' || /[+#]/.test(packet.topic) ? 'topic_name_invalid' : 'not_authorized'
    const description = `This device may only publish to ${ownTopic}.`
    return { reason, description, logReason: 'topic_not_allowed' }
  }
  if (packet.payload.length > maxPayloadBytes) {
    const description = 'A message must not exceed 128 KiB.'
    return { reason: 'packet_too_large', description, logReason: 'message_too_large' }
  }
  try {
    return { body: parseJson(packet.payload.toString('utf8')) }
  } catch (error) {
    const description = (error as Refusal).message
    return { reason: 'payload_format_invalid', description, logReason: 'telemetry_invalid' }
  }
}

/** In both versions the acknowledgement means committed, and is never sent for anything less. */
function acknowledge(endpoint: Endpoint, connection: Connection, packet: IPublishPacket, outcome: Outcome): void {
  switch (outcome.status) {
    case 200:
      if (packet.qos === 1) sendCorked(connection, puback(packet.messageId!))
      break
    case 422:
      refuseMessage(endpoint, connection, packet, {
        reason: 'payload_format_invalid',
        description: outcome.error,
        logReason: 'telemetry_invalid',
      })
      break
    case 503:
      // Without an acknowledgement the device sends it again when it reconnects.
      endConnection(connection, 'server_busy', outcome.error)
      break
    default: {
      // The device was just removed or has a new key: the notification that ends this connection is on its way.
      connection.closeExpected = true
      const logReason = credentialLogReasons[outcome.status]
      refuse(endpoint, connection, { reason: 'not_authorized', description: outcome.error, logReason })
    }
  }
}

/**
 * Version 5 carries the reason in the PUBACK and the connection stays. Where there is no such PUBACK (QoS 0, and all of
 * 3.1.1) the connection ends: [MQTT-3.3.5-2] leaves 3.1.1 that or a false acknowledgement.
 */
function refuseMessage(endpoint: Endpoint, connection: Connection, packet: IPublishPacket, refusal: MqttRefusal): void {
  const { reason, description } = refusal
  if (connection.version === 5 && packet.qos === 1 && reason in pubackCodes) {
    const reasonCode = pubackCodes[reason as keyof typeof pubackCodes]
    recordRefusal(endpoint, connection, refusal)
    const properties = reasonString(connection, description)
    send(connection, { cmd: 'puback', messageId: packet.messageId!, reasonCode, ...properties })
  } else refuse(endpoint, connection, refusal)
}

/** [MQTT5 3.4.2.1] the reasons a PUBACK may carry; the others end the connection. */
const pubackCodes = { not_authorized: 0x87, topic_name_invalid: 0x90, payload_format_invalid: 0x99 }

/** The same in both versions: without a reason code the length is 2, which version 5 reads as success. */
function puback(messageId: number): Buffer {
  return Buffer.from([0x40, 2, messageId >> 8, messageId & 0xff])
}
