// The portal's live streams and the devices they watch, in one process, so that both are timed by one clock. Devices send
// at a fixed rate, each in its turn; every message carries a number that must arrive on every stream.
import { Agent, request } from 'node:http'

export interface WatchOrder {
  url: string
  key: string
  devices: { id: string; access_key: string }[]
  streams: number
}

export interface WatchTurn {
  warmUpSeconds: number
  seconds: number
  /** Messages per second. */
  rate: number
}

export interface WatchReport {
  /** Events per second on all streams together. */
  rate: number
  /** Messages per second that were acknowledged. */
  messages: number
  /** Milliseconds from the response to a message until a stream has its event. */
  p50: number
  p99: number
  missing: number
}

/** A message of the window: when it was acknowledged, and when its events came. */
interface Message {
  respondedAt: number | null
  arrivals: number[]
}

const messages = new Map<number, Message>()
const agent = new Agent({ keepAlive: true, maxSockets: 64 })
let order: WatchOrder
let opened: Promise<void>
let sent = 0

async function open({ url, key, streams }: WatchOrder): Promise<void> {
  await Promise.all(Array.from({ length: streams }, () => openStream(url, key)))
  // By then every message is published to the streams.
  await new Promise((resolve) => setTimeout(resolve, 1_500))
}

/** Resolves when the stream is ready. */
function openStream(url: string, key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}/core/v1/organization/devices/stream`,
      { headers: { authorization: key } },
      (stream) => {
        if (stream.statusCode !== 200) return reject(new Error(`the stream was refused with ${stream.statusCode}`))
        let text = ''
        stream.setEncoding('utf8').on('data', (chunk: string) => {
          const now = performance.now()
          text += chunk
          const end = text.lastIndexOf('\n\n')
          if (end < 0) return
          const events = text.slice(0, end)
          text = text.slice(end + 2)
          if (events.includes('event: ready')) resolve()
          for (const [, nth] of events.matchAll(/"nth":(?:{"value":)?(\d+)/g)) {
            messages.get(Number(nth))?.arrivals.push(now)
          }
        })
        stream.on('close', () => {
          throw new Error('a stream was closed')
        })
      },
    )
    call.on('error', reject)
    call.end()
  })
}

function send(counted: boolean): void {
  const nth = ++sent
  const { id, access_key } = order.devices[nth % order.devices.length]!
  const message: Message = { respondedAt: null, arrivals: [] }
  if (counted) messages.set(nth, message)
  const body = JSON.stringify({ status: 'online', telemetries: { nth, temperature: 21.5, humidity: 40 } })
  const headers = { authorization: access_key, 'content-type': 'application/json', 'content-length': body.length }
  const call = request(`${order.url}/v1/devices/${id}/telemetry`, { method: 'POST', agent, headers }, (response) => {
    if (response.statusCode !== 200) throw new Error(`a message was refused with ${response.statusCode}`)
    message.respondedAt = performance.now()
    response.resume()
  })
  call.end(body)
}

async function run({ warmUpSeconds, seconds, rate }: WatchTurn): Promise<WatchReport> {
  messages.clear()
  const from = performance.now() + warmUpSeconds * 1000
  const until = from + seconds * 1000
  const began = performance.now()
  let count = 0
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const now = performance.now()
      // As many as are due: a late timer does not lower the rate.
      const due = Math.floor(((Math.min(now, until) - began) * rate) / 1000)
      for (; count < due; count += 1) send(now >= from)
      if (now < until) return
      clearInterval(timer)
      resolve()
    }, 5)
  })
  const complete = () => [...messages.values()].every(({ arrivals }) => arrivals.length >= order.streams)
  for (let waited = 0; waited < 100 && !complete(); waited += 1)
    await new Promise((resolve) => setTimeout(resolve, 100))

  const times: number[] = []
  let [events, acknowledged, missing] = [0, 0, 0]
  for (const { respondedAt, arrivals } of messages.values()) {
    missing += Math.max(0, order.streams - arrivals.length)
    if (respondedAt !== null && respondedAt <= until) acknowledged += 1
    for (const arrivedAt of arrivals) {
      if (arrivedAt <= until) events += 1
      times.push(Math.max(0, arrivedAt - respondedAt!))
    }
  }
  times.sort((a, b) => a - b)
  const quantile = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  return {
    rate: events / seconds,
    messages: acknowledged / seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    missing,
  }
}

process.on('message', async (message: WatchOrder | WatchTurn) => {
  if ('url' in message) {
    order = message
    opened = open(message)
    return
  }
  await opened
  process.send!(await run(message))
})
process.on('disconnect', () => process.exit(0))
