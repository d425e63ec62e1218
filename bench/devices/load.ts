// The load generator, in a process of its own: kept-alive connections that each send a request when the last was
// answered. Raw sockets and requests written beforehand, so that it costs little of the machine it shares.
import { connect, type Socket } from 'node:net'

export interface LoadOrder {
  port: number
  connections: number
  /** Whole requests, head and body; each connection goes through its share of them again and again. */
  requests: string[]
  warmUpSeconds: number
  seconds: number
}

export interface LoadReport {
  /** Answers with status 200 a second. */
  rate: number
  answers: number
  /** Answers of any other status. */
  others: number
  p50: number
  p99: number
}

const headerEnd = Buffer.from('\r\n\r\n')

async function run(order: LoadOrder): Promise<LoadReport> {
  const requests = order.requests.map((request) => Buffer.from(request))
  let counting = false
  let answers = 0
  let others = 0
  const times: number[] = []
  const sockets: Socket[] = []

  for (let index = 0; index < order.connections; index += 1) {
    const socket = connect({ port: order.port, host: '127.0.0.1', noDelay: true })
    sockets.push(socket)
    let next = index
    let sentAt = 0
    let pending: Buffer | null = null
    const send = () => {
      sentAt = performance.now()
      socket.write(requests[next % requests.length]!)
      next += order.connections
    }
    socket.on('connect', send)
    socket.on('data', (chunk: Buffer) => {
      pending = pending ? Buffer.concat([pending, chunk]) : chunk
      const end = pending.indexOf(headerEnd)
      if (end < 0) return
      const head = pending.toString('latin1', 0, end)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (pending.length < end + 4 + length) return
      pending = null
      if (counting) {
        if (head.startsWith('HTTP/1.1 200')) answers += 1
        else others += 1
        times.push(performance.now() - sentAt)
      }
      send()
    })
    socket.on('error', (error) => {
      throw error
    })
  }

  await sleep(order.warmUpSeconds)
  const began = performance.now()
  counting = true
  await sleep(order.seconds)
  counting = false
  const seconds = (performance.now() - began) / 1000
  for (const socket of sockets) socket.destroy()
  times.sort((a, b) => a - b)
  const quantile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  return { rate: answers / seconds, answers, others, p50: quantile(0.5), p99: quantile(0.99) }
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

process.once('message', async (order: LoadOrder) => {
  process.send!(await run(order), () => process.exit(0))
})
