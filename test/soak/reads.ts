// Reads of people and applications on both processes, and live streams that come and go.
import { setTimeout as sleep } from 'node:timers/promises'
import { operatorKey } from '../support/keys.ts'
import type { Service } from '../support/service.ts'

export interface Reads {
  /** How long each took that began since then, in milliseconds. */
  timesSince(since: number): number[]
  count(): number
  streams(): number
  stop(): Promise<void>
}

const streamSeconds = 3

export function readForEver(services: Service[], tokens: string[]): Reads {
  const times: { at: number; milliseconds: number }[] = []
  let opened = 0
  let running = true
  const urlOf = (process: number) => services[process]!.ready.public_url
  const bearer = (turn: number) => ({ authorization: `Bearer ${tokens[turn % tokens.length]}` })
  const calls = (turn: number): [string, Record<string, string>][] => [
    ['/core/v1/organization/info', bearer(turn)],
    ['/core/v1/organization/devices?limit=50', bearer(turn)],
    ['/oauth/userinfo', bearer(turn)],
    ['/core/v1/operator/partners', { authorization: operatorKey }],
    ['/core/v1/organization/info', { authorization: 'Bearer of nobody' }],
  ]

  /** A process that is being restarted refuses for a moment. */
  const forEver = async (pauseMilliseconds: number, work: (turn: number) => Promise<void>) => {
    for (let turn = 0; running; turn += 1) {
      await work(turn).catch(() => sleep(100))
      await sleep(pauseMilliseconds)
    }
  }
  const read = async (process: number, turn: number) => {
    const [path, headers] = calls(turn)[turn % 5]!
    const began = performance.now()
    await (await fetch(urlOf(process) + path, { headers })).arrayBuffer()
    times.push({ at: began, milliseconds: performance.now() - began })
  }
  const watch = async (process: number, turn: number) => {
    const signal = AbortSignal.timeout(streamSeconds * 1000)
    const response = await fetch(`${urlOf(process)}/core/v1/organization/devices/stream`, {
      headers: bearer(turn),
      signal,
    })
    opened += 1
    await response.arrayBuffer()
  }

  const loops = [0, 1].flatMap((process) => [
    forEver(50, (turn) => read(process, turn)),
    forEver(50, (turn) => read(process, turn)),
    forEver(200, (turn) => watch(process, turn)),
  ])
  return {
    timesSince: (since) => times.filter(({ at }) => at >= since).map(({ milliseconds }) => milliseconds),
    count: () => times.length,
    streams: () => opened,
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}
