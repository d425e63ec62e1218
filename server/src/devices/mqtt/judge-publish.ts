import type { IPublishPacket } from 'mqtt-packet'
import { parseJson } from '../../platform/bounded-json.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { maxPayloadBytes } from './limits.ts'
import type { Refused } from './refuse.ts'

/** A PUBLISH to the device's own topic with a JSON body, or what is wrong with it. */
export function judgePublish(packet: IPublishPacket, ownTopic: string, version: 4 | 5): { body: unknown } | Refused {
  if (packet.qos === 2)
    return { reason: 'qos_not_supported', sentence: 'Publish with QoS 0 or 1.', why: 'mqtt_unsupported' }
  // [MQTT-2.3.1-1]
  if (packet.qos === 1 && !packet.messageId) {
    const sentence = 'QoS 1 needs a packet identifier other than zero.'
    return { reason: 'protocol_error', sentence, why: 'mqtt_unsupported' }
  }
  const { properties } = packet
  // [MQTT5 3.3.2-9] none was offered.
  if (properties?.topicAlias !== undefined) {
    return { reason: 'topic_alias_invalid', sentence: 'Topic aliases are not offered here.', why: 'mqtt_unsupported' }
  }
  // Where version 5 was told so; 3.1.1 has no word for it, and with nobody to read it a retained message is like any other.
  if (packet.retain && version === 5) {
    return { reason: 'retain_not_supported', sentence: 'Publish without retain.', why: 'mqtt_unsupported' }
  }
  if (packet.topic !== ownTopic) {
    // [MQTT-3.3.2-2] a wildcard is no topic name at all.
    const reason = packet.topic === '' || /[+#]/.test(packet.topic) ? 'topic_name_invalid' : 'not_authorized'
    return { reason, sentence: `This device may publish to ${ownTopic} only.`, why: 'topic_not_allowed' }
  }
  if (packet.payload.length > maxPayloadBytes) {
    return { reason: 'packet_too_large', sentence: 'A message holds at most 128 KiB.', why: 'message_too_large' }
  }
  try {
    return { body: parseJson(packet.payload.toString('utf8')) }
  } catch (error) {
    const sentence = (error as Refusal).message
    return { reason: 'payload_format_invalid', sentence, why: 'telemetry_invalid' }
  }
}
