import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isCounted, type MetricReport, mergeReports } from '../merge-metrics.ts'
import { processLimits } from '../own-limits.ts'
import { closeUnconfirmed } from './handed-over.ts'
import type { ListeningPorts, Serving, StartOrder, ToProcess, ToSupervisor } from './messages.ts'
import { StartFailure } from './start-failure.ts'

export interface SupervisorOptions {
  processes: number
  log: Logger
  /** After which a process that was asked to end is killed. */
  stopSeconds: number
  order: Pick<StartOrder, 'databaseUrl' | 'folder' | 'masterKey' | 'operatorKey' | 'handOverFolder'>
  ports: ListeningPorts
  lab: boolean
}

interface Member {
  number: number
  worker: Worker
  startedAt: number
  state: 'starting' | 'serving' | 'leaving'
  /** Its code is loaded, and it waits for its order. */
  loaded: PromiseWithResolvers<void>
  /** Null when it ended before it served. */
  serving: PromiseWithResolvers<Serving | null>
  ended: Promise<unknown>
  missedPings: number
  /** What it had counted when it was last asked. */
  report: MetricReport
}

const pings = { everySeconds: 5, maxMissed: processLimits.silentSeconds / 5, maxMissedOfWriter: 2 }
/** Less than Prometheus waits for a scrape, and more than a process may wait for Postgres. */
const collectMilliseconds = 3_000
/** A report that nobody waits for. */
const noCollection = 0
const { steadySeconds, firstPauseMilliseconds, longestPauseMilliseconds } = processLimits

/**
 * Keeps a number of processes serving on the same ports (decision 4.13). `node:cluster` accepts every connection here and
 * hands it to one process after the other, so that a process can be replaced without refusing a connection.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #log: Logger
  /** The process of each number that is restarted when it ends; during a reload there are others besides. */
  readonly #current = new Map<number, Member>()
  readonly #all = new Set<Member>()
  readonly #failures = new Map<number, number>()
  readonly #collections = new Map<number, (member: Member, report: MetricReport) => void>()
  /** As they are asked for; 0 is the same free port for all processes as long as one of them serves on it. */
  #ports: ListeningPorts
  #bound: ListeningPorts | undefined
  /** Who stores the messages of all, where one does. */
  #writer: Member | null = null
  #counted: MetricReport = []
  #collectionsStarted = 0
  #started = false
  #stopping = false
  #reload: 'none' | 'running' | 'another' = 'none'
  #pinging: NodeJS.Timeout | undefined

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#log = options.log
    this.#ports = options.ports
    cluster.schedulingPolicy = cluster.SCHED_RR
  }

  /** Resolves when all serve; null when a process could not start and has said why. */
  async start(): Promise<Serving | null> {
    const { processes, lab } = this.#options
    // The first one migrates the database, which may take long, creates the lab and binds the ports; the others load
    // their code meanwhile.
    const first = this.#fork(1)
    const others = Array.from({ length: processes - 1 }, (_, index) => this.#fork(index + 2))
    void this.#order(first, { lab })
    const serving = await this.#firstServing(first)
    if (!serving) return null
    for (const member of others) void this.#order(member)
    const all = await Promise.all(others.map((member) => this.#firstServing(member)))
    if (all.includes(null)) return null
    for (const member of [first, ...others]) {
      this.#current.set(member.number, member)
      void this.#keep(member)
    }
    this.#started = true
    this.#pinging = setInterval(() => this.#ping(), pings.everySeconds * 1000)
    return serving
  }

  async #firstServing(member: Member): Promise<Serving | null> {
    const serving = await member.serving.promise
    const { signalCode } = member.worker.process
    if (serving || this.#stopping || signalCode === null) return serving
    throw new StartFailure(`A process was ended by ${signalCode} while it started.`)
  }

  /** Asks all to end as SIGTERM does, and waits until they have. */
  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#pinging)
    await Promise.all([...this.#all].map((member) => this.#end(member, 'stop')))
  }

  /** Of a stop that is under way or follows. */
  skipDrain(): void {
    for (const member of this.#all) send(member, { kind: 'stop' })
  }

  /** Replaces all processes, one after the other: the new one serves before the old one closes anything. */
  reload(): void {
    if (!this.#started || this.#stopping) this.#log.info('SIGHUP ignored: the service starts or stops')
    else if (this.#reload === 'none') void this.#reloadOnce()
    else {
      this.#reload = 'another'
      this.#log.info('a reload is under way; another one follows it')
    }
  }

  async #reloadOnce(): Promise<void> {
    this.#reload = 'running'
    await this.#replaceAll()
    const isAskedAgain = this.#reload === ('another' as string)
    this.#reload = 'none'
    if (isAskedAgain && !this.#stopping) this.reload()
  }

  async #replaceAll(): Promise<void> {
    const { processes } = this.#options
    this.#log.info({ processes }, 'reloading')
    const began = performance.now()
    for (let number = 1; number <= processes; number += 1) {
      const next = this.#fork(number)
      void this.#order(next)
      if (!(await next.serving.promise)) {
        if (!this.#stopping) this.#log.error('reload ended: the new process cannot start, the old ones go on serving')
        return
      }
      const old = this.#current.get(number)!
      this.#current.set(number, next)
      this.#failures.delete(number)
      void this.#keep(next)
      if (this.#all.has(old)) await this.#end(old, 'retire')
      if (this.#stopping) return
    }
    this.#log.info({ seconds: Math.round((performance.now() - began) / 1000) }, 'reloaded')
  }

  /** Loads its code, and waits for its order. */
  #fork(number: number): Member {
    const worker = cluster.fork()
    closeUnconfirmed(worker)
    const ended = endOf(worker).then(() => this.#onEnd(member))
    const member: Member = {
      ...{ number, worker, ended, startedAt: performance.now(), state: 'starting', missedPings: 0, report: [] },
      loaded: Promise.withResolvers(),
      serving: Promise.withResolvers(),
    }
    this.#all.add(member)
    void ended.then(() => member.serving.resolve(null))
    worker.on('message', (message: ToSupervisor) => this.#receive(member, message))
    return member
  }

  /** Once it can bind at once: until then other processes may have ended. */
  async #order(member: Member, { lab = false } = {}): Promise<void> {
    await member.loaded.promise
    // When no process serves, nothing is bound any more, and a free port would be another one.
    if (this.#bound && this.#countServing() === 0) this.#ports = this.#bound
    const order = { ...this.#options.order, number: member.number, ports: this.#ports, lab }
    send(member, { kind: 'start', order })
  }

  #receive(member: Member, message: ToSupervisor): void {
    switch (message.kind) {
      case 'loaded':
        member.loaded.resolve()
        break
      case 'serving':
        this.#onServing(member, message.serving)
        break
      case 'pong':
        member.missedPings = 0
        break
      case 'reported':
        member.report = message.report
        this.#collections.get(message.collection)?.(member, message.report)
        break
      case 'collect':
        member.report = message.own
        void this.#collect(member, message.question)
        break
      case 'last report':
        member.report = message.report
    }
  }

  #onServing(member: Member, serving: Serving): void {
    this.#bound ??= serving.ports
    const { port, mqttsPort, staticCertPort } = this.#bound
    const { ports } = serving
    if (ports.port !== port || ports.mqttsPort !== mqttsPort || ports.staticCertPort !== staticCertPort) {
      // The last other process ended meanwhile, and with it the binding to a free port.
      this.#ports = this.#bound
      this.#kill(member, 'a process was bound to other ports')
      return
    }
    if (member.state === 'starting') member.state = 'serving'
    member.serving.resolve(serving)
    this.#publishServing()
  }

  #onEnd(member: Member): void {
    this.#all.delete(member)
    member.state = 'leaving'
    // Otherwise the sum over all processes would shrink, which reads as a restart and a burst of everything counted since.
    this.#counted = mergeReports([this.#counted, member.report.filter(isCounted)])
    this.#publishServing()
  }

  /** Restarts what ended by itself. */
  async #keep(member: Member): Promise<void> {
    const { number } = member
    await member.ended
    const isWanted = () => !this.#stopping && this.#current.get(number) === member
    if (!isWanted()) return
    const seconds = (performance.now() - member.startedAt) / 1000
    const failures = seconds < steadySeconds ? (this.#failures.get(number) ?? 0) + 1 : 1
    this.#failures.set(number, failures)
    const pause = failures === 1 ? 0 : Math.min(longestPauseMilliseconds, firstPauseMilliseconds * 2 ** (failures - 2))
    const { exitCode, signalCode } = member.worker.process
    const reason = signalCode ?? `exit code ${exitCode}`
    this.#log.error({ process: number, reason, restart_in_ms: pause }, 'a process ended by itself; starting it again')
    if (pause > 0) await sleep(pause)
    if (!isWanted()) return
    const next = this.#fork(number)
    void this.#order(next)
    this.#current.set(number, next)
    void this.#keep(next)
  }

  async #end(member: Member, kind: 'stop' | 'retire'): Promise<void> {
    member.state = 'leaving'
    this.#publishServing()
    send(member, { kind })
    const late = setTimeout(
      () => this.#kill(member, 'a process did not stop in time'),
      this.#options.stopSeconds * 1000,
    )
    await member.ended
    clearTimeout(late)
  }

  #kill(member: Member, why: string): void {
    this.#log.error({ process: member.number, what: why }, `${why}; killing it`)
    member.worker.process.kill('SIGKILL')
  }

  #ping(): void {
    for (const member of this.#all) {
      if (member.state !== 'serving') continue
      if (member.missedPings >= pings.maxMissed) this.#kill(member, 'a process does not respond')
      member.missedPings += 1
      send(member, { kind: 'ping' })
      // A process that is killed cannot report any more: of what it counted, only the time since the last ping is lost.
      send(member, { kind: 'report', collection: noCollection })
    }
    if (this.#writer && !mayWrite(this.#writer)) this.#publishServing()
  }

  #countServing(): number {
    return [...this.#all].filter(({ state }) => state === 'serving').length
  }

  #publishServing(): void {
    // The newest stays the longest: a reload changes the writer once.
    if (!this.#writer || !mayWrite(this.#writer)) this.#writer = [...this.#all].findLast(mayWrite) ?? null
    const writer = this.#writer?.worker.process.pid ?? null
    for (const member of this.#all) send(member, { kind: 'serving', count: this.#countServing(), writer })
  }

  /** What all but the one that asks count, and what was counted by those that have ended. */
  async #collect(asking: Member, question: number): Promise<void> {
    this.#collectionsStarted += 1
    const collection = this.#collectionsStarted
    const missing = new Set([...this.#all].filter((member) => member !== asking && member.state !== 'starting'))
    const reports: MetricReport[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#collections.set(collection, (member, report) => {
      if (missing.delete(member)) reports.push(report)
      if (missing.size === 0) resolve()
    })
    for (const member of missing) send(member, { kind: 'report', collection })
    if (missing.size > 0) await Promise.race([promise, sleep(collectMilliseconds)])
    this.#collections.delete(collection)
    // One that does not respond counts as it last did: a sum that shrinks reads as a restart.
    const known = [...missing].map(({ report }) => report.filter(isCounted))
    send(asking, { kind: 'collected', question, reports: [...reports, ...known, this.#counted] })
  }
}

function mayWrite({ state, missedPings }: Member): boolean {
  return state === 'serving' && missedPings <= pings.maxMissedOfWriter
}

/** Where the machine has no room for another process, there is an error instead of an exit. */
async function endOf(worker: Worker): Promise<void> {
  await new Promise<void>((resolve) => {
    worker.process.once('exit', () => resolve())
    worker.on('error', () => {
      if (worker.process.pid === undefined) resolve()
    })
  })
}

/** One that ends meanwhile is noticed by its exit. */
function send({ worker }: Member, message: ToProcess): void {
  if (worker.isConnected()) worker.send(message, undefined, undefined, () => {})
}
