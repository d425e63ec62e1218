// Devices that send without pause, and record what was acknowledged. A message with an id is sent again until it is;
// one without is sent once, since a repeat of it could not be recognised.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../server/src/platform/database/sql.ts'

export interface Sender {
  id: string
  access_key: string
  number: number
}

export interface DeviceLoad {
  /** Distinct marks of the messages that were acknowledged, by device number. */
  acknowledged: Map<number, string[]>
  /** Responses by status; 0 means no response. */
  responses: Map<number, number>
  stop(): Promise<void>
}

export interface DeviceLoadOptions {
  /** Called with the status (0 for none) and the time at which the request was sent. */
  onResponse?(status: number, began: number): void
  /** Between two messages of a device. */
  pauseMilliseconds?: number
}

/** `url` is called before every request: a restarted service has another port. */
export function startDeviceLoad(senders: Sender[], url: () => string, options: DeviceLoadOptions = {}): DeviceLoad {
  let running = true
  const acknowledged = new Map<number, string[]>(senders.map(({ number }) => [number, []]))
  const responses = new Map<number, number>()
  const count = (status: number, began: number) => {
    responses.set(status, (responses.get(status) ?? 0) + 1)
    options.onResponse?.(status, began)
  }

  async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response | null> {
    const init = { method: 'POST', body: JSON.stringify(body) }
    const began = performance.now()
    try {
      const response = await fetch(url() + path, {
        ...init,
        headers: { 'content-type': 'application/json', ...headers },
        signal: AbortSignal.timeout(60_000),
      })
      count(response.status, began)
      return response
    } catch {
      count(0, began)
      return null
    }
  }

  async function sendOneByOne({ id, access_key, number }: Sender): Promise<void> {
    for (let turn = 0; running; turn += 1) {
      const mark = randomBytes(9).toString('base64url')
      const message = { status: 'online', telemetries: { mark, turn, [`part${turn % 3}`]: turn } }
      const repeatable = turn % 2 === 0
      const named = repeatable ? { timestamp: new Date().toISOString(), message_id: mark } : {}
      for (;;) {
        const response = await post(
          `/v1/devices/${id}/telemetry`,
          { ...message, ...named },
          { authorization: access_key },
        )
        if (response?.status === 200) acknowledged.get(number)!.push(mark)
        else await sleep(50)
        await response?.body?.cancel().catch(() => {})
        if (response?.status === 200 || !repeatable || !running) break
      }
      if (options.pauseMilliseconds) await sleep(options.pauseMilliseconds)
    }
  }

  async function sendTogether(group: Sender[]): Promise<void> {
    while (running) {
      const marks = group.map(() => randomBytes(9).toString('base64url'))
      const devices = group.map(({ id, access_key }, index) => {
        return { id, access_key, status: 'online', telemetries: { mark: marks[index], mass: true } }
      })
      const response = await post('/v1/devices/telemetry', { devices })
      // A response that breaks off acknowledges nothing.
      const { results } = response?.status === 200 ? await response.json().then(toResults, nothing) : nothing()
      for (const [index, { status }] of results.entries()) {
        if (status === 200) acknowledged.get(group[index]!.number)!.push(marks[index]!)
      }
      if (response?.status !== 200) await sleep(50)
      if (options.pauseMilliseconds) await sleep(options.pauseMilliseconds)
    }
  }

  const half = senders.length >> 1
  const loops = [...senders.slice(0, half).map(sendOneByOne), sendTogether(senders.slice(half)), sendTogether(senders)]
  return {
    acknowledged,
    responses,
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}

const toResults = (body: unknown) => body as Results
const nothing = (): Results => ({ results: [] })

interface Results {
  results: { status: number }[]
}

/** Every acknowledged message is in the history exactly once; returns how many there were. */
export async function requireEveryAcknowledged(sql: Pool, load: DeviceLoad): Promise<number> {
  const rows = await sql<{ number: number; mark: string; count: number }[]>`
    select device_number as number, telemetries ->> 'mark' as mark, count(*)::int as count
    from history group by 1, 2`
  const stored = new Map(rows.map(({ number, mark, count }) => [`${number} ${mark}`, count]))
  let total = 0
  for (const [number, marks] of load.acknowledged) {
    for (const mark of marks) {
      total += 1
      const count = stored.get(`${number} ${mark}`) ?? 0
      if (count !== 1) throw new Error(`device ${number}: an acknowledged message is stored ${count} times`)
    }
  }
  const repeated = rows.filter(({ count }) => count !== 1)
  if (repeated.length > 0) throw new Error(`${repeated.length} messages are stored more than once`)
  return total
}
