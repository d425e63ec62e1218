// Records histories, several at once on the same processes, and checks each.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanUpAll } from '../../bench/clean-up.ts'
import { check, toCome } from './checker/check.ts'
import { describeViolation, type History, isUnknown } from './checker/history.ts'
import { commandScenario } from './record/command-scenario.ts'
import { deviceScenario } from './record/device-scenario.ts'
import { anyFault, type FaultKind, Faults, faultAt } from './record/faults.ts'
import { fleetScenario } from './record/fleet-scenario.ts'
import { grantScenario } from './record/grant-scenario.ts'
import { idempotencyScenario } from './record/idempotency-scenario.ts'
import { invitationScenario } from './record/invitation-scenario.ts'
import { Random } from './record/random.ts'
import { now, Recorder } from './record/recorder.ts'
import { telemetryScenario } from './record/telemetry-scenario.ts'
import { createWorld, type WorldOptions } from './record/world.ts'

/** How often each is recorded. */
const weights = { telemetry: 34, grant: 24, device: 12, command: 13, fleet: 9, idempotency: 5, invitation: 3 }

export type Scenario = keyof typeof weights
const allScenarios = Object.keys(weights) as Scenario[]

export interface RunOptions {
  histories: number
  seed: number
  processes: number
  /** The number of the first history: with its seed and its number a history is repeated. */
  first?: number
  /** Hub cells, among which the processes are divided. */
  cells?: number | undefined
  postgres?: WorldOptions['postgres']
  /** How many at once. */
  atOnce?: number
  /** The share of histories with a fault of their own; all that run meanwhile see it. */
  faults?: number
  /** Only this kind. */
  fault?: FaultKind
  /** Only these; without, each as often as its weight says. */
  scenarios?: Scenario[]
  /** The first history lasts until an access token has expired. */
  hour?: boolean
  /** Where histories with a violation are written to. */
  folder?: string
  /** With the summary so far: a long run may be interrupted. */
  onHistory?: (history: History, summary: Summary) => void
}

export interface Summary {
  histories: number
  calls: number
  unknown: number
  undecided: number
  /** How often a device followed to another hub cell. */
  redirects: number
  faults: Map<string, number>
  /** As printed. */
  violations: string[]
}

/** So long, webhooks may be under way: what a process had claimed when it was killed, another takes over after a minute. */
const settleMilliseconds = 120_000

export async function recordHistories(options: RunOptions): Promise<Summary> {
  const { histories, seed, first = 1, atOnce = 10 } = options
  const world = await createWorld({ ...options, customers: 4 })
  const running = new Set<Recorder>()
  const faults = new Faults(world, (kind) => {
    for (const { history } of running) history.faults.push({ at: now(), kind })
  })
  const summary: Summary = {
    ...{ histories: 0, calls: 0, unknown: 0, undecided: 0, redirects: 0, faults: faults.counts, violations: [] },
  }
  const receiver = new Random(seed)
  world.failDelivery = () => receiver.chance(0.01)
  world.onRedirect = () => {
    summary.redirects += 1
  }
  const chosen = Object.fromEntries((options.scenarios ?? allScenarios).map((name) => [name, weights[name]]))
  const slots = new Slots(atOnce)
  try {
    const recording: Promise<void>[] = []
    for (let number = first; number < first + histories; number += 1) {
      await slots.take()
      recording.push(one(number).finally(() => slots.free()))
    }
    await Promise.all(recording)
    await faults.over()
  } finally {
    for (const { service } of world.processes) service.child.kill('SIGKILL')
    await cleanUpAll()
  }
  return summary

  async function one(number: number): Promise<void> {
    const recorder = new Recorder(`history ${number} of seed ${seed}`)
    const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b))
    running.add(recorder)
    planFault(number, recorder, random.fork())
    let failure: unknown = null
    try {
      await record(number, recorder, random)
    } catch (error) {
      failure = error
    }
    running.delete(recorder)
    await resting(async () => {
      await settled(recorder.history)
      recorder.close()
    })
    conclude(recorder.history, failure)
  }

  async function record(number: number, recorder: Recorder, random: Random): Promise<void> {
    const wait = (milliseconds: number) => resting(() => sleep(milliseconds))
    // The first ones take a minute or an hour, during which others are recorded; in a short run no later one does.
    const until = options.hour && number === 1 ? 'expired' : 'late'
    const isLong = number <= 3 || (number > 100 && number % 50 === 0)
    if (isLong && !options.scenarios) return await grantScenario(world, recorder, random, { until, wait })
    const scenario = random.weighted(chosen)
    if (scenario === 'telemetry') await telemetryScenario(world, recorder, random)
    else if (scenario === 'fleet') await fleetScenario(world, recorder, random, { wait, isLong })
    else if (scenario === 'command') await commandScenario(world, recorder, random, wait)
    else if (scenario === 'grant') await grantScenario(world, recorder, random)
    else if (scenario === 'device') await deviceScenario(world, recorder, random)
    else if (scenario === 'idempotency') await idempotencyScenario(world, recorder, random)
    else await invitationScenario(world, recorder, random)
  }

  /** Waiting takes no slot. */
  async function resting(work: () => Promise<unknown>): Promise<void> {
    slots.free()
    await work()
    await slots.take()
  }

  function planFault(number: number, recorder: Recorder, random: Random): void {
    const share = options.faults ?? 0.5
    // Every sixth history takes its turn, so that a hundred have each kind.
    const inTurn = number % 6 === 0 && share > 0
    if (!inTurn && !random.chance(share)) return
    const kind = options.fault ?? (inTurn ? faultAt(number / 6) : anyFault(random))
    const at = random.integer(1, inTurn ? 3 : 12)
    recorder.onCall = (count) => {
      if (count === at) void faults.inject(kind, random).catch((error) => summary.violations.push(`${kind}: ${error}`))
    }
  }

  function conclude(history: History, failure: unknown): void {
    summary.histories += 1
    summary.calls += history.calls.length
    summary.unknown += history.calls.filter(isUnknown).length
    const { violations, undecided } = check(history)
    summary.undecided += undecided
    summary.violations.push(...violations.map((violation) => describeViolation(history.name, violation)))
    if (failure) summary.violations.push(`✖ ${history.name}: ${failure instanceof Error ? failure.stack : failure}`)
    if (options.folder && (violations.length > 0 || failure)) {
      void writeFile(join(options.folder, `${history.name}.json`), JSON.stringify(history, null, 1))
    }
    options.onHistory?.(history, summary)
  }
}

/** Until all that must come has come, or will not. */
async function settled(history: History): Promise<void> {
  const end = now() + settleMilliseconds
  while (toCome(history).length > 0 && now() < end) await sleep(500)
}

class Slots {
  #left: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#left = count
  }

  async take(): Promise<void> {
    if (this.#left > 0) this.#left -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  free(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#left += 1
  }
}

export function summaryLine({ histories, calls, unknown, undecided, redirects, faults, violations }: Summary): string {
  const kinds = [...faults].toSorted(([, one], [, other]) => other - one).map(([kind, count]) => `${count} × ${kind}`)
  const total = [...faults.values()].reduce((sum, count) => sum + count, 0)
  const figure = (value: number) => value.toLocaleString('en')
  return (
    `${figure(histories)} histories, ${figure(calls)} operations, ${figure(total)} faults (${kinds.join(', ')}), ` +
    `${redirects > 0 ? `${figure(redirects)} redirects, ` : ''}${figure(unknown)} unknown outcomes, ${undecided} undecided, ${figure(violations.length)} violations`
  )
}
