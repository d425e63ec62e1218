import type { Fields } from './fields.ts'
import { protocolError } from './packet-fault.ts'
import type { Frame } from './packet-reader.ts'
import { type Properties, readProperties } from './properties.ts'

export interface PublishPacket {
  qos: 0 | 1 | 2
  retain: boolean
  /** 0 at QoS 0. */
  messageId: number
  topic: string
  payload: Buffer
  properties?: Properties
}

export function readPublish(fields: Fields, header: number, version: 4 | 5): PublishPacket {
  const qos = qosOf(header)
  const topic = fields.text()
  const messageId = qos > 0 ? fields.packetIdentifier() : 0
  const properties = version === 5 ? readProperties(fields, 'publish') : {}
  // [MQTT-4.7.3-1]
  if (topic === '' && properties.topicAlias === undefined) throw protocolError('A topic name must not be empty.')
  return { qos, retain: (header & 1) === 1, messageId, topic, payload: fields.rest(), properties }
}

/**
 * Reads a PUBLISH to the device's own topic without properties, as nearly all packets are, several times faster than
 * `readPublish`. Null for any other packet, and for one that is malformed.
 */
export function readOwnPublish(
  { bytes, start, body, end, minimal }: Frame,
  ownTopic: string,
  version: 4 | 5,
): PublishPacket | null {
  const header = bytes[start]!
  if (header >> 4 !== 3 || (version === 5 && !minimal)) return null
  let at = body + 2 + ownTopic.length
  if (at > end || bytes.readUInt16BE(body) !== ownTopic.length) return null
  if (bytes.toString('latin1', body + 2, at) !== ownTopic) return null
  const qos = qosOf(header)
  let messageId = 0
  if (qos > 0) {
    if (end - at < 2) return null
    messageId = bytes.readUInt16BE(at)
    if (messageId === 0) return null
    at += 2
  }
  if (version === 5) {
    if (at === end || bytes[at] !== 0) return null
    at += 1
  }
  return { qos, retain: (header & 1) === 1, messageId, topic: ownTopic, payload: bytes.subarray(at, end) }
}

/** The packet reader has refused 3. */
function qosOf(header: number): 0 | 1 | 2 {
  return ((header >> 1) & 3) as 0 | 1 | 2
}
