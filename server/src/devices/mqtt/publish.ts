import type { IPublishPacket } from 'mqtt-packet'
import { ingest, type Outcome } from '../telemetry/ingest.ts'
import { applyBackpressure } from './backpressure.ts'
import { type Connection, endConnection, fitting, send, sendTogether } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { judgePublish } from './judge-publish.ts'
import { maxInFlight } from './limits.ts'
import { noteRefusal, type Refused, refuse, whyOf } from './refuse.ts'

export function handlePublish(endpoint: Endpoint, connection: Connection, packet: IPublishPacket): void {
  // [MQTT5 3.3.4-7] version 5 was told how many; 3.1.1 could not be, and is paused instead.
  if (connection.version === 5 && packet.qos === 1 && connection.inFlight >= maxInFlight) {
    const sentence = `At most ${maxInFlight} messages may wait for their acknowledgement.`
    refuse(endpoint, connection, { reason: 'receive_maximum_exceeded', sentence, why: 'mqtt_unsupported' })
    return
  }
  const judged = judgePublish(packet, connection.device!.topic, connection.version)
  if ('reason' in judged) {
    refuseMessage(endpoint, connection, packet, judged)
    endpoint.context.counters.countRefusedMessage('mqtt', judged.why)
    return
  }
  connection.inFlight += 1
  const { id, key_digest } = connection.device!
  void ingest(endpoint.context, { device_id: id, key_digest, body: judged.body }).then((outcome) => {
    endpoint.context.counters.countMessage('mqtt', outcome.status)
    connection.inFlight -= 1
    applyBackpressure(connection)
    if (connection.inFlight === 0) connection.whenIdle?.()
    settle(endpoint, connection, packet, outcome)
  })
}

/** The acknowledgement means committed, in both versions: it is never given for anything less. */
function settle(endpoint: Endpoint, connection: Connection, packet: IPublishPacket, outcome: Outcome): void {
  switch (outcome.status) {
    case 200:
      if (packet.qos === 1) sendTogether(connection, puback(packet.messageId!))
      break
    case 422: {
      const refused = { reason: 'payload_format_invalid', sentence: outcome.error, why: 'telemetry_invalid' } as const
      refuseMessage(endpoint, connection, packet, refused)
      break
    }
    case 503:
      // Not acknowledged, so the device sends it again when it comes back.
      endConnection(connection, 'server_busy', outcome.error)
      break
    default:
      // The credential died a moment ago; word of it is on its way.
      connection.leaves = true
      refuse(endpoint, connection, { reason: 'not_authorized', sentence: outcome.error, why: whyOf[outcome.status] })
  }
}

/**
 * Version 5 says no in the PUBACK and the connection stays. Where there is no such PUBACK (QoS 0, and 3.1.1
 * altogether) the connection ends: [MQTT-3.3.5-2] leaves 3.1.1 that or a false yes.
 */
function refuseMessage(endpoint: Endpoint, connection: Connection, packet: IPublishPacket, refused: Refused): void {
  const { reason, sentence } = refused
  if (connection.version === 5 && packet.qos === 1 && reason in pubackCodes) {
    const reasonCode = pubackCodes[reason as keyof typeof pubackCodes]
    noteRefusal(endpoint, connection, refused)
    send(connection, { cmd: 'puback', messageId: packet.messageId!, reasonCode, ...fitting(connection, sentence) })
  } else refuse(endpoint, connection, refused)
}

/** [MQTT5 3.4.2.1] the reasons a PUBACK may carry; the others end the connection. */
const pubackCodes = { not_authorized: 0x87, topic_name_invalid: 0x90, payload_format_invalid: 0x99 }

/** Both versions: without a reason code the length is 2, which version 5 reads as success. */
function puback(messageId: number): Buffer {
  return Buffer.from([0x40, 2, messageId >> 8, messageId & 0xff])
}
