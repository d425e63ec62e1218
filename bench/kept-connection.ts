import { connect, type Socket } from 'node:net'

const headerEnd = Buffer.from('\r\n\r\n')
/** A server that closes again and again is not one that tidied up an idle connection. */
const maxAttempts = 3

let reopened = 0

/** Since the last call; said once per turn, since a connection that is opened again costs a little. */
export function takeReopened(): number {
  const count = reopened
  reopened = 0
  return count
}

/**
 * One kept-alive connection with one request at a time. A server may close it while it is idle, also in the moment in
 * which a request is written: the connection is then opened again and the request sent once more.
 */
export class KeptConnection {
  readonly #port: number
  #socket: Socket
  #request: Buffer | string = ''
  #attempts = 0
  /** Null while no request is under way. */
  #onResponse: ((response: Buffer) => void) | null = null

  constructor(port: number) {
    this.#port = port
    this.#socket = this.#open()
  }

  send(request: Buffer | string, onResponse: (response: Buffer) => void): void {
    this.#request = request
    this.#onResponse = onResponse
    this.#attempts = 1
    if (this.#socket.writable) this.#socket.write(request)
    else this.#sendAgain()
  }

  close(): void {
    this.#onResponse = null
    this.#socket.destroy()
  }

  #sendAgain(): void {
    reopened += 1
    this.#socket = this.#open()
    this.#socket.write(this.#request)
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    let pending: Buffer | null = null
    let length = -1
    socket.on('data', (chunk: Buffer) => {
      pending = pending ? Buffer.concat([pending, chunk]) : chunk
      if (length < 0) {
        const end = pending.indexOf(headerEnd)
        if (end < 0) return
        const head = pending.toString('latin1', 0, end)
        length = end + headerEnd.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      }
      if (pending.length < length) return
      const response = pending
      pending = null
      length = -1
      const onResponse = this.#onResponse
      this.#onResponse = null
      onResponse?.(response)
    })
    let failure: Error | undefined
    socket.on('error', (error) => {
      failure = error
    })
    socket.on('close', () => {
      if (socket !== this.#socket || !this.#onResponse) return
      this.#attempts += 1
      if (pending || this.#attempts > maxAttempts) {
        throw failure ?? new Error('the server closed a connection with a request under way')
      }
      this.#sendAgain()
    })
    return socket
  }
}
