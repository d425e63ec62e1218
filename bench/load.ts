// The load generator, in its own process: kept-alive connections that each send a request when the last was
// completed. Raw sockets and requests written beforehand, so that it costs little of the machine it shares. It learns
// once where to connect, then how long to go on, as often as wanted; between two turns its connections are idle.
import { identityOf } from './devices/identities.ts'
import { fewAtATime } from './few-at-a-time.ts'
import { KeptConnection, takeReopened } from './kept-connection.ts'
import { requireEnd, Window, type WindowLength, type WindowReport } from './window.ts'

export interface LoadOrder {
  port: number
  connections: number
  /**
   * Whole requests, head and body; each connection goes through its share of them again and again. Each time one is
   * sent, `<address>` in it becomes another client address, `<mac>` and `<serial>` those of a new device, `<now>` the
   * present, and each `<instant>` one that no other message has.
   */
  requests: string[]
}

export interface LoadTurn extends WindowLength {
  /** Instead of those of the order: requests that succeed only once. When none is left, the window ends. */
  requests?: string[]
}

/** The rate is of successful responses. */
export interface LoadReport extends WindowReport {
  /** All responses of the turn, also those before and after the window. */
  completed: number
  /** Responses that were no success, at any time. */
  others: number
  /** The first of them. */
  firstOther: string | null
  /** Connections that the server had closed, and that were opened again. */
  reopened: number
}

/** The first digit of a status such as 200 or 201. */
const success = '2'.charCodeAt(0)

class Load {
  readonly #callers: Caller[]
  #hasBegun = false

  constructor({ port, connections, requests }: LoadOrder) {
    this.#callers = Array.from({ length: connections }, () => new Caller(port))
    const prepared = requests.map(prepare)
    for (const [first, caller] of this.#callers.entries()) {
      let index = first
      caller.next = () => {
        const request = prepared[index % prepared.length]!
        index += connections
        return request()
      }
    }
  }

  #sendOnce(requests: string[]): void {
    const left = requests.map(prepare)
    for (const caller of this.#callers) caller.next = () => left.pop()?.() ?? null
  }

  async run({ requests, ...length }: LoadTurn): Promise<LoadReport> {
    if (requests) this.#sendOnce(requests)
    else if (!this.#hasBegun) await requireEnd(fewAtATime(this.#callers, (caller) => caller.sendOne()))
    this.#hasBegun = true
    const window = new Window(this.#callers.length, length)
    let [completed, others] = [0, 0]
    let firstOther: string | null = null
    const count: Count = (now, took, refusal) => {
      completed += 1
      if (refusal === null) return window.count(now, took)
      others += 1
      firstOther ??= refusal
    }
    await requireEnd(Promise.all(this.#callers.map((caller) => caller.goOn(window, count))))
    return { ...window.report(), completed, others, firstOther, reopened: takeReopened() }
  }
}

let sent = 0

/** Most requests never change; the others are written anew each time. */
function prepare(request: string): () => Buffer | string {
  if (!/<(address|mac|serial|instant|now)>/.test(request)) {
    const bytes = Buffer.from(request)
    return () => bytes
  }
  return () => {
    sent += 1
    const { mac, sn } = identityOf(sent)
    return request
      .replace('<address>', `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`)
      .replace('<mac>', mac)
      .replace('<serial>', sn)
      .replaceAll('<instant>', nextInstant)
      .replaceAll('<now>', new Date().toISOString())
  }
}

/** A message with the timestamp of another may be its repeat, which costs less. */
let instant = Date.now() - 3 * 86_400_000

function nextInstant(): string {
  instant += 1
  return new Date(instant).toISOString()
}

/** The refusal is the response, or null. */
type Count = (now: number, took: number, refusal: string | null) => void

/** One connection: a request at a time. */
class Caller {
  readonly #connection: KeptConnection
  /** Null when there are no more. */
  next: () => Buffer | string | null = () => null

  constructor(port: number) {
    this.#connection = new KeptConnection(port)
  }

  sendOne(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#connection.send(this.next()!, (response) => {
        const refusal = refusalOf(response)
        if (refusal === null) resolve()
        else reject(new Error(refusal))
      })
    })
  }

  /** Sends until the window is over; resolves after the last response, so that nothing is under way at the end. */
  goOn(window: Window, count: Count): Promise<void> {
    return new Promise((resolve) => {
      let sentAt = performance.now()
      let first = true
      const onResponse = (response: Buffer) => {
        const now = performance.now()
        count(now, now - sentAt, refusalOf(response))
        if (first) window.begun(now)
        first = false
        if (window.isOver(now)) return resolve()
        const request = this.next()
        if (request === null) {
          window.end(now)
          return resolve()
        }
        sentAt = now
        this.#connection.send(request, onResponse)
      }
      this.#connection.send(this.next()!, onResponse)
    })
  }
}

function refusalOf(response: Buffer): string | null {
  return response[9] === success ? null : response.toString('utf8')
}

let load: Load | null = null
process.on('message', async (message: LoadOrder | LoadTurn) => {
  if ('port' in message) load = new Load(message)
  else process.send!(await load!.run(message))
})
process.on('disconnect', () => process.exit(0))
