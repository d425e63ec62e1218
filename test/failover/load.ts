// Telemetry over HTTP and MQTT and refreshes of tokens, on two processes at once, with what was acknowledged and when.
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FleetDevice } from '../../bench/devices/fleet.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { digest } from '../../server/src/platform/secrets/secrets.ts'
import { type DeviceLoad, requireEveryAcknowledged, startDeviceLoad } from '../crash/device-load.ts'
import { refreshAt } from '../support/calls.ts'
import { WireDevice } from '../support/mqtt.ts'
import type { Chain } from '../support/seeded-grants.ts'
import type { Service } from '../support/service.ts'

export type Kind = 'http' | 'mqtt' | 'refresh'
export const kinds: Kind[] = ['http', 'mqtt', 'refresh']

interface Response {
  kind: Kind
  process: number
  succeeded: boolean
  at: number
  milliseconds: number
}

export interface Load {
  /** Milliseconds from `at` to the first success after `since`, of the slower process. */
  firstSuccess(kind: Kind, since: number, at: number): number
  /** Whether every kind of request has succeeded on every process since then. */
  hasSucceeded(since: number): boolean
  /** The longest wait for a response that came after `since`, in milliseconds. */
  slowest(kind: Kind, since: number): number
  count(kind: Kind, succeeded: boolean): number
  stop(): Promise<void>
  /** Throws when something acknowledged is lost or stored twice, or a refresh token has two live children. */
  requireNothingLost(sql: Pool): Promise<{ messages: number; tokens: number }>
}

/** Fewer than 300 per minute and client: the limits stay on. */
const refreshPauseMilliseconds = 250

/** With a pause between two messages of a device. */
export function startLoad(services: Service[], fleet: FleetDevice[], chains: Chain[], pauseMilliseconds = 40): Load {
  const responses: Response[] = []
  let running = true
  const record = (kind: Kind, process: number, succeeded: boolean, began: number) => {
    responses.push({ kind, process, succeeded, at: performance.now(), milliseconds: performance.now() - began })
  }
  const urlOf = (process: number) => services[process]!.ready.public_url.replace('localhost', '127.0.0.1')
  const third = Math.floor(fleet.length / 3)

  const loads: DeviceLoad[] = services.map((_service, process) => {
    const devices = fleet.slice(process * third, (process + 1) * third)
    const onResponse = (status: number, began: number) => record('http', process, status === 200, began)
    return startDeviceLoad(devices, () => urlOf(process), { onResponse, pauseMilliseconds })
  })

  const published = new Map<number, string[]>()
  async function publish(device: FleetDevice, process: number): Promise<void> {
    published.set(device.number, [])
    let wire: WireDevice | null = null
    while (running) {
      const mark = randomBytes(9).toString('base64url')
      const body = { status: 'online', telemetries: { mark }, message_id: mark, timestamp: new Date().toISOString() }
      // Sent again until it is acknowledged, as a device does at QoS 1.
      for (let acknowledged = false; !acknowledged && running; ) {
        let began = performance.now()
        if (!wire) {
          wire = new WireDevice(Number(new URL(services[process]!.ready.mqtt_url).port), 4)
          const connack = await wire.connect(device)
          if (connack === 'closed' || connack.cmd !== 'connack' || connack.returnCode !== 0) {
            record('mqtt', process, false, began)
            wire.socket.destroy()
            wire = null
            await sleep(100)
            continue
          }
        }
        began = performance.now()
        wire.publish(device, body)
        const reply = await wire.next()
        acknowledged = reply !== 'closed' && reply.cmd === 'puback'
        record('mqtt', process, acknowledged, began)
        if (acknowledged) published.get(device.number)!.push(mark)
        else wire = null
      }
      await sleep(pauseMilliseconds)
    }
    wire?.socket.destroy()
  }

  const tokens: string[] = []
  const spare = [...chains]
  async function refresh(): Promise<void> {
    let chain = spare.shift()
    while (running && chain) {
      // A token whose response was lost may be sent to the other process, too.
      const process = randomInt(services.length)
      const began = performance.now()
      const reply = await refreshAt(urlOf(process), chain).catch(() => null)
      record('refresh', process, reply?.status === 200, began)
      if (reply?.status === 200) {
        chain = { ...chain, refresh_token: reply.body.refresh_token }
        tokens.push(chain.refresh_token)
      } else if (reply?.body.error === 'invalid_grant') {
        // An attempt whose response was lost had been committed: nobody has this token's child.
        chain = spare.shift()
      }
      await sleep(refreshPauseMilliseconds)
    }
  }

  const wired = fleet.slice(2 * third)
  const workers = [
    ...wired.map((device, index) => publish(device, index % services.length)),
    ...Array.from({ length: 8 }, () => refresh()),
  ]

  const successSince = (kind: Kind, process: number, since: number) =>
    responses.find((one) => one.kind === kind && one.process === process && one.succeeded && one.at >= since)

  return {
    firstSuccess(kind, since, at) {
      const firsts = services.map(
        (_service, process) => successSince(kind, process, since)?.at ?? Number.POSITIVE_INFINITY,
      )
      return Math.max(0, Math.max(...firsts) - at)
    },
    hasSucceeded: (since) =>
      kinds.every((kind) => services.every((_service, process) => successSince(kind, process, since))),
    slowest: (kind, since) =>
      Math.max(0, ...responses.filter((one) => one.kind === kind && one.at >= since).map((one) => one.milliseconds)),
    count: (kind, succeeded) => responses.filter((one) => one.kind === kind && one.succeeded === succeeded).length,
    async stop() {
      running = false
      await Promise.all([...loads.map((load) => load.stop()), ...workers])
    },
    async requireNothingLost(sql) {
      let messages = 0
      const mqtt = { acknowledged: published, responses: new Map(), stop: async () => {} }
      for (const load of [...loads, mqtt]) messages += await requireEveryAcknowledged(sql, load)
      const digests = tokens.map((token) => digest(token).toString('hex'))
      const [found] = await sql<{ count: number }[]>`
        select count(*)::int as count from unnest(${digests}::text[]) as token (digest)
        where exists (select from refresh_tokens t where t.digest = decode(token.digest, 'hex'))
          or exists (select from retired_refresh_tokens t where t.digest = substr(decode(token.digest, 'hex'), 1, 16))`
      if (found!.count !== tokens.length) throw new Error(`${tokens.length - found!.count} refresh tokens are lost`)
      const doubled = await sql`
        select grant_id from refresh_tokens group by grant_id having count(*) > 1`
      if (doubled.length > 0) throw new Error(`${doubled.length} refresh tokens have two live children`)
      return { messages, tokens: tokens.length }
    },
  }
}
