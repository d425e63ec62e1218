import { isUtf8 } from 'node:buffer'
import { malformed, protocolError } from './packet-fault.ts'

/** Reads the fields of a packet one after the other; throws where one is cut off or is not what its type demands. */
export class Fields {
  readonly #bytes: Buffer
  #at: number
  readonly #end: number

  constructor(bytes: Buffer, at: number, end: number) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  get left(): number {
    return this.#end - this.#at
  }

  byte(): number {
    return this.#bytes[this.#take(1)]!
  }

  uint16(): number {
    return this.#bytes.readUInt16BE(this.#take(2))
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#take(4))
  }

  /** [MQTT5 1.5.5-1] in as few bytes as its value needs. */
  variableInteger(): number {
    let value = 0
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte >= 0x80) continue
      if (byte === 0 && shift > 0) break
      return value
    }
    throw malformed('A variable byte integer must have at most four bytes, and no more than it needs.')
  }

  binary(): Buffer {
    const length = this.uint16()
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  /** [MQTT-1.5.3-1, 1.5.3-2, MQTT5 1.5.4-1, 1.5.4-2] UTF-8 without U+0000; [MQTT-1.5.3-3] U+FEFF stays. */
  text(): string {
    const bytes = this.binary()
    if (!isUtf8(bytes) || bytes.includes(0)) throw malformed('A string must be UTF-8 without U+0000.')
    return bytes.toString('utf8')
  }

  /** [MQTT-2.3.1-1, MQTT5 2.2.1-3] */
  packetIdentifier(): number {
    const identifier = this.uint16()
    if (identifier === 0) throw protocolError('A packet identifier must not be zero.')
    return identifier
  }

  /** The next `length` bytes, as fields of their own. */
  part(length: number): Fields {
    const at = this.#take(length)
    return new Fields(this.#bytes, at, at + length)
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#take(this.left), this.#end)
  }

  /** Nothing follows the last field. */
  finish(): void {
    if (this.left > 0) throw malformed(`${this.left} bytes follow the last field of the packet.`)
  }

  #take(length: number): number {
    const at = this.#at
    if (length > this.#end - at) throw malformed('The packet ends in the middle of a field.')
    this.#at = at + length
    return at
  }
}
