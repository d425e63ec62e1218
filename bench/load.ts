// The load generator, in its own process: kept-alive connections that each send a request when the last was
// completed. Raw sockets and requests written beforehand, so that it costs little of the machine it shares. It learns
// once where to connect, then how long to go on, as often as wanted; between two turns its connections are idle.
import { connect, type Socket } from 'node:net'

export interface LoadOrder {
  port: number
  connections: number
  /** Whole requests, head and body; each connection goes through its share of them again and again. */
  requests: string[]
}

export interface LoadTurn {
  warmUpSeconds: number
  seconds: number
}

export interface LoadReport {
  /** Responses with status 200 per second. */
  rate: number
  /** Responses with any other status. */
  others: number
  p50: number
  p99: number
}

const headerEnd = Buffer.from('\r\n\r\n')

class Load {
  readonly #callers: Caller[]

  constructor({ port, connections, requests }: LoadOrder) {
    const whole = requests.map((request) => Buffer.from(request))
    this.#callers = Array.from({ length: connections }, (_, index) => new Caller(port, whole, index, connections))
  }

  async run({ warmUpSeconds, seconds }: LoadTurn): Promise<LoadReport> {
    const countFrom = performance.now() + warmUpSeconds * 1000
    const until = countFrom + seconds * 1000
    const times: number[] = []
    let others = 0
    await Promise.all(
      this.#callers.map((caller) =>
        caller.goOn(until, (respondedAt, took, ok) => {
          if (!ok) others += 1
          else if (respondedAt >= countFrom && respondedAt <= until) times.push(took)
        }),
      ),
    )
    times.sort((a, b) => a - b)
    const quantile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
    return { rate: times.length / seconds, others, p50: quantile(0.5), p99: quantile(0.99) }
  }
}

type Count = (respondedAt: number, took: number, ok: boolean) => void

/** One connection: a request at a time. */
class Caller {
  readonly #socket: Socket
  #onResponse: ((ok: boolean) => void) | null = null
  #next: () => Buffer

  constructor(port: number, requests: Buffer[], first: number, step: number) {
    let index = first
    this.#next = () => {
      const request = requests[index % requests.length]!
      index += step
      return request
    }
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let pending: Buffer | null = null
    let length = -1
    this.#socket.on('data', (chunk: Buffer) => {
      pending = pending ? Buffer.concat([pending, chunk]) : chunk
      if (length < 0) {
        const end = pending.indexOf(headerEnd)
        if (end < 0) return
        const head = pending.toString('latin1', 0, end)
        length = end + headerEnd.length + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      }
      if (pending.length < length) return
      const ok = pending.toString('latin1', 9, 12) === '200'
      pending = null
      length = -1
      this.#onResponse?.(ok)
    })
    this.#socket.on('error', (error) => {
      throw error
    })
  }

  /** Sends and counts until the time has come; resolves after the last response, so that nothing is under way at the end. */
  goOn(until: number, count: Count): Promise<void> {
    return new Promise((resolve) => {
      let sentAt = performance.now()
      this.#onResponse = (ok) => {
        const now = performance.now()
        count(now, now - sentAt, ok)
        if (now >= until) return resolve()
        sentAt = now
        this.#socket.write(this.#next())
      }
      this.#socket.write(this.#next())
    })
  }
}

let load: Load | null = null
process.on('message', async (message: LoadOrder | LoadTurn) => {
  if ('port' in message) load = new Load(message)
  else process.send!(await load!.run(message))
})
process.on('disconnect', () => process.exit(0))
