import { reasons } from '../reason-codes.ts'
import type { Fields } from './fields.ts'
import { malformed } from './packet-fault.ts'
import { readProperties } from './properties.ts'

export interface PubackPacket {
  messageId: number
  /** From 0x80 on the client refused the message. */
  reasonCode: number
}

/** [MQTT5 3.4.2.1] */
const reasonCodes = new Set([0x00, 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99])

/** The acknowledgement of a message that was sent to the client. 3.1.1 has an identifier only; what version 5 leaves out is 0. */
export function readPuback(fields: Fields, version: 4 | 5): PubackPacket {
  const messageId = fields.packetIdentifier()
  const reasonCode = version === 5 && fields.left > 0 ? fields.byte() : reasons.success.v5
  if (!reasonCodes.has(reasonCode)) throw malformed('This is no reason code of a PUBACK.')
  if (version === 5 && fields.left > 0) readProperties(fields, 'puback')
  fields.finish()
  return { messageId, reasonCode }
}
