// Packets byte by byte, so that a row can send what no client library would.
import { telemetryTopic } from '../../../server/src/devices/mqtt/device-topics.ts'
import type { Credentials } from '../mqtt.ts'

export type Version = 4 | 5

export const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
export const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])

/** With its length in front. */
export function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([uint16(bytes.length), bytes])
}

export function packet(header: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([header]), variableInteger(body.length), body])
}

/** Version 5 only: 3.1.1 has nothing at this place. */
export function properties(version: Version, some = ''): Buffer {
  if (version === 4) return Buffer.alloc(0)
  return Buffer.concat([variableInteger(hex(some).length), hex(some)])
}

function variableInteger(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7) {
    bytes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) return Buffer.from(bytes)
  }
}

export interface ConnectChange {
  name?: string | Buffer
  level?: number
  /** User name, password, clean. */
  flags?: number
  keepAlive?: number
  properties?: string
  payload?: Buffer[]
}

export function connect(version: Version, { id, access_key }: Credentials, change: ConnectChange = {}): Buffer {
  return packet(
    0x10,
    text(change.name ?? 'MQTT'),
    Buffer.from([change.level ?? version, change.flags ?? 0xc2]),
    uint16(change.keepAlive ?? 60),
    properties(version, change.properties),
    ...(change.payload ?? [text(id), text(id), text(access_key)]),
  )
}

/** The payload of a CONNECT with a will. */
export function withWill(
  version: Version,
  { id, access_key }: Credentials,
  { topic = telemetryTopic(id) as string | Buffer, willProperties = '' } = {},
): Buffer[] {
  return [text(id), properties(version, willProperties), text(topic), text('{}'), text(id), text(access_key)]
}

export const online = Buffer.from('{"status":"online","telemetries":{}}')

export interface PublishChange {
  header?: number
  topic?: string | Buffer
  identifier?: number | null
  properties?: string
  payload?: Buffer
}

/** QoS 1, identifier 7. */
export function publish(version: Version, { id }: Credentials, change: PublishChange = {}): Buffer {
  const { header = 0x32, identifier = 7 } = change
  return packet(
    header,
    text(change.topic ?? telemetryTopic(id)),
    identifier === null ? Buffer.alloc(0) : uint16(identifier),
    properties(version, change.properties),
    change.payload ?? online,
  )
}

/** `filters` with their options; identifier 3. */
export function subscribe(
  version: Version,
  filters: [string | Buffer, number][],
  change: { header?: number; identifier?: number; properties?: string } = {},
): Buffer {
  const { header = 0x82, identifier = 3 } = change
  const pairs = filters.flatMap(([filter, options]) => [text(filter), Buffer.from([options])])
  return packet(header, uint16(identifier), properties(version, change.properties), ...pairs)
}

export function unsubscribe(
  version: Version,
  filters: (string | Buffer)[],
  change: { header?: number; identifier?: number; properties?: string } = {},
): Buffer {
  const { header = 0xa2, identifier = 4 } = change
  return packet(header, uint16(identifier), properties(version, change.properties), ...filters.map(text))
}

/** With a length in four bytes, where one or two would do. */
export function withLongLength(bytes: Buffer): Buffer {
  let at = 1
  let length = 0
  for (; ; at += 1) {
    length |= (bytes[at]! & 0x7f) << (7 * (at - 1))
    if (bytes[at]! < 0x80) break
  }
  const four = [0, 7, 14, 21].map((shift) => ((length >> shift) & 0x7f) | (shift < 21 ? 0x80 : 0))
  return Buffer.concat([bytes.subarray(0, 1), Buffer.from(four), bytes.subarray(at + 1)])
}
