// The load generator, its own process: `node token-load.ts`, which gets each turn in a message from its parent.
// Raw sockets and prepared requests, so that it takes as little as possible of the cores it shares with what it measures.
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Chain } from '../../test/support/seeded-grants.ts'
import { fewAtATime } from '../few-at-a-time.ts'
import { KeptConnection, takeReopened } from '../kept-connection.ts'

export interface LoadOrder {
  port: number
  connections: number
  warmupSeconds: number
  seconds: number
  work: RefreshWork | BearerWork
}

/** Chains of refresh tokens: the token of each response goes into the next request. */
export interface RefreshWork {
  kind: 'refresh'
  path: string
  chains: Chain[]
  /** Narrower than what was granted, without openid: the response then has no id_token. */
  scope?: string
}

export interface BearerWork {
  kind: 'bearer'
  path: string
  tokens: string[]
}

export interface LoadReport {
  requestsPerSecond: number
  failures: number
  firstFailure: string | null
  p50: number
  p99: number
  /** The share of the time of all cores, within the window, in which they did anything at all. */
  coresBusy: number
  chains: Chain[]
  /** Connections that the server had closed, and that were opened again. */
  reopened: number
}

let requests = 0

/** Every request has its own address, as behind a busy proxy: the limits stay on. */
function forwarded(): string {
  requests += 1
  return `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
}

function refreshRequest({ path, scope }: RefreshWork, chain: Chain): string {
  const { client_id, client_secret, refresh_token } = chain
  const narrowed = scope === undefined ? '' : `&scope=${scope}`
  const body = `grant_type=refresh_token&refresh_token=${refresh_token}&client_id=${client_id}&client_secret=${client_secret}${narrowed}`
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${forwarded()}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function bearerRequest(path: string, token: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${forwarded()}\r\nAuthorization: Bearer ${token}\r\n\r\n`
}

/** One request at a time on one connection, which stays open from one turn to the next. */
class Caller {
  readonly #connection: KeptConnection

  constructor(port: number) {
    this.#connection = new KeptConnection(port)
  }

  send(request: string): Promise<string> {
    return new Promise((resolve) => {
      this.#connection.send(request, (response) => resolve(response.toString('latin1')))
    })
  }
}

const opened = new Map<string, Caller[]>()

/** Those of the last turn on this port, or new ones. */
function callersOn(port: number, count: number): { callers: Caller[]; areNew: boolean } {
  const key = `${port} ${count}`
  const before = opened.get(key)
  const callers = before ?? Array.from({ length: count }, () => new Caller(port))
  opened.set(key, callers)
  return { callers, areNew: before === undefined }
}

/**
 * Counts what completes within a window of steady load, whenever it began: counting only what also began within it would
 * lose a round of every caller. The window opens when the warm-up is over and every caller has had a response, and all of
 * them go on until it closes.
 */
async function run(order: LoadOrder): Promise<LoadReport> {
  const { callers, areNew } = callersOn(order.port, order.connections)
  let opensAt = Number.POSITIVE_INFINITY
  let closesAt = Number.POSITIVE_INFINITY
  let callersWithoutResponse = order.connections
  let coresBusy = Promise.resolve(Number.NaN)
  const latencies: number[] = []
  const report = { failures: 0, firstFailure: null as string | null }
  const { work } = order

  const one = async (caller: Caller, turn: number, index: number): Promise<string> => {
    if (work.kind === 'bearer') {
      const token = work.tokens[(turn * order.connections + index) % work.tokens.length]!
      return await caller.send(bearerRequest(work.path, token))
    }
    // Each connection has its own chains, so that no two ever send the same token.
    const share = Math.floor(work.chains.length / order.connections)
    const chain = work.chains[index * share + (turn % share)]!
    const response = await caller.send(refreshRequest(work, chain))
    const token = /"refresh_token":"([^"]+)"/.exec(response)?.[1]
    if (token && response.includes('"id_token"') !== (work.scope !== undefined)) chain.refresh_token = token
    else if (response.startsWith('HTTP/1.1 200')) throw new Error(`not the expected tokens in ${response}`)
    return response
  }

  const count = (response: string): boolean => {
    const succeeded = response.startsWith('HTTP/1.1 200')
    if (!succeeded) {
      report.failures += 1
      report.firstFailure ??= response.slice(0, 600)
    }
    return succeeded
  }

  if (areNew) {
    const responses = await fewAtATime(callers, (caller, index) => one(caller, 0, index))
    for (const response of responses) count(response)
  }
  opensAt = performance.now() + order.warmupSeconds * 1000
  await Promise.all(
    callers.map(async (caller, index) => {
      for (let turn = 1; ; turn += 1) {
        const sentAt = performance.now()
        if (sentAt >= closesAt) break
        const response = await one(caller, turn, index)
        const completedAt = performance.now()
        if (turn === 1) {
          callersWithoutResponse -= 1
          if (callersWithoutResponse === 0) {
            opensAt = Math.max(opensAt, completedAt)
            closesAt = opensAt + order.seconds * 1000
            coresBusy = shareOfCores(opensAt - completedAt, order.seconds * 1000)
          }
        }
        const isSteady = callersWithoutResponse === 0 && completedAt > opensAt && completedAt <= closesAt
        if (count(response) && isSteady) latencies.push(completedAt - sentAt)
      }
    }),
  )
  latencies.sort((a, b) => a - b)
  return {
    ...report,
    coresBusy: await coresBusy,
    requestsPerSecond: latencies.length / order.seconds,
    p50: latencies[Math.floor(latencies.length / 2)] ?? Number.NaN,
    p99: latencies[Math.floor(latencies.length * 0.99)] ?? Number.NaN,
    chains: work.kind === 'refresh' ? work.chains : [],
    reopened: takeReopened(),
  }
}

/** Waiting for the disk is not work, nor is what the host of a virtual machine takes away. */
async function shareOfCores(delay: number, milliseconds: number): Promise<number> {
  const work = () => {
    const all = cpus()
    const busy = all.reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
    return { at: performance.now(), busy: busy / all.length }
  }
  await sleep(delay)
  const before = work()
  await sleep(milliseconds)
  const after = work()
  // The kernel counts in hundredths of a second.
  return Math.min(1, (after.busy - before.busy) / (after.at - before.at))
}

process.on('message', async (order: LoadOrder) => process.send!(await run(order)))
process.on('disconnect', () => process.exit(0))
