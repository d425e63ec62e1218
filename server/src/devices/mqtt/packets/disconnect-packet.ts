import { reasons } from '../reason-codes.ts'
import type { Fields } from './fields.ts'
import { malformed } from './packet-fault.ts'
import { type Properties, readProperties } from './properties.ts'

export interface DisconnectPacket {
  reasonCode: number
  properties: Properties
}

/** [MQTT5 3.14.2.1] those that a client may send; the others are a server's. */
const ofClient = new Set([0x00, 0x04, 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99])

/** 3.1.1 has nothing in it; in version 5 what is left out is 0. */
export function readDisconnect(fields: Fields, version: 4 | 5): DisconnectPacket {
  const reasonCode = version === 5 && fields.left > 0 ? fields.byte() : reasons.success.v5
  if (!ofClient.has(reasonCode)) throw malformed('This is no reason code of a client’s DISCONNECT.')
  const properties = version === 5 && fields.left > 0 ? readProperties(fields, 'disconnect') : {}
  fields.finish()
  return { reasonCode, properties }
}
