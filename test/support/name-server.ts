import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { whenDone } from './database.ts'

/** What a name has: TXT records, or a way to misbehave. `loop` is a CNAME to itself, `forged` has another query's id. */
export type Zone = Map<string, string[] | 'refused' | 'silent' | 'loop' | 'forged' | 'garbage'>

export interface NameServer {
  zone: Zone
  /** `host:port` */
  address: string
  /** Names that were asked for. */
  asked: string[]
}

/** A name server over UDP and TCP, for TXT records. A name that is not in the zone does not exist. */
export async function startNameServer(): Promise<NameServer> {
  const zone: Zone = new Map()
  const asked: string[] = []
  const udp = createSocket('udp4')
  udp.on('message', (query, { port, address }) => {
    const response = respond(query)
    if (!response) return
    udp.send(response.length > 512 ? truncated(response) : response, port, address)
  })
  const tcp = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const response = respond(data.subarray(2))
      if (response) socket.end(Buffer.concat([uint16(response.length), response]))
    })
  })
  const port = await listenOnBoth()
  whenDone(async () => {
    udp.close()
    tcp.close()
  })

  /** On the same port, as resolvers expect: one that is free for the one may be taken for the other. */
  async function listenOnBoth(): Promise<number> {
    for (;;) {
      tcp.listen(0, '127.0.0.1')
      await once(tcp, 'listening')
      const { port } = tcp.address() as AddressInfo
      udp.bind(port, '127.0.0.1')
      try {
        await once(udp, 'listening')
        return port
      } catch {
        tcp.close()
        await once(tcp, 'close')
      }
    }
  }

  function respond(query: Buffer): Buffer | null {
    const { name, question } = readQuestion(query)
    asked.push(name)
    const records = zone.get(name)
    if (records === 'silent') return null
    if (records === 'garbage') return Buffer.concat([query.subarray(0, 2), Buffer.alloc(40, 0xc0)])
    const id = records === 'forged' ? uint16(query.readUInt16BE(0) ^ 0xffff) : query.subarray(0, 2)
    const code = records === undefined ? 3 : records === 'refused' ? 5 : 0
    const answers =
      records === 'loop'
        ? [answer(5, encodeName(name))]
        : Array.isArray(records)
          ? records.map((text) => answer(16, encodeText(text)))
          : records === 'forged'
            ? [answer(16, encodeText('forged'))]
            : []
    const header = Buffer.concat([id, uint16(0x8180 | code), uint16(1), uint16(answers.length), uint16(0), uint16(0)])
    return Buffer.concat([header, question, ...answers])
  }

  return { zone, asked, address: `127.0.0.1:${port}` }
}

/** Only the header and question, which say that the rest is to be asked for over TCP. */
function truncated(response: Buffer): Buffer {
  const { question } = readQuestion(response)
  const short = Buffer.concat([response.subarray(0, 6), uint16(0), uint16(0), uint16(0), question])
  short.writeUInt16BE(short.readUInt16BE(2) | 0x0200, 2)
  return short
}

function readQuestion(message: Buffer): { name: string; question: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), question: message.subarray(12, at + 5) }
}

/** Of the name in the question. */
function answer(type: number, data: Buffer): Buffer {
  return Buffer.concat([uint16(0xc00c), uint16(type), uint16(1), Buffer.alloc(4), uint16(data.length), data])
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

/** In parts of 255 bytes. */
function encodeText(text: string): Buffer {
  const parts = text.match(/.{1,255}/g) ?? ['']
  return Buffer.concat(parts.map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)])))
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255])
}
