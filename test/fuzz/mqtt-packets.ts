// MQTT packets of both versions: whole by structure, with parts that are wrong now and then, and bytes that are wrong rarely.
import { commandReportTopic, telemetryTopic } from '../../server/src/devices/mqtt/device-topics.ts'
import type { Random } from '../histories/record/random.ts'
import type { Credentials } from '../support/mqtt.ts'
import { packet, text, uint16, type Version, withLongLength } from '../support/mqtt-conformance/bytes.ts'

export interface SentPacket {
  name: string
  bytes: Buffer
}

/** By their numbers; 0 is reserved. */
const types = [
  ...['RESERVED', 'CONNECT', 'CONNACK', 'PUBLISH', 'PUBACK', 'PUBREC', 'PUBREL', 'PUBCOMP', 'SUBSCRIBE', 'SUBACK'],
  ...['UNSUBSCRIBE', 'UNSUBACK', 'PINGREQ', 'PINGRESP', 'DISCONNECT', 'AUTH'],
] as const
type Type = (typeof types)[number]

/** The flags that the standard asks for; those of PUBLISH say how it is sent. */
const flags: Partial<Record<Type, number>> = { PUBREL: 2, SUBSCRIBE: 2, UNSUBSCRIBE: 2 }

/** What a device sends, and, more rarely, what only a server does or what is not supported. */
const usual: Partial<Record<Type, number>> = { PUBLISH: 50, SUBSCRIBE: 6, UNSUBSCRIBE: 5, PINGREQ: 6, PUBACK: 1 }

const none = Buffer.alloc(0)

export class PacketMaker {
  readonly #random: Random
  readonly #version: Version
  readonly #device: Credentials
  /** How often a part is wrong. */
  readonly #wrong: number

  constructor(random: Random, version: Version, device: Credentials, wrong: number) {
    this.#random = random
    this.#version = version
    this.#device = device
    this.#wrong = wrong
  }

  any(): SentPacket {
    return this.of(this.#or(this.#random.weighted(usual), () => this.#random.pick(types)))
  }

  of(name: Type): SentPacket {
    const number = types.indexOf(name)
    const right = name === 'PUBLISH' ? this.#publishFlags() : (flags[name] ?? 0)
    const header = (number << 4) | this.#or(right, () => this.#random.integer(0, 15))
    return { name, bytes: this.#damaged(packet(header, ...this.#parts(name, header & 15))) }
  }

  #parts(name: Type, flags: number): Buffer[] {
    switch (name) {
      case 'CONNECT':
        return this.#connect()
      case 'PUBLISH':
        return [
          this.#text(this.#topic()),
          (flags & 6) === 0 ? none : this.#identifier(),
          this.#properties(name),
          this.#payload(),
        ]
      case 'SUBSCRIBE':
        return [this.#identifier(), this.#properties(name), ...this.#filters(true)]
      case 'UNSUBSCRIBE':
        return [this.#identifier(), this.#properties(name), ...this.#filters(false)]
      case 'PINGREQ':
      case 'PINGRESP':
        return this.#isWrong() ? [Buffer.from([0])] : []
      case 'DISCONNECT':
      case 'AUTH':
        return this.#random.chance(0.5)
          ? []
          : [Buffer.from([this.#random.pick([0, 4, 0x18, 0x19, 0x81, 0xff])]), this.#properties(name)]
      case 'CONNACK':
        return [Buffer.from([0, 0]), this.#properties(name)]
      default:
        return [
          this.#identifier(),
          ...(this.#random.chance(0.5) ? [Buffer.from([this.#random.integer(0, 255)]), this.#properties(name)] : []),
        ]
    }
  }

  #connect(): Buffer[] {
    const { id, access_key } = this.#device
    const will = this.#random.chance(0.2)
    const willQos = this.#or(this.#random.integer(0, 1), () => this.#random.integer(2, 3))
    const right = 0xc2 | (will ? 4 | (willQos << 3) : 0)
    const keepAlive = this.#random.pick([0, 1, 60, 65_535])
    return [
      this.#text(this.#or('MQTT', () => this.#random.pick(['MQIsdp', 'mqtt', '', 'MQTTX']))),
      Buffer.from([this.#or(this.#version, () => this.#random.integer(0, 255))]),
      Buffer.from([this.#or(right, () => this.#random.integer(0, 255))]),
      uint16(keepAlive),
      this.#properties('CONNECT'),
      this.#text(id),
      ...(will ? [this.#properties('WILL'), this.#text(this.#topic()), text(this.#payload())] : []),
      this.#text(id),
      this.#text(access_key),
    ]
  }

  #publishFlags(): number {
    const qos = this.#or(this.#random.pick([0, 1, 1]), () => this.#random.integer(2, 3))
    const [repeated, retained] = [this.#random.chance(0.1) && qos > 0, this.#isWrong()]
    return (qos << 1) | (repeated ? 8 : 0) | (retained ? 1 : 0)
  }

  #topic(): string {
    const { id } = this.#device
    return this.#or(telemetryTopic(id), () =>
      this.#random.pick([
        ...this.#ownFilters(),
        commandReportTopic(id, id),
        commandReportTopic(id, 'x'),
        '',
        '#',
        '+',
        'v1/devices/+/telemetry',
        'x',
        '$SYS/x',
        'a\0b',
        '/'.repeat(300),
        'a'.repeat(60_000),
      ]),
    )
  }

  #filters(options: boolean): Buffer[] {
    const filter = () =>
      this.#or(
        this.#random.pick([...this.#ownFilters(), telemetryTopic(this.#device.id), '#', '+/+', '$share/g/x', 'x']),
        () => this.#random.pick(['a#', 'a/#/b', '$share//x', '$share/g', '']),
      )
    const count = this.#or(this.#random.integer(1, 3), () => this.#random.pick([0, 200]))
    return Array.from({ length: count }, () => [
      this.#text(filter()),
      options ? Buffer.from([this.#or(this.#random.integer(0, 2), () => this.#random.integer(0, 255))]) : none,
    ]).flat()
  }

  #ownFilters(): string[] {
    const { id } = this.#device
    return [`v1/devices/${id}/command`, `v1/devices/${id}/config`, `v1/device/${id}/command`]
  }

  #identifier(): Buffer {
    return uint16(this.#or(this.#random.integer(1, 65_535), () => 0))
  }

  #payload(): Buffer {
    const value = this.#or(this.#random.pick(['21.5', '"heat"', 'true', '1e308', '-0', '""']), () =>
      this.#random.pick([
        '1e999',
        'null',
        '[]',
        '"\\ud800"',
        '"a\\u0000"',
        `"${'y'.repeat(70_000)}"`,
        '['.repeat(5_000),
      ]),
    )
    const name = this.#or(this.#random.pick(['temperature', 'mode', '__proto__', 'a b']), () =>
      this.#random.pick(['', 'x'.repeat(200), 'a\\nb', '\\ud800']),
    )
    const message = `{"status":"online","telemetries":{"${name}":${value}}}`
    const wrong = () =>
      this.#random.pick([
        ...reports,
        ...['', '{', '[]', 'null', '{"status":"x"}', message.slice(0, -3), `\ufeff${message}`, '\ud800'],
        message.replace('}', ',"timestamp":"0001-01-01T00:00:00Z"}'),
      ])
    return Buffer.from(this.#or(message, wrong))
  }

  /** With its length; sometimes no UTF-8, or another length. */
  #text(value: string): Buffer {
    if (!this.#isWrong()) return text(value)
    const odd = this.#random.pick(['ff', 'c080', 'eda080', 'f4908080', '00', 'efbbbf61', 'efbfbf', 'c3'])
    return this.#random.pick([
      () => text(Buffer.from(odd, 'hex')),
      () => text(Buffer.concat([Buffer.from(value), Buffer.from(odd, 'hex')])),
      () =>
        Buffer.concat([uint16(this.#random.pick([0, 1, 65_535, Buffer.byteLength(value) + 1])), Buffer.from(value)]),
      () => text('a'.repeat(65_535)),
    ])()
  }

  /** Version 5 only. Mostly those that may be in this packet, each once. */
  #properties(name: string): Buffer {
    if (this.#version === 4) return none
    const own = allowed[name] ?? [0x1f, 0x26]
    const right = own.filter(() => this.#random.chance(0.2))
    const wrong = () => [...right, this.#random.integer(0, 0x7f), ...right]
    const some = this.#or(right, wrong).map((id) => this.#property(id))
    const bytes = Buffer.concat(some)
    const length = this.#or(bytes.length, () => this.#random.pick([0, bytes.length + 1, 127, 16_384]))
    return Buffer.concat([variableInteger(length), bytes])
  }

  #property(id: number): Buffer {
    const pair = () => Buffer.concat([this.#text('a'), this.#text('b')])
    const form = forms[id] ?? 'byte'
    const content = {
      byte: () => Buffer.from([this.#or(this.#random.integer(0, 1), () => this.#random.integer(0, 255))]),
      two: () => uint16(this.#or(this.#random.pick([1, 20, 65_535]), () => 0)),
      four: () =>
        Buffer.from(
          this.#or('00010000', () => this.#random.pick(['00000000', '00000001', 'ffffffff'])),
          'hex',
        ),
      variable: () => variableInteger(this.#or(this.#random.pick([1, 268_435_455]), () => 0)),
      text: () => this.#text(this.#or(this.#random.pick(['a', 'x/y']), () => this.#random.pick(['', '#']))),
      pair,
    }[form]()
    return Buffer.concat([Buffer.from([id]), content])
  }

  /** Rarely: a byte that is another, a length that is not that of what follows, or an end that is missing. */
  #damaged(bytes: Buffer): Buffer {
    if (!this.#random.chance(this.#wrong * 0.8)) return bytes
    const at = this.#random.integer(0, bytes.length - 1)
    return this.#random.pick([
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from([this.#random.integer(0, 255)]), bytes.subarray(at + 1)]),
      () => bytes.subarray(0, at + 1),
      () => Buffer.concat([bytes, Buffer.from(this.#random.hex(3), 'hex')]),
      () => withLongLength(bytes),
      () => Buffer.concat([bytes.subarray(0, 1), Buffer.from('ffffffff7f', 'hex'), bytes.subarray(2)]),
    ])()
  }

  #isWrong(): boolean {
    return this.#random.chance(this.#wrong * 0.3)
  }

  #or<Value>(right: Value, wrong: () => Value): Value {
    return this.#isWrong() ? wrong() : right
  }
}

/** Of commands and settings, whichever topic they are sent to. */
const reports = [
  '{"status":"done"}',
  '{"id":"01932d5c-3b6f-7a3e-9f31-2b8c4d5e6f70","status":"failed","message":"\\ud800","result":{"a":null}}',
  '{"version":1,"result":"applied"}',
  '{"base_version":0,"values":{"a":1}}',
]

type Form = 'byte' | 'two' | 'four' | 'variable' | 'text' | 'pair'

/** MQTT 5, 2.2.2.2; binary data has the form of a text. */
const forms: Record<number, Form> = {
  ...{ 1: 'byte', 2: 'four', 3: 'text', 8: 'text', 9: 'text', 11: 'variable', 17: 'four', 18: 'text', 19: 'two' },
  ...{ 21: 'text', 22: 'text', 23: 'byte', 24: 'four', 25: 'byte', 26: 'text', 28: 'text', 31: 'text' },
  ...{ 33: 'two', 34: 'two', 35: 'two', 36: 'byte', 37: 'byte', 38: 'pair', 39: 'four', 40: 'byte' },
  ...{ 41: 'byte', 42: 'byte' },
}

/** Without those that the service refuses wherever they are: authentication methods and topic aliases. */
const allowed: Record<string, number[]> = {
  CONNECT: [0x11, 0x17, 0x19, 0x21, 0x22, 0x26, 0x27],
  WILL: [0x18, 1, 2, 3, 8, 9, 0x26],
  PUBLISH: [1, 2, 3, 8, 9, 0x26],
  SUBSCRIBE: [0x0b, 0x26],
  UNSUBSCRIBE: [0x26],
  DISCONNECT: [0x11, 0x1f, 0x26, 0x1c],
  AUTH: [0x15, 0x16, 0x1f, 0x26],
}

function variableInteger(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7) {
    bytes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80)
    if (rest < 0x80) return Buffer.from(bytes)
  }
}

/** Whether the bytes end where a packet ends: only then is the server to say something about the last of them. */
export function isComplete(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; ) {
    let length = 0
    let last = at + 1
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = bytes[last]
      if (byte === undefined) return false
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) break
      last += 1
    }
    at = last + 1 + length
    if (at > bytes.length) return false
  }
  return true
}
