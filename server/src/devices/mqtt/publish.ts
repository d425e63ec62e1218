import type { IPublishPacket } from 'mqtt-packet'
import { ingest, type Outcome } from '../ingest.ts'
import { breathe } from './breathe.ts'
import { type Connection, endConnection, fitting, send, sendTogether } from './connection.ts'
import type { Endpoint } from './endpoint.ts'
import { judgePublish, type Refused } from './judge-publish.ts'
import { mostInFlight } from './limits.ts'

export function handlePublish(endpoint: Endpoint, connection: Connection, packet: IPublishPacket): void {
  // [MQTT5 3.3.4-7] version 5 was told how many; 3.1.1 could not be, and is paused instead.
  if (connection.version === 5 && packet.qos === 1 && connection.inFlight >= mostInFlight) {
    endConnection(connection, 'receive_maximum_exceeded')
    return
  }
  const judged = judgePublish(packet, connection.device!.topic, connection.version)
  if ('reason' in judged) {
    note(endpoint, connection, judged)
    refuse(connection, packet, judged)
    return
  }
  connection.inFlight += 1
  const { id, access_key } = connection.device!
  void ingest(endpoint.context, { device_id: id, access_key, body: judged.body }).then((outcome) => {
    connection.inFlight -= 1
    breathe(connection)
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
      note(endpoint, connection, refused)
      refuse(connection, packet, refused)
      break
    }
    case 503:
      // Not acknowledged, so the device sends it again when it comes back.
      endConnection(connection, 'server_busy', outcome.error)
      break
    default:
      // The credential died a moment ago; word of it is on its way.
      connection.leaves = true
      endConnection(connection, 'not_authorized', outcome.error)
  }
}

/**
 * Version 5 says no in the PUBACK and the connection stays. Where there is no such PUBACK (QoS 0, and 3.1.1
 * altogether) the connection ends: [MQTT-3.3.5-2] leaves 3.1.1 that or a false yes.
 */
function refuse(connection: Connection, packet: IPublishPacket, { reason, sentence }: Refused): void {
  if (connection.version === 5 && packet.qos === 1 && reason in pubackCodes) {
    const reasonCode = pubackCodes[reason as keyof typeof pubackCodes]
    send(connection, { cmd: 'puback', messageId: packet.messageId!, reasonCode, ...fitting(connection, sentence) })
  } else endConnection(connection, reason, sentence)
}

/** [MQTT5 3.4.2.1] the reasons a PUBACK may carry; the others end the connection. */
const pubackCodes = { not_authorized: 0x87, topic_name_invalid: 0x90, payload_format_invalid: 0x99 }

/** Both versions: without a reason code the length is 2, which version 5 reads as success. */
function puback(messageId: number): Buffer {
  return Buffer.from([0x40, 2, messageId >> 8, messageId & 0xff])
}

function note({ context }: Endpoint, { id, device }: Connection, { sentence, why }: Refused): void {
  if (why === undefined) return
  const status = why === 'topic_not_allowed' ? 403 : why === 'message_too_large' ? 413 : 422
  context.failures.note({
    request_id: id,
    endpoint: 'mqtt',
    status,
    error: why,
    description: sentence,
    reason: why,
    device_id: device!.id,
  })
}
