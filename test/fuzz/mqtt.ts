// Conversations of devices with the MQTT listener: it replies as the standard says or closes, whatever is sent.
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { parser as createParser, type Packet } from 'mqtt-packet'
import type { Random } from '../histories/record/random.ts'
import type { Credentials } from '../support/mqtt.ts'
import { unsubscribe, type Version } from '../support/mqtt-conformance/bytes.ts'
import { isComplete, PacketMaker, type SentPacket } from './mqtt-packets.ts'

export interface Conversation {
  version: Version
  packets: SentPacket[]
  /** Where the bytes are cut into writes. */
  chunk: number
}

export interface Outcome {
  /** `PUBACK 0x99`, and at last `open`, `closed` or `hung`. */
  replies: string[]
  fault: string | null
}

const fromServer = new Set(['connack', 'publish', 'puback', 'suback', 'unsuback', 'pingresp', 'disconnect'])
/** Of the last packet, whose reply says that the connection is open. */
const probe = 0xfffe
const patienceMilliseconds = 300_000

export function makeConversation(random: Random, device: Credentials): Conversation {
  const version = random.pick([4, 5] as const)
  const right = new PacketMaker(random, version, device, 0)
  const maker = new PacketMaker(random, version, device, random.pick([0, 0.1, 0.3, 0.8]))
  const first = random.chance(0.8) ? [right.of('CONNECT')] : random.chance(0.8) ? [maker.of('CONNECT')] : []
  // Fewer than a connection may send at once.
  const packets = [...first, ...Array.from({ length: random.integer(1, 14) }, () => maker.any())]
  return { version, packets, chunk: random.chance(0.3) ? random.pick([1, 7, 100]) : Number.POSITIVE_INFINITY }
}

let session: Buffer | undefined

export async function converse(port: number, { version, packets, chunk }: Conversation): Promise<Outcome> {
  const bytes = Buffer.concat(packets.map((packet) => packet.bytes))
  const complete = isComplete(bytes)
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...(session ? { session } : {}) })
  socket.on('session', (next) => {
    session = next
  })
  const listening = listen(socket)
  write(socket, bytes, chunk)
  if (complete) socket.write(unsubscribe(version, ['probe'], { identifier: probe }))
  // What waits for the rest of a packet says nothing: it must only not be harmed.
  else setTimeout(() => socket.end(), 20)
  return await listening
}

function write(socket: TLSSocket, bytes: Buffer, chunk: number): void {
  // At most a hundred writes: each is a record of its own.
  const size = Math.max(chunk, Math.ceil(bytes.length / 100))
  for (let at = 0; at < bytes.length; at += size) socket.write(bytes.subarray(at, at + size))
}

async function listen(socket: TLSSocket): Promise<Outcome> {
  const replies: string[] = []
  let fault: string | null = null
  let parser: ReturnType<typeof createParser> | undefined
  const start = (first: Buffer) => {
    // A CONNACK of 3.1.1 has two bytes, one of version 5 has more.
    parser = createParser({ protocolVersion: first[0] === 0x20 && first[1] === 2 ? 4 : 5 })
    parser.on('packet', (packet) => {
      fault ??= faultOf(packet, replies)
      replies.push(describe(packet))
      probed ||= packet.messageId === probe
    })
    parser.on('error', (error) => {
      fault ??= `unreadable reply: ${error.message}`
    })
    return parser
  }
  let probed = false
  let last = ''
  await new Promise<void>((resolve) => {
    const settle = (how: string) => {
      last ||= how
      clearTimeout(timer)
      clearTimeout(quiet)
      socket.destroy()
      resolve()
    }
    const timer = setTimeout(() => {
      fault ??= 'neither closed nor answered'
      settle('hung')
    }, patienceMilliseconds)
    let quiet: NodeJS.Timeout | undefined
    socket.on('data', (bytes) => {
      ;(parser ?? start(bytes)).parse(bytes)
      if (!probed) return
      // Messages that wait for their commit are acknowledged after it.
      clearTimeout(quiet)
      quiet = setTimeout(() => settle('open'), 25)
    })
    socket.on('error', () => {})
    socket.on('close', () => settle('closed'))
  })
  return { replies: [...replies, last], fault }
}

function faultOf(packet: Packet, before: string[]): string | null {
  const { cmd } = packet
  if (!fromServer.has(cmd)) return `the server sent ${cmd}`
  if ((cmd === 'connack') !== (before.length === 0)) return `${cmd} after ${before.length} packets`
  if (before.at(-1)?.startsWith('DISCONNECT')) return `${cmd} after its DISCONNECT`
  return null
}

// biome-ignore lint/suspicious/noExplicitAny: a packet of any kind
function describe(packet: any): string {
  const codes: number[] = packet.granted ?? [packet.reasonCode ?? packet.returnCode ?? 0]
  const [code = 0] = codes
  return `${packet.cmd.toUpperCase()} 0x${code.toString(16).padStart(2, '0')}`
}

export function showConversation({ version, packets, chunk }: Conversation): string {
  const lines = packets.map(({ name, bytes }) => {
    const hex = bytes.toString('hex')
    return `  ${name} ${hex.length > 2_000 ? `${hex.slice(0, 2_000)}… (${bytes.length} bytes)` : hex}`
  })
  return [`MQTT ${version === 4 ? '3.1.1' : '5'}, in writes of ${chunk} bytes`, ...lines].join('\n')
}
