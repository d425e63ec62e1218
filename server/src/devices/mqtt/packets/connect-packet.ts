import type { Fields } from './fields.ts'
import { malformed, PacketFault } from './packet-fault.ts'
import { type Properties, readProperties } from './properties.ts'

export interface ConnectPacket {
  clientId: string
  keepAlive: number
  will: { topic: string; payload: Buffer; qos: 0 | 1 | 2; retain: boolean } | null
  username: string | undefined
  password: Buffer | undefined
  properties: Properties
}

/** [MQTT-3.1.2-2] MQTT 3.1, and the private versions of bridges, are not supported. */
export function readProtocolVersion(fields: Fields): 4 | 5 {
  const name = fields.text()
  if (name !== 'MQTT' && name !== 'MQIsdp') throw malformed('The protocol name must be MQTT.')
  const level = fields.byte()
  if (name === 'MQTT' && (level === 4 || level === 5)) return level
  throw new PacketFault('unsupported_version', 'Connect with MQTT 3.1.1 or 5.')
}

/** What follows the version: [MQTT-3.1.4-1] a CONNECT that does not conform closes the connection. */
export function readConnect(fields: Fields, version: 4 | 5): ConnectPacket {
  const flags = readFlags(fields.byte(), version)
  const keepAlive = fields.uint16()
  const properties = version === 5 ? readProperties(fields, 'connect') : {}
  const clientId = fields.text()
  const will = flags.will ? { ...flags.will, ...readWill(fields, version) } : null
  const username = flags.username ? fields.text() : undefined
  const password = flags.password ? fields.binary() : undefined
  fields.finish()
  return { clientId, keepAlive, will, username, password, properties }
}

function readFlags(byte: number, version: 4 | 5) {
  // [MQTT-3.1.2-3]
  if (byte & 0x01) throw malformed('The reserved flag of CONNECT must be 0.')
  const qos = ((byte >> 3) & 3) as 0 | 1 | 2 | 3
  const retain = (byte & 0x20) !== 0
  const hasWill = (byte & 0x04) !== 0
  // [MQTT-3.1.2-13, 3.1.2-15, MQTT5 3.1.2-11, 3.1.2-13]
  if (!hasWill && (qos !== 0 || retain)) throw malformed('Without a will, its QoS and retain must be 0.')
  // [MQTT-3.1.2-14, MQTT5 3.1.2-12]
  if (qos === 3) throw malformed('The QoS of the will must not be 3.')
  const username = (byte & 0x80) !== 0
  const password = (byte & 0x40) !== 0
  // [MQTT-3.1.2-22]; version 5 allows it.
  if (version === 4 && password && !username) throw malformed('A password needs a user name.')
  return { will: hasWill ? { qos, retain } : null, username, password }
}

function readWill(fields: Fields, version: 4 | 5): { topic: string; payload: Buffer } {
  if (version === 5) readProperties(fields, 'will')
  return { topic: fields.text(), payload: fields.binary() }
}
