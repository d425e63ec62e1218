// Devices that send one message after the other, each again until it is acknowledged, and what became of them.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetDevice } from '../../bench/devices/fleet.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'

export interface Sender extends FleetDevice {
  /** The server that has its shard. */
  server: string
}

interface ResponseRow {
  server: string
  status: number
  at: number
  milliseconds: number
}

export interface Load {
  /** In every message, so that each load is judged by its own. */
  mark: string
  /** The turns that were acknowledged, in that order, by device number. */
  acknowledged: Map<number, number[]>
  /** 0 means no response. */
  responses: ResponseRow[]
  /** Whether every device was acknowledged since. */
  reachedAll(since: number): boolean
  stop(): Promise<void>
}

export function startLoad(senders: Sender[], urls: string[]): Load {
  let running = true
  const mark = randomBytes(6).toString('hex')
  const acknowledged = new Map<number, number[]>(senders.map(({ number }) => [number, []]))
  const lastAt = new Map<number, number>()
  const responses: ResponseRow[] = []

  async function send({ id, access_key, server }: Sender, url: string, body: object): Promise<number> {
    const began = performance.now()
    const headers = { authorization: access_key, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(30_000) }
    const status = await fetch(`${url}/v1/devices/${id}/telemetry`, init).then(
      async (response) => {
        await response.body?.cancel()
        return response.status
      },
      () => 0,
    )
    responses.push({ server, status, at: began, milliseconds: performance.now() - began })
    return status
  }

  async function sendAll(sender: Sender): Promise<void> {
    for (let turn = 0; running; turn += 1) {
      const message = {
        status: turn % 7 === 0 ? 'error' : 'online',
        telemetries: { mark, turn, [`part${turn % 3}`]: turn },
      }
      const named = { ...message, message_id: `${mark}-${turn}`, timestamp: new Date().toISOString() }
      for (let attempt = 0; running; attempt += 1) {
        const status = await send(sender, urls[(turn + attempt) % urls.length]!, named)
        if (status === 200) {
          acknowledged.get(sender.number)!.push(turn)
          lastAt.set(sender.number, performance.now())
          break
        }
        await sleep(50)
      }
      await sleep(20)
    }
  }

  const loops = senders.map(sendAll)
  return {
    mark,
    acknowledged,
    responses,
    reachedAll: (since) => senders.every(({ number }) => (lastAt.get(number) ?? 0) > since),
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}

export interface Verdict {
  acknowledged: number
  lost: number
  doubled: number
  reordered: number
}

/** In the order of their numbers, the messages of a device must be in the order in which it sent them. */
export async function judge(sql: Pool, load: Load): Promise<Verdict> {
  const rows = await sql<{ number: number; turn: number }[]>`
    select device_number as number, (telemetries ->> 'turn')::int as turn from history
    where telemetries ->> 'mark' = ${load.mark} order by device_number, sequence`
  const stored = Map.groupBy(rows, ({ number }) => number)
  const verdict: Verdict = { acknowledged: 0, lost: 0, doubled: 0, reordered: 0 }
  for (const [number, turns] of load.acknowledged) {
    const found = (stored.get(number) ?? []).map(({ turn }) => turn)
    const distinct = new Set(found)
    verdict.acknowledged += turns.length
    verdict.lost += turns.filter((turn) => !distinct.has(turn)).length
    verdict.doubled += found.length - distinct.size
    verdict.reordered += found.filter((turn, index) => index > 0 && turn < found[index - 1]!).length
  }
  return verdict
}
