// HTTP over one kept-alive socket, written byte by byte: a client library would refuse to send what a fuzzer wants to.
import { connect, type Socket } from 'node:net'

export interface Shot {
  method: string
  url: string
  /** As they are written, in latin1; a name may be there twice. */
  headers: [string, string][]
  payload?: string | Buffer
  /** A stream, or a file that is too long: the head is all that is read of a success. */
  endless?: boolean
}

export interface Reply {
  status: number
  headers: Record<string, string>
  body: string
}

/** So long that even a machine that does much else has replied: this finds what never comes. */
const giveUpMilliseconds = 300_000
const headEnd = Buffer.from('\r\n\r\n')

export class NoReply extends Error {}

export class Connection {
  readonly #port: number
  #socket: Socket | null = null
  #received: Buffer = Buffer.alloc(0)
  #wake: (() => void) | null = null

  constructor(port: number) {
    this.#port = port
  }

  async send(shot: Shot): Promise<Reply> {
    const bytes = written(shot)
    // A server may close an idle connection in the moment in which a request is written to it.
    const wasOpen = this.#socket !== null
    const reply = await this.#exchange(bytes, shot).catch((error) => {
      if (wasOpen && error instanceof NoReply && this.#received.length === 0) return null
      throw error
    })
    return reply ?? (await this.#exchange(bytes, shot))
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
  }

  async #exchange(bytes: Buffer, shot: Shot): Promise<Reply> {
    this.#socket ??= this.#open()
    this.#received = Buffer.alloc(0)
    this.#socket.write(bytes)
    const timer = setTimeout(() => this.#socket?.destroy(), giveUpMilliseconds)
    try {
      return await this.#read(shot)
    } finally {
      clearTimeout(timer)
    }
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    socket.on('data', (chunk: Buffer) => {
      if (socket !== this.#socket) return
      this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
      this.#wake?.()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      if (socket === this.#socket) this.#socket = null
      this.#wake?.()
    })
    return socket
  }

  async #read({ method, endless = false }: Shot): Promise<Reply> {
    const headLength = await this.#until(() => {
      const end = this.#received.indexOf(headEnd)
      return end < 0 ? null : end + headEnd.length
    })
    const [first = '', ...lines] = this.#received.toString('latin1', 0, headLength).split('\r\n')
    const status = Number(first.slice(9, 12))
    const headers = Object.fromEntries(
      lines.filter(Boolean).map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const bodiless = method === 'HEAD' || status === 204 || status === 304
    const streams = endless && status === 200
    const body = bodiless || streams ? '' : await this.#readBody(headLength, headers)
    if (streams || headers.connection === 'close') this.close()
    return { status, headers, body }
  }

  async #readBody(from: number, headers: Record<string, string>): Promise<string> {
    if (headers['transfer-encoding'] === 'chunked') return await this.#readChunks(from)
    const end = from + Number(headers['content-length'] ?? 0)
    await this.#until(() => (this.#received.length >= end ? end : null))
    return this.#received.toString('utf8', from, end)
  }

  async #readChunks(from: number): Promise<string> {
    const chunks: Buffer[] = []
    for (let at = from; ; ) {
      const line = await this.#until(() => {
        const end = this.#received.indexOf('\r\n', at)
        return end < 0 ? null : end
      })
      const length = Number.parseInt(this.#received.toString('latin1', at, line), 16)
      const end = line + 2 + length + 2
      await this.#until(() => (this.#received.length >= end ? end : null))
      if (length === 0) return Buffer.concat(chunks).toString('utf8')
      chunks.push(this.#received.subarray(line + 2, end - 2))
      at = end
    }
  }

  /** What `find` finds in what has come so far, or in what comes. */
  async #until(find: () => number | null): Promise<number> {
    for (;;) {
      const found = find()
      if (found !== null) return found
      if (this.#socket === null) throw new NoReply(`closed after ${this.#received.length} bytes of a response`)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = null
    }
  }
}

function written({ method, url, headers, payload }: Shot): Buffer {
  const body = Buffer.from(payload ?? '')
  const length: [string, string][] = payload === undefined ? [] : [['content-length', String(body.length)]]
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), body])
}

/** As it can be repeated by hand, cut where it is long. */
export function show({ method, url, headers, payload }: Shot): string {
  const cut = (text: string, length: number) =>
    text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text
  const lines = headers.map(([name, value]) => `  ${name}: ${cut(JSON.stringify(value), 300)}`)
  const body = payload === undefined ? [] : [`  ${cut(JSON.stringify(payload.toString()), 2_000)}`]
  return [`${method} ${cut(url, 2_000)}`, ...lines, ...body].join('\n')
}
