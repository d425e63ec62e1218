import type { Fields } from './fields.ts'
import { malformed, protocolError } from './packet-fault.ts'
import { readProperties } from './properties.ts'

export interface SubscribePacket {
  messageId: number
  filters: RequestedFilter[]
  /** [MQTT5 3.8.2.1.2] which every message of the subscription would have to carry. */
  hasIdentifier: boolean
}

export interface RequestedFilter {
  filter: string
  qos: 0 | 1 | 2
}

export interface UnsubscribePacket {
  messageId: number
  filters: string[]
}

export function readSubscribe(fields: Fields, version: 4 | 5): SubscribePacket {
  const messageId = fields.packetIdentifier()
  const properties = version === 5 ? readProperties(fields, 'subscribe') : {}
  const filters = readFilters(fields, 'SUBSCRIBE', version, (filter) => ({
    filter,
    qos: readOptions(fields.byte(), filter, version),
  }))
  return { messageId, filters, hasIdentifier: properties.subscriptionIdentifier !== undefined }
}

export function readUnsubscribe(fields: Fields, version: 4 | 5): UnsubscribePacket {
  const messageId = fields.packetIdentifier()
  if (version === 5) readProperties(fields, 'unsubscribe')
  return { messageId, filters: readFilters(fields, 'UNSUBSCRIBE', version, (filter) => filter) }
}

function readFilters<Filter>(
  fields: Fields,
  packet: string,
  version: 4 | 5,
  readNext: (filter: string) => Filter,
): Filter[] {
  const filters: Filter[] = []
  while (fields.left > 0) {
    const filter = fields.text()
    if (!isTopicFilter(filter, version))
      throw malformed('A topic filter is not empty, and its wildcards are whole levels.')
    filters.push(readNext(filter))
  }
  // [MQTT-3.8.3-3, 3.10.3-2, MQTT5 3.8.3-2]
  if (filters.length === 0) throw protocolError(`${packet} needs a topic filter.`)
  return filters
}

/** [MQTT-3.8.3-4, MQTT5 3.8.3-5] 3.1.1 has nothing but the QoS. */
function readOptions(options: number, filter: string, version: 4 | 5): 0 | 1 | 2 {
  const [qos, reserved] = [(options & 3) as 0 | 1 | 2 | 3, options & (version === 5 ? 0xc0 : 0xfc)]
  if (reserved !== 0 || qos === 3) throw malformed('Reserved subscription options must be 0, and the QoS at most 2.')
  if (version === 4) return qos
  if ((options & 0x30) === 0x30) throw protocolError('Retain handling must be 0, 1 or 2.')
  // [MQTT5 3.8.3-4]
  if (options & 0x04 && filter.startsWith('$share/')) throw protocolError('A shared subscription cannot be no-local.')
  return qos
}

function isTopicFilter(filter: string, version: 4 | 5): boolean {
  if (version === 4 || !filter.startsWith('$share/')) return hasWholeWildcards(filter)
  // [MQTT5 4.8.2-1, 4.8.2-2] `$share/<name>/<filter>`
  const [, name = '', ...rest] = filter.split('/')
  return name !== '' && !/[+#]/.test(name) && hasWholeWildcards(rest.join('/'))
}

/** [MQTT-4.7.1-2, 4.7.1-3, 4.7.3-1] */
function hasWholeWildcards(filter: string): boolean {
  const levels = filter.split('/')
  return (
    filter !== '' &&
    levels.every((level, index) => {
      if (level.includes('#')) return level === '#' && index === levels.length - 1
      return !level.includes('+') || level === '+'
    })
  )
}
