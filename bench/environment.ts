// For every benchmark: a private Postgres with its usual settings (fsync on), and separate processes.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { migrate } from '../server/src/platform/database/migrate.ts'
import type { Pool } from '../server/src/platform/database/sql.ts'
import { startPrivatePostgres } from '../server/src/platform/private-postgres/private-postgres.ts'
import { endWithParent } from '../test/support/end-with-parent.ts'
import { manyCalls } from '../test/support/many-calls.ts'
import { onCleanUp, onEnd, sharedFolder } from './clean-up.ts'
import type { LoadOrder, LoadReport, LoadTurn } from './load.ts'
import type { Row } from './table.ts'

export interface BenchPostgres {
  /** A new database with our tables, all empty; `bare`: without them. */
  createDatabase(options?: { bare: boolean }): Promise<string>
  /** Drops its databases. */
  stop(): Promise<void>
}

interface ServerForAll {
  admin: Pool
  urlOf(database: string): string
}

/** The processes of a run start faster with it; the service uses the same one when `npm start` starts it. */
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/landbridge', import.meta.url))

/** One for all benchmarks of a run: creating one takes seconds. */
let forAll: Promise<ServerForAll> | undefined
const template = 'bench_template'

async function startServerWith(settings: Record<string, string>): Promise<ServerForAll> {
  const folder = join(await sharedFolder(), 'postgres')
  const log = pino({ level: 'error' })
  const { url, stop } = await startPrivatePostgres({ folder, log, onLost: () => process.exit(1), settings })
  onEnd(stop)
  const admin = openDatabase({ url, max: 1, statementSeconds: 3_600 })
  onEnd(() => admin.end({ timeout: 1 }))
  const urlOf = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href
  await admin.unsafe(`create database ${template}`)
  const sql = openDatabase({ url: urlOf(template), max: 1 })
  await migrate(sql)
  await sql.end()
  return { admin, urlOf }
}

/** With settings, a server of its own. */
export async function startBenchPostgres(settings?: Record<string, string>): Promise<BenchPostgres> {
  if (!settings) forAll ??= startServerWith({})
  const { admin, urlOf } = await (settings ? startServerWith(settings) : forAll!)
  const names: string[] = []
  return {
    async createDatabase({ bare } = { bare: false }) {
      const name = `bench_${randomBytes(4).toString('hex')}`
      await admin.unsafe(`create database ${name}${bare ? '' : ` template ${template}`}`)
      names.push(name)
      return urlOf(name)
    },
    stop: onCleanUp(async () => {
      for (const name of names) await admin.unsafe(`drop database ${name} with (force)`)
    }),
  }
}

export const operatorKey = randomBytes(32).toString('base64url')
export const masterKey = randomBytes(32).toString('base64')

export interface RunningService {
  url: string
  mqttUrl: string
  child: ChildProcess
  stop(): Promise<void>
}

const thisTree = fileURLToPath(new URL('..', import.meta.url))

/** The flags of `npm start`: decision 4.10. */
export const startFlags = ['--no-allocation-site-pretenuring']

/** The service as `npm start` runs it, on the given database. */
export async function startService(
  databaseUrl: string,
  nodeFlags: string[] = startFlags,
  environment: Record<string, string> = {},
  tree = thisTree,
): Promise<RunningService> {
  const main = join(tree, 'server', 'src', 'main.ts')
  const child = spawn(process.execPath, [...execArgv, ...nodeFlags, main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
      LANDBRIDGE_MASTER_KEY: masterKey,
      LANDBRIDGE_OPERATOR_KEY: operatorKey,
      LANDBRIDGE_HOST: '127.0.0.1',
      PORT: '0',
      LANDBRIDGE_MQTTS_PORT: '0',
      LANDBRIDGE_STATIC_CERT_PORT: '0',
      // Behind no load balancer, nobody has to learn that it stops.
      LANDBRIDGE_DRAIN_SECONDS: '0',
      // One hardware key registers more devices than a factory would.
      LANDBRIDGE_REGISTRATIONS_PER_KEY: '9999999',
      ...manyCalls,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = onCleanUp(() => end(child, 'SIGTERM'))
  for await (const line of createInterface(child.stdout!)) {
    const ready = line.startsWith('{') ? JSON.parse(line) : {}
    if (ready.msg !== 'ready') continue
    child.stdout!.resume()
    return { url: ready.public_url, mqttUrl: ready.mqtt_url, child, stop }
  }
  throw new Error('The service did not become ready.')
}

export function portOf(url: string): number {
  return Number(new URL(url).port)
}

/** A server to compare with: it sends its port, and ends with `stop`. */
export async function startServer<Ready extends { port: number }>(
  file: string,
  ...values: string[]
): Promise<Ready & { pid: number | undefined; stop(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), values, { execArgv })
  const stop = onCleanUp(() => end(child, 'SIGTERM'))
  return { ...((await nextMessage(child)) as Ready), pid: child.pid, stop }
}

/** Sends an order to a new process and waits for its report. */
export async function order<Report>(file: string, work: object): Promise<Report> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv })
  child.send(work)
  return (await nextMessage(child)) as Report
}

export interface OpenLoad<Turn = LoadTurn, Report = LoadReport> {
  run(turn: Turn): Promise<Report>
  close(): Promise<void>
}

/** A load whose connections stay open from one turn to the next. */
export function openLoad(order: LoadOrder): OpenLoad {
  return openWorker<LoadTurn, LoadReport>('./load.ts', order)
}

/** A process that gets one order, and then reports on each turn. */
export function openWorker<Turn extends object, Report>(file: string, order: object): OpenLoad<Turn, Report> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv })
  const close = onCleanUp(() => end(child, 'SIGTERM'))
  child.send(order)
  return {
    async run(turn) {
      child.send(turn)
      const report = (await nextMessage(child)) as Report
      sayReopened(report)
      return report
    },
    close,
  }
}

/** The first request on a new connection takes longer, so whoever reads the figures should know. */
export function sayReopened(report: unknown): void {
  const { reopened = 0 } = report as { reopened?: number }
  if (reopened > 0) console.log(`  the server had closed ${reopened} connections, which were opened again`)
}

/** A process that ends without its message has printed why. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const received = new AbortController()
  const { signal } = received
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code, by]) => {
        throw new Error(`${child.spawnargs.at(-1)} ended with ${code ?? by} instead of a message`)
      }),
    ])
  } finally {
    received.abort()
  }
}

const execArgv = ['--disable-warning=ExperimentalWarning', ...endWithParent()]

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

/** Of an even number of values the mean of the two in the middle: the upper one would flatter every ratio of rates. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2
}

/** What one side reached in one turn; only rates under load have a p99, in milliseconds. */
export interface Figure {
  rate: number
  p99?: number
}

/** Calling it returns the median ratio of two sides. */
export interface Turns<Side extends string> {
  (one: Side, other: Side): number
  row(what: string, ours: Side, peer: Side, bar: number | null): Row
}

/**
 * Measures each side once per round. Rounds are short, so that a machine whose speed changes is as fast for both sides.
 * The first rounds warm up and do not count.
 */
export async function inTurns<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<number | Figure>>,
  warmUpRounds = 1,
): Promise<Turns<Side>> {
  const figures = new Map<string, Figure[]>(Object.keys(sides).map((side) => [side, []]))
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    for (const [side, measure] of Object.entries<() => Promise<number | Figure>>(sides)) {
      const figure = await measure()
      if (round >= 0) figures.get(side)!.push(typeof figure === 'number' ? { rate: figure } : figure)
    }
  }
  const ratesOf = (side: Side) => figures.get(side)!.map(({ rate }) => rate)
  const ratios = (one: Side, other: Side) => {
    const others = ratesOf(other)
    return ratesOf(one).map((rate, round) => rate / others[round]!)
  }
  const p99Of = (side: Side) => {
    const all = figures.get(side)!.flatMap(({ p99 }) => p99 ?? [])
    return all.length > 0 ? toMilliseconds(median(all)) : '–'
  }
  const perSecond = (side: Side) => `${Math.round(median(ratesOf(side))).toLocaleString('en')}/s`
  for (const side of Object.keys(sides) as Side[]) {
    console.log(`  ${side}: ${perSecond(side)}, p99 ${p99Of(side)}, medians of ${rounds} turns`)
  }
  const ratio = (one: Side, other: Side) => median(ratios(one, other))
  const row = (what: string, ours: Side, peer: Side, bar: number | null): Row => ({
    what,
    ours: perSecond(ours),
    peer: `${peer}: ${perSecond(peer)}`,
    ratio: ratio(ours, peer),
    bar,
    disturbed: isDisturbed(ratesOf(peer)),
    spread: spreadOf(ratios(ours, peer)),
    p99: `${p99Of(ours)}, ${p99Of(peer)}`,
  })
  return Object.assign(ratio, { row })
}

/** A peer that fell below half of its own earlier rate: something else had the machine, and a ratio would say nothing. */
export function isDisturbed(rates: readonly number[]): boolean {
  return rates.some((rate, round) => round > 0 && rate < median(rates.slice(0, round)) / 2)
}

export function toMilliseconds(time: number): string {
  return `${time < 10 ? time.toFixed(1) : Math.round(time).toLocaleString('en')} ms`
}

export function spreadOf(ratios: number[]): string {
  return `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}×`
}

/** A refusal costs less than what is measured, so a single one spoils the figure. */
export function successful(side: string, report: LoadReport): LoadReport {
  if (report.others > 0) throw new Error(`${side}: ${report.others} were refused, the first with\n${report.firstOther}`)
  return report
}

/**
 * `inTurns` for servers under load whose connections stay open, so that a turn can be half a second: the speed of a
 * shared machine changes from second to second. Any response that is no success ends the run.
 */
export async function inShortTurns<Side extends string>(
  rounds: number,
  orders: Record<Side, LoadOrder>,
  secondsToWarmUp = 5,
): Promise<Turns<Side>> {
  const loads = Object.entries<LoadOrder>(orders).map(([side, order]) => ({ side, load: openLoad(order) }))
  const measures = loads.map(({ side, load }) => {
    const measure = async (): Promise<Figure> => {
      return successful(side, await load.run({ warmUpSeconds: 0.1, seconds: 0.5 }))
    }
    return [side, measure] as const
  })
  const sides = Object.fromEntries(measures) as Record<Side, () => Promise<Figure>>
  // All for as long: until its code is compiled, a server takes twice as long for a request.
  for (const { side, load } of loads) successful(side, await load.run({ warmUpSeconds: secondsToWarmUp, seconds: 0.1 }))
  const turns = await inTurns(rounds, sides, 0)
  for (const { load } of loads) await load.close()
  return turns
}
