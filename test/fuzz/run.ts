// Sends so many requests of each kind to one process of the service, a few at a time, and watches it meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import { toMegabytes } from '../../bench/memory.ts'
import { Random } from '../histories/record/random.ts'
import { type Document, type Operation, operationsOf } from '../openapi/document.ts'
import { nextAddress } from '../support/applications.ts'
import { newModel, register } from '../support/devices.ts'
import { Clock, startHarness } from '../support/harness.ts'
import type { Credentials } from '../support/mqtt.ts'
import { apiSource } from './api.ts'
import { cookiesSource } from './cookies.ts'
import { csvSource } from './csv.ts'
import type { HttpKind, Kind, Source, Try } from './kinds.ts'
import { type Conversation, converse, makeConversation, showConversation } from './mqtt.ts'
import { multipartSource } from './multipart.ts'
import { pagesSource } from './pages.ts'
import type { Fuzzed } from './service.ts'
import { shorten } from './shorten.ts'
import { describeFault, figure, Tally } from './tally.ts'
import { Watch } from './watch.ts'
import { Connection, type Reply, type Shot, show } from './wire.ts'
import { Worlds } from './worlds.ts'

export interface FuzzOptions {
  seed: number
  requests: Record<Kind, number>
  /** Sends no more after so many, however many are left. */
  minutes?: number
  service: Fuzzed
  databaseUrl: string
  /** Called now and then, and with each new fault. */
  onProgress?: (line: string) => void
}

export interface Report {
  tally: Tally
  /** Operations that were never let in. */
  missed: string[]
  memory: { middle: number; end: number }
  /** One line. */
  summary: string
}

const httpLanes = 32
const mqttLanes = 6
/** Most callers have an address of their own; some share one, and meet its limits. */
const sharedAddress = '192.0.2.1'
const shareOfSharedAddress = 0.04

/** Operations that have no success to reach. Each needs its reason. */
const withoutSuccess: Record<string, string> = {
  'operator.hubCells.delete': 'the cells of a tenant are in use for ever',
}

/** For whoever creates tenants it is as late as for the service. */
class RealClock extends Clock {
  override now = (): Date => new Date()
}

export async function fuzz(options: FuzzOptions): Promise<Report> {
  const { seed, requests, databaseUrl } = options
  const began = performance.now()
  // Not what is fuzzed: it creates tenants on the same database, with passwords that cost little.
  const creator = await startHarness({}, { beside: { databaseUrl, clock: new RealClock() } })
  const operations = operationsOf((await creator.app.inject({ url: '/openapi.json' })).json<Document>())
  const worlds = new Worlds(creator, operations, seed)
  const total = Object.values(requests).reduce((sum, count) => sum + count, 0)
  await worlds.open(total < 10_000 ? 2 : 4)
  const model = await newModel(creator)
  const devices = await Promise.all(Array.from({ length: mqttLanes }, () => register(creator, model)))
  const run = new Run({ ...options, worlds, operations })
  const seconds = () => (performance.now() - began) / 1000
  const sampling = setInterval(() => run.watch.sample(), Math.min(5_000, Math.max(200, total / 20)))
  const telling = setInterval(() => {
    const rate = Math.round(run.tally.total / seconds())
    options.onProgress?.(`${figure(run.tally.total)} requests, ${rate}/s, ${run.tally.faultsInAll} faults`)
  }, 10_000)
  const lanes = [
    ...Array.from({ length: httpLanes }, (_, lane) => run.sendHttp(lane)),
    ...devices.map((device, lane) => run.sendMqtt(lane, device)),
  ]
  await Promise.all(lanes).finally(() => {
    clearInterval(sampling)
    clearInterval(telling)
  })
  run.watch.sample()
  return reportOf(run, operations, { seconds: seconds(), tenants: worlds.created, seed })
}

interface Cast {
  worlds: Worlds
  operations: Operation[]
}

class Run {
  readonly tally: Tally
  readonly watch: Watch
  readonly #seed: number
  readonly #left: Record<Kind, number>
  readonly #lastAt: number
  readonly #service: Fuzzed
  readonly #worlds: Worlds
  readonly #sources: Record<HttpKind, Source>
  /** By lane: what was being sent when the process ended. */
  readonly #underWay = new Map<string, () => string>()

  constructor({
    seed,
    requests,
    minutes = Number.POSITIVE_INFINITY,
    service,
    worlds,
    operations,
    onProgress,
  }: FuzzOptions & Cast) {
    this.#seed = seed
    this.#left = { ...requests }
    this.#lastAt = performance.now() + minutes * 60_000
    this.#service = service
    this.#worlds = worlds
    this.tally = new Tally((fault) => onProgress?.(describeFault(fault)))
    this.watch = new Watch(service.child)
    this.#sources = {
      api: apiSource(worlds),
      pages: pagesSource(worlds),
      cookies: cookiesSource(worlds),
      multipart: multipartSource(worlds, operations),
      csv: csvSource(worlds),
    }
  }

  get underWay(): string[] {
    return [...this.#underWay.values()].map((sent) => sent()).toSorted((one, other) => one.length - other.length)
  }

  async sendHttp(lane: number): Promise<void> {
    const random = new Random(Math.imul(this.#seed, 31) + lane)
    const connection = new Connection(this.#service.port)
    for (let kind = this.#nextKind(random); kind && this.#goesOn(); kind = this.#nextKind(random)) {
      this.#worlds.requireSuccessors()
      this.#left[kind] -= 1
      const made = withCaller(random, this.#sources[kind](random))
      this.#underWay.set(`http ${lane}`, () => show(made.shot))
      await this.#attempt(kind, made, connection)
    }
    if (this.watch.end === null) this.#underWay.delete(`http ${lane}`)
    connection.close()
  }

  #goesOn(): boolean {
    return this.watch.end === null && performance.now() < this.#lastAt
  }

  /** As often as there are requests of it left. */
  #nextKind(random: Random): HttpKind | null {
    const { mqtt: _, ...rest } = this.#left
    return Object.values(rest).every((count) => count <= 0) ? null : random.weighted<HttpKind>(rest)
  }

  async #attempt(kind: Kind, { operation, shot, judge }: Try, connection: Connection): Promise<void> {
    try {
      const reply = await this.#send(shot, connection)
      this.tally.count(kind, operation, String(reply.status))
      const what = reply.status >= 500 ? `${reply.status}: ${reply.body.slice(0, 500)}` : judge(reply)
      if (what !== null) await this.#record({ kind, operation, what }, shot, reply, connection)
    } catch (error) {
      this.tally.count(kind, operation, 'none')
      this.tally.fault({ kind, operation, what: String(error), sent: show(shot) })
      connection.close()
    }
  }

  /** A machine that does much else may make the service wait too long for Postgres: what a request causes comes again. */
  async #send(shot: Shot, connection: Connection): Promise<Reply> {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await connection.send(shot)
      if (reply.status !== 503 || attempt === 10) return reply
      this.tally.repeated += 1
      await sleep(attempt * 500)
    }
  }

  /** The first of its kind is shortened: the service has other things to do than to repeat all of them. */
  async #record(
    fault: { kind: Kind; operation: string; what: string },
    shot: Shot,
    { status }: Reply,
    connection: Connection,
  ): Promise<void> {
    const again = async (shorter: Shot) => (await connection.send(shorter)).status === status
    const isNew = status >= 500 && !this.tally.knows(fault)
    this.tally.fault({ ...fault, sent: show(isNew ? await shorten(shot, again) : shot) })
  }

  async sendMqtt(lane: number, device: Credentials): Promise<void> {
    const random = new Random(Math.imul(this.#seed, 37) + lane)
    while (this.#left.mqtt > 0 && this.#goesOn()) {
      // Sometimes the device of a tenant, which others use, too: a second connection ends the first.
      const { tenant } = this.#worlds.take(random.integer(0, 3))
      const conversation = makeConversation(random, random.chance(0.8) ? device : tenant.device)
      this.#left.mqtt -= conversation.packets.length
      this.#underWay.set(`mqtt ${lane}`, () => showConversation(conversation))
      this.#recordConversation(conversation, await converse(this.#service.mqttPort, conversation))
    }
    if (this.watch.end === null) this.#underWay.delete(`mqtt ${lane}`)
  }

  #recordConversation(
    conversation: Conversation,
    { replies, fault }: { replies: string[]; fault: string | null },
  ): void {
    const operation = conversation.version === 4 ? 'MQTT 3.1.1' : 'MQTT 5'
    for (const packet of conversation.packets) this.tally.count('mqtt', `${operation} sent`, packet.name)
    for (const reply of replies) this.tally.note(`${operation} received`, reply)
    if (fault) this.tally.fault({ kind: 'mqtt', operation, what: fault, sent: showConversation(conversation) })
  }
}

function withCaller(random: Random, made: Try): Try {
  const address = random.chance(shareOfSharedAddress) ? sharedAddress : nextAddress()
  const hasHost = made.shot.headers.some(([name]) => name === 'host')
  const host: Shot['headers'] = hasHost ? [] : [['host', 'landbridge.test']]
  return { ...made, shot: { ...made.shot, headers: [...host, ...made.shot.headers, ['x-forwarded-for', address]] } }
}

function reportOf(
  { tally, watch, underWay }: Run,
  operations: Operation[],
  { seconds, tenants, seed }: { seconds: number; tenants: number; seed: number },
): Report {
  if (watch.end !== null)
    tally.fault({ kind: 'api', operation: 'the process', what: watch.end, sent: underWay.join('\n') })
  const memory = watch.memory()
  const summary =
    `${figure(tally.total)} requests (${tally.byKind()}) in ${figure(Math.round(seconds))} s: ` +
    `${tally.serverErrors} × 5xx (${tally.repeated} repeated after a 503), ${watch.end === null ? 0 : 1} process ends, ${tally.faultsInAll} faults, ` +
    `memory ${toMegabytes(memory.middle)} in the middle and ${toMegabytes(memory.end)} at the end; ` +
    `${tenants} tenants, seed ${seed}`
  const missed = operations.map(({ id }) => id).filter((id) => !tally.succeeded(id) && !(id in withoutSuccess))
  return { tally, missed, memory, summary }
}
