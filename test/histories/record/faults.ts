// What goes wrong meanwhile. Heavy faults one at a time: each takes seconds to recover from, and two at once prove no more.
import { setTimeout as sleep } from 'node:timers/promises'
import { operatorKey } from '../../../bench/environment.ts'
import { backendsOn, isRunning, postgresOn } from '../../support/postgres-processes.ts'
import { ask } from './http.ts'
import { type Process, upOf } from './processes.ts'
import type { Random } from './random.ts'
import { now } from './recorder.ts'
import type { World } from './world.ts'

export type FaultKind =
  | 'kill -9 of a process'
  | 'SIGSTOP of a process'
  | 'clock jump'
  | 'SIGSTOP of a backend'
  | 'SIGTERM of a backend'
  | 'SIGSTOP of Postgres'
  | 'immediate restart of Postgres'
  | 'promotion of the standby'
  | 'devices moved to another cell'
  | 'callers cut'
  | 'callers delayed'
  | 'callers in pieces'
  | 'response lost'
  | 'database cut'
  | 'database delayed'
  | 'database in pieces'
  | 'commit lost'

/**
 * How often each is chosen; those that take a process or Postgres away cost most. In turn they come in this order: what a
 * process had claimed when it was lost is taken over after a minute, which a run does not have to wait for at its end.
 */
const weights: Record<FaultKind, number> = {
  'kill -9 of a process': 1,
  'immediate restart of Postgres': 1,
  'promotion of the standby': 2,
  'devices moved to another cell': 10,
  'commit lost': 20,
  'database cut': 5,
  'SIGTERM of a backend': 4,
  'SIGSTOP of Postgres': 2,
  'SIGSTOP of a process': 4,
  'SIGSTOP of a backend': 6,
  'clock jump': 3,
  'database delayed': 5,
  'database in pieces': 5,
  'response lost': 20,
  'callers cut': 8,
  'callers delayed': 5,
  'callers in pieces': 5,
}

const heavy = new Set<FaultKind>([
  ...(['kill -9 of a process', 'SIGSTOP of a process', 'clock jump'] as const),
  ...(['SIGSTOP of Postgres', 'immediate restart of Postgres', 'promotion of the standby'] as const),
])

export function anyFault(random: Random): FaultKind {
  return random.weighted(weights)
}

/** Each kind in turn, the first being 1. */
export function faultAt(turn: number): FaultKind {
  const kinds = Object.keys(weights) as FaultKind[]
  return kinds[(turn - 1) % kinds.length]!
}

export function faultNamed(name: string): FaultKind {
  if (name in weights) return name as FaultKind
  throw new Error(`--fault must be one of: ${Object.keys(weights).join(', ')}`)
}

export class Faults {
  readonly counts = new Map<FaultKind, number>()
  readonly #world: World
  readonly #onFault: (kind: FaultKind) => void
  #last: Promise<void> = Promise.resolve()

  constructor(world: World, onFault: (kind: FaultKind) => void) {
    this.#world = world
    this.#onFault = onFault
  }

  async inject(kind: FaultKind, random: Random): Promise<void> {
    if (!heavy.has(kind)) return await this.#now(kind, random)
    const turn = this.#last.then(() => this.#now(kind, random))
    this.#last = turn.catch(() => {})
    await turn
  }

  /** No fault is under way any more. */
  async over(): Promise<void> {
    await this.#last
  }

  #isPossible(kind: FaultKind): boolean {
    const { processes, postgres } = this.#world
    if (kind === 'promotion of the standby') return postgres.promote !== null
    if (kind === 'devices moved to another cell') return processes.some(({ cell }) => cell !== processes[0]!.cell)
    return processes[0]!.postgres !== null || !/^(database|commit)/.test(kind)
  }

  async #now(kind: FaultKind, random: Random): Promise<void> {
    if (!this.#isPossible(kind)) return
    const { trouble } = this.#world
    // Those of callers end with the connection, or within a second.
    const isOfCallers = /^(callers|response)/.test(kind)
    if (kind === 'devices moved to another cell') trouble.moves += 1
    if (!isOfCallers) trouble.underWay += 1
    try {
      await this.#happen(kind, random)
    } finally {
      if (!isOfCallers) Object.assign(trouble, { underWay: trouble.underWay - 1, ended: now() })
    }
  }

  async #happen(kind: FaultKind, random: Random): Promise<void> {
    const { processes, postgres } = this.#world
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    this.#onFault(kind)
    // One that starts would fail, and start again, which is slow and shows nothing new.
    const process = random.pick(upOf(processes))
    const port = postgres.port()
    switch (kind) {
      case 'kill -9 of a process':
        return await killed(process, random)
      case 'SIGSTOP of a process':
        return await stopped([process.service.child.pid!], random.integer(100, 2_500))
      case 'clock jump':
        process.service.child.kill('SIGUSR2')
        await sleep(random.integer(100, 1_500))
        return void process.service.child.kill('SIGUSR2')
      case 'SIGSTOP of a backend':
        return await stopped(backend(port, random), random.integer(100, 2_000))
      case 'SIGTERM of a backend':
        for (const pid of backend(port, random)) signal(pid, 'SIGTERM')
        return
      case 'SIGSTOP of Postgres':
        return await stopped(isRunning(port) ? postgresOn(port) : [], random.integer(100, 1_500))
      case 'immediate restart of Postgres':
        return await postgres.restart()
      case 'promotion of the standby':
        return await postgres.promote!(random.pick(['SIGKILL', 'SIGSTOP']), (promoted) => leadTo(processes, promoted))
      case 'devices moved to another cell':
        return await moveDevices(processes, random)
      default:
        return await disturb(kind, process, random)
    }
  }
}

/** Like an address that moves to the new primary. */
function leadTo(processes: Process[], port: number): void {
  for (const { postgres } of processes) {
    postgres!.target = port
    postgres!.cut()
  }
}

/** Half of a cell's, or back to equal shares; where a cell does not run, nothing is moved. */
async function moveDevices(processes: Process[], random: Random): Promise<void> {
  const cells = [...new Set(processes.map(({ cell }) => cell))]
  const from_cell = random.pick(cells)
  const to = random.pick(cells.filter((cell) => cell !== from_cell))
  const redirect_over_seconds = random.pick([0, 0, 1, null])
  const isBack = random.chance(0.5)
  const path = `/core/v1/operator/hub-cells/${isBack ? 'rebalance' : `${to}/move`}`
  const json = { redirect_over_seconds, ...(isBack ? {} : { buckets: 256, from_cell }) }
  const headers = { authorization: operatorKey }
  await ask(random.pick(upOf(processes)).http.port, { method: 'POST', path, headers, json })
}

async function killed(process: Process, random: Random): Promise<void> {
  process.service.child.kill('SIGKILL')
  // Its callers notice first.
  await sleep(random.integer(20, 300))
  process.isDown = true
  await process.restart()
}

/** None while Postgres is starting. */
function backend(port: string, random: Random): number[] {
  const backends = backendsOn(port)
  return backends.length > 0 ? [random.pick(backends)] : []
}

async function stopped(pids: number[], milliseconds: number): Promise<void> {
  for (const pid of pids) signal(pid, 'SIGSTOP')
  await sleep(milliseconds)
  for (const pid of pids) signal(pid, 'SIGCONT')
}

/** One that has ended meanwhile needs none. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function disturb(kind: FaultKind, { http, mqtt, postgres }: Process, random: Random): Promise<void> {
  const [place, what] = kind.split(' ')
  const proxy = place === 'database' || place === 'commit' ? postgres! : random.chance(0.8) ? http : mqtt
  if (what === 'cut') proxy.cut()
  if (what === 'lost') proxy.loseResponse()
  if (what === 'delayed') {
    proxy.delay(random.integer(5, 150))
    await sleep(random.integer(100, 800))
    proxy.delay(0)
  }
  if (what === 'in') {
    proxy.split(random.pick([1, 7, 40, 500]))
    await sleep(random.integer(100, 500))
    proxy.split(0)
  }
}
