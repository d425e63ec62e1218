import { parser as createParser, type IPublishPacket, type Packet } from 'mqtt-packet'
import { maxPacketBytes } from './limits.ts'

/** A whole packet within the bytes of its connection. */
export interface Frame {
  bytes: Buffer
  start: number
  /** Where its fixed header ends. */
  body: number
  end: number
}

export class PacketTooLarge extends Error {}

/** Splits the bytes of a connection into packets, one per call: what is not asked for waits here as bytes. */
export class PacketReader {
  #bytes: Buffer = noBytes
  #start = 0
  #end = 0

  append(chunk: Buffer): void {
    const unread = this.#end - this.#start
    if (unread === 0) {
      this.#bytes = chunk
      this.#start = 0
      this.#end = chunk.length
      return
    }
    if (this.#end + chunk.length > this.#bytes.length) {
      // Twice as much as there is: a packet that arrives byte by byte must not be copied with every byte.
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * unread, unread + chunk.length))
      this.#bytes.copy(larger, 0, this.#start, this.#end)
      this.#bytes = larger
      this.#start = 0
      this.#end = unread
    }
    chunk.copy(this.#bytes, this.#end)
    this.#end += chunk.length
  }

  /** Null until the rest of a packet arrives. Throws at the header of what is not a packet, or is too large. */
  next(): Frame | null {
    const bytes = this.#bytes
    const start = this.#start
    const end = this.#end
    if (start === end) {
      this.clear()
      return null
    }
    if (!isHeader(bytes[start]!)) throw new Error('Invalid packet type or flags')
    let length = 0
    let body = start + 1
    for (let shift = 0; ; shift += 7) {
      if (shift > 21) throw new Error('Invalid variable byte integer')
      if (body === end) return null
      const byte = bytes[body]!
      body += 1
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    // Before its body arrives: it would have to be held in memory.
    if (length > maxPacketBytes) throw new PacketTooLarge(`A packet must not exceed ${maxPacketBytes} bytes.`)
    if (end - body < length) return null
    this.#start = body + length
    return { bytes, start, body, end: body + length }
  }

  clear(): void {
    this.#bytes = noBytes
    this.#start = 0
    this.#end = 0
  }
}

const noBytes = Buffer.alloc(0)

/** [MQTT-2.2.2-1] the flags that each type of packet must have; a PUBLISH (3) has several, and type 0 is none. */
const flagsOf = [-1, 0, 0, -1, 0, 0, 2, 0, 2, 0, 2, 0, 0, 0, 0, 0]

function isHeader(byte: number): boolean {
  const type = byte >> 4
  return type === 3 ? (byte & 0b0110) !== 0b0110 : flagsOf[type] === (byte & 0x0f)
}

export type Publish = Pick<IPublishPacket, 'qos' | 'retain' | 'topic' | 'payload' | 'properties'> & {
  messageId?: number | undefined
}

/**
 * Reads a PUBLISH to the device's own topic without properties, as nearly all packets are, ten times faster than
 * `parsePacket`. Null for any other packet.
 */
export function readOwnPublish({ bytes, start, body, end }: Frame, ownTopic: string, version: 4 | 5): Publish | null {
  const header = bytes[start]!
  if (header >> 4 !== 3) return null
  let at = body + 2 + ownTopic.length
  if (at > end || bytes.readUInt16BE(body) !== ownTopic.length) return null
  if (bytes.toString('latin1', body + 2, at) !== ownTopic) return null
  const qos = ((header >> 1) & 3) as 0 | 1 | 2
  let messageId: number | undefined
  if (qos > 0) {
    if (end - at < 2) return null
    messageId = bytes.readUInt16BE(at)
    at += 2
  }
  if (version === 5) {
    if (at === end || bytes[at] !== 0) return null
    at += 1
  }
  return { qos, retain: (header & 1) === 1, messageId, topic: ownTopic, payload: bytes.subarray(at, end) }
}

const parsers = new Map<4 | 5, (bytes: Buffer) => Packet | Error>()

/**
 * Throws where the packet is malformed. All connections share a parser, which takes long to create and much memory, and
 * is given whole packets only. It changes its version with a CONNECT, and may keep bytes after an error: then it is not
 * used again.
 */
export function parsePacket({ bytes, start, end }: Frame, version: 4 | 5): Packet {
  const parse = parsers.get(version) ?? newParser(version)
  parsers.delete(version)
  const parsed = parse(bytes.subarray(start, end))
  if (parsed instanceof Error) throw parsed
  if (parsed.cmd !== 'connect') parsers.set(version, parse)
  // The parser reads an identifier that is cut off as -1.
  if ((parsed.messageId ?? 0) < 0) throw new Error('Cannot parse messageId')
  return parsed
}

function newParser(protocolVersion: 4 | 5): (bytes: Buffer) => Packet | Error {
  const parser = createParser({ protocolVersion })
  const parsed: (Packet | Error)[] = []
  parser.on('packet', (packet) => parsed.push(packet))
  parser.on('error', (error: Error) => parsed.push(error))
  return (bytes) => {
    const left = parser.parse(bytes)
    // The first one: after an error the parser may go on.
    const [result] = parsed.splice(0)
    return result === undefined || (left > 0 && !(result instanceof Error)) ? new Error('Malformed packet') : result
  }
}
