import { type DisconnectPacket, readDisconnect } from './disconnect-packet.ts'
import { Fields } from './fields.ts'
import { malformed, protocolError } from './packet-fault.ts'
import type { Frame } from './packet-reader.ts'
import { type PubackPacket, readPuback } from './puback-packet.ts'
import { type PublishPacket, readPublish } from './publish-packet.ts'
import { readSubscribe, readUnsubscribe, type SubscribePacket, type UnsubscribePacket } from './subscribe-packet.ts'

/** What a client may send on an open connection. */
export type Packet =
  | ({ kind: 'publish' } & PublishPacket)
  | ({ kind: 'puback' } & PubackPacket)
  | ({ kind: 'subscribe' } & SubscribePacket)
  | ({ kind: 'unsubscribe' } & UnsubscribePacket)
  | { kind: 'pingreq' }
  | ({ kind: 'disconnect' } & DisconnectPacket)

export function readPacket(frame: Frame, version: 4 | 5): Packet {
  requireMinimal(frame, version)
  const header = frame.bytes[frame.start]!
  const fields = fieldsOf(frame)
  switch (header >> 4) {
    case 3:
      return { kind: 'publish', ...readPublish(fields, header, version) }
    case 4:
      return { kind: 'puback', ...readPuback(fields, version) }
    case 8:
      return { kind: 'subscribe', ...readSubscribe(fields, version) }
    case 10:
      return { kind: 'unsubscribe', ...readUnsubscribe(fields, version) }
    case 12:
      fields.finish()
      return { kind: 'pingreq' }
    case 14:
      return { kind: 'disconnect', ...readDisconnect(fields, version) }
    default:
      // [MQTT-3.1.0-2] a second CONNECT; what only servers send; what belongs to QoS 2; AUTH.
      throw protocolError(`Unexpected packet of type ${header >> 4}.`)
  }
}

export function fieldsOf({ bytes, body, end }: Frame): Fields {
  return new Fields(bytes, body, end)
}

/** [MQTT5 1.5.5-1]; 3.1.1 does not demand it. */
export function requireMinimal({ minimal }: Frame, version: 4 | 5): void {
  if (version === 5 && !minimal) throw malformed('The length of a packet must have no more bytes than it needs.')
}
