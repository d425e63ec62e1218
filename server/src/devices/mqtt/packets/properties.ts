import type { Fields } from './fields.ts'
import { malformed, protocolError } from './packet-fault.ts'

/** What has properties in version 5 and is read here; any other packet ends the connection before they matter. */
export type Bearer = 'connect' | 'will' | 'publish' | 'subscribe' | 'unsubscribe' | 'puback' | 'disconnect'

export interface Properties {
  responseTopic?: string
  sessionExpiryInterval?: number
  authenticationMethod?: string
  requestProblemInformation?: number
  receiveMaximum?: number
  topicAlias?: number
  subscriptionIdentifier?: number
  maximumPacketSize?: number
  userProperties?: [string, string][]
}

interface Property {
  name: keyof Properties | null
  read: (fields: Fields) => unknown
  of: readonly Bearer[]
}

const message = ['publish', 'will'] as const
const all = ['connect', 'will', 'publish', 'subscribe', 'unsubscribe', 'puback', 'disconnect'] as const

const uint16 = (fields: Fields) => fields.uint16()
const uint32 = (fields: Fields) => fields.uint32()
const text = (fields: Fields) => fields.text()
const binary = (fields: Fields) => fields.binary()
const pair = (fields: Fields) => [fields.text(), fields.text()]

/** [MQTT5 table 2-4] what a client may send, and of which packet; those without a name have no effect here. */
const properties = new Map<number, Property>([
  [0x01, { name: null, read: flag, of: message }],
  [0x02, { name: null, read: uint32, of: message }],
  [0x03, { name: null, read: text, of: message }],
  [0x08, { name: 'responseTopic', read: topicName, of: message }],
  [0x09, { name: null, read: binary, of: message }],
  [0x0b, { name: 'subscriptionIdentifier', read: (fields) => notZero(fields.variableInteger()), of: ['subscribe'] }],
  [0x11, { name: 'sessionExpiryInterval', read: uint32, of: ['connect', 'disconnect'] }],
  [0x15, { name: 'authenticationMethod', read: text, of: ['connect'] }],
  [0x16, { name: null, read: binary, of: ['connect'] }],
  [0x17, { name: 'requestProblemInformation', read: flag, of: ['connect'] }],
  [0x18, { name: null, read: uint32, of: ['will'] }],
  [0x19, { name: null, read: flag, of: ['connect'] }],
  [0x1c, { name: null, read: text, of: ['disconnect'] }],
  [0x1f, { name: null, read: text, of: ['puback', 'disconnect'] }],
  [0x21, { name: 'receiveMaximum', read: (fields) => notZero(fields.uint16()), of: ['connect'] }],
  [0x22, { name: null, read: uint16, of: ['connect'] }],
  [0x23, { name: 'topicAlias', read: uint16, of: ['publish'] }],
  [0x26, { name: 'userProperties', read: pair, of: all }],
  [0x27, { name: 'maximumPacketSize', read: (fields) => notZero(fields.uint32()), of: ['connect'] }],
])
const authenticationMethod = 0x15
const authenticationData = 0x16
const userProperty = 0x26

/** [MQTT5 2.2.2] the properties at this position of a packet. */
export function readProperties(fields: Fields, bearer: Bearer): Properties {
  const userProperties: [string, string][] = []
  const found: Record<string, unknown> = { userProperties }
  const seen = new Set<number>()
  const part = fields.part(fields.variableInteger())
  while (part.left > 0) {
    const id = part.variableInteger()
    const property = properties.get(id)
    const called = `Property 0x${id.toString(16).padStart(2, '0')}`
    if (!property?.of.includes(bearer)) throw malformed(`${called} does not belong to ${bearer.toUpperCase()}.`)
    if (seen.has(id) && id !== userProperty) throw protocolError(`${called} must not occur twice.`)
    seen.add(id)
    const value = property.read(part)
    if (id === userProperty) userProperties.push(value as [string, string])
    else if (property.name !== null) found[property.name] = value
  }
  if (seen.has(authenticationData) && !seen.has(authenticationMethod)) {
    throw protocolError('Authentication data needs an authentication method.')
  }
  return found
}

function flag(fields: Fields): number {
  const value = fields.byte()
  if (value > 1) throw protocolError('A property that is a flag must be 0 or 1.')
  return value
}

function notZero(value: number): number {
  if (value === 0)
    throw protocolError('Receive maximum, maximum packet size and subscription identifier must not be 0.')
  return value
}

/** [MQTT5 3.3.2-14] */
function topicName(fields: Fields): string {
  const topic = fields.text()
  if (/[+#]/.test(topic)) throw protocolError('The response topic must not contain wildcards.')
  return topic
}
