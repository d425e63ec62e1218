import { malformed, PacketFault } from './packet-fault.ts'

/** A whole packet within the bytes of its connection. */
export interface Frame {
  bytes: Buffer
  start: number
  /** Where its fixed header ends. */
  body: number
  end: number
  /** Whether its length has no more bytes than it needs. */
  minimal: boolean
}

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
  next(maxBytes: number): Frame | null {
    const bytes = this.#bytes
    const start = this.#start
    const end = this.#end
    if (start === end) {
      this.clear()
      return null
    }
    if (!isHeader(bytes[start]!)) throw malformed('The packet has a type that does not exist, or wrong flags.')
    let length = 0
    let body = start + 1
    for (let shift = 0; ; shift += 7) {
      if (shift > 21) throw malformed('The length of a packet has at most four bytes.')
      if (body === end) return null
      const byte = bytes[body]!
      body += 1
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
    }
    // Before its body arrives: it would have to be held in memory.
    if (body - start + length > maxBytes) {
      throw new PacketFault('packet_too_large', `A packet must not exceed ${maxBytes} bytes.`)
    }
    if (end - body < length) return null
    this.#start = body + length
    return { bytes, start, body, end: body + length, minimal: body - start === 2 || bytes[body - 1] !== 0 }
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
  return type === 3 ? !notOfPublish.has(byte & 0b1110) : flagsOf[type] === (byte & 0x0f)
}

/** [MQTT-3.3.1-4, 3.3.1-2] QoS 3, and DUP at QoS 0. */
const notOfPublish = new Set([0b0110, 0b1110, 0b1000])
