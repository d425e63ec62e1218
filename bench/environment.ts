// For every benchmark: a private Postgres with its usual settings (fsync on), and separate processes.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { startPrivatePostgres } from '../server/src/platform/private-postgres/private-postgres.ts'
import { endWithParent } from '../test/support/end-with-parent.ts'
import type { LoadOrder, LoadReport, LoadTurn } from './load.ts'

export interface BenchPostgres {
  /** A new, empty database. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

export async function startBenchPostgres(): Promise<BenchPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-bench-'))
  // Started by root, Postgres runs as another user, who must be able to pass through.
  await chmod(folder, 0o711)
  const log = pino({ level: 'error' })
  const postgres = await startPrivatePostgres({ folder: join(folder, 'postgres'), log, onLost: () => process.exit(1) })
  return {
    async createDatabase() {
      const name = `bench_${randomBytes(4).toString('hex')}`
      const admin = openDatabase({ url: postgres.url, max: 1, statementSeconds: 3_600 })
      await admin.unsafe(`create database ${name}`)
      await admin.end()
      return Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href
    },
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
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

/** The flags of `npm start`: decision 4.10. */
export const startFlags = ['--no-allocation-site-pretenuring']

/** The service as `npm start` runs it, on the given database. */
export async function startService(
  databaseUrl: string,
  nodeFlags: string[] = startFlags,
  environment: Record<string, string> = {},
): Promise<RunningService> {
  const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))
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
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface(child.stdout!)) {
    const ready = line.startsWith('{') ? JSON.parse(line) : {}
    if (ready.msg !== 'ready') continue
    child.stdout!.resume()
    return { url: ready.public_url, mqttUrl: ready.mqtt_url, child, stop: () => end(child, 'SIGTERM') }
  }
  throw new Error('The service did not become ready.')
}

/** A server to compare with: it sends its port, and ends with `stop`. */
export async function startServer(
  file: string,
  ...values: string[]
): Promise<{ port: number; pid: number | undefined; stop(): Promise<void> }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), values, { execArgv })
  const [{ port }] = await once(child, 'message')
  return { port, pid: child.pid, stop: () => end(child, 'SIGTERM') }
}

/** Sends an order to a new process and waits for its report. */
export async function order<Report>(file: string, work: object): Promise<Report> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), { execArgv })
  child.send(work)
  const [report] = await once(child, 'message')
  return report as Report
}

export interface OpenLoad {
  run(turn: LoadTurn): Promise<LoadReport>
  close(): Promise<void>
}

/** A load whose connections stay open from one turn to the next. */
export function openLoad(order: LoadOrder): OpenLoad {
  const child = fork(fileURLToPath(new URL('./load.ts', import.meta.url)), { execArgv })
  child.send(order)
  return {
    async run(turn) {
      child.send(turn)
      const [report] = await once(child, 'message')
      return report as LoadReport
    },
    close: () => end(child, 'SIGTERM'),
  }
}

const execArgv = ['--disable-warning=ExperimentalWarning', ...endWithParent()]

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/**
 * Measures each side once per round, and returns the median ratio of two sides. Rounds are short, so that a machine whose
 * speed changes is as fast for both sides. The first rounds warm up and do not count.
 */
export async function inTurns<Side extends string>(
  rounds: number,
  sides: Record<Side, () => Promise<number>>,
  warmUpRounds = 1,
): Promise<(one: Side, other: Side) => number> {
  const rates = new Map<string, number[]>(Object.keys(sides).map((side) => [side, []]))
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    if (round === 0) console.log('  (so far a warm-up)')
    for (const [side, measure] of Object.entries<() => Promise<number>>(sides)) {
      const rate = await measure()
      if (round >= 0) rates.get(side)!.push(rate)
    }
  }
  for (const [side, all] of rates) {
    console.log(`  ${side}: ${Math.round(median(all)).toLocaleString('en')}/s, the median of ${rounds} turns`)
  }
  return (one, other) => median(rates.get(one)!.map((rate, round) => rate / rates.get(other)![round]!))
}

/**
 * `inTurns` for servers under load whose connections stay open, so that a turn can be half a second: the speed of a
 * shared machine changes from second to second. Any response but 200 ends the run.
 */
export async function inShortTurns<Side extends string>(
  rounds: number,
  orders: Record<Side, LoadOrder>,
): Promise<(one: Side, other: Side) => number> {
  const loads = Object.entries<LoadOrder>(orders).map(([side, order]) => ({ side, load: openLoad(order) }))
  const measures = loads.map(({ side, load }) => {
    const measure = async () => {
      const { rate, others } = await load.run({ warmUpSeconds: 0.1, seconds: 0.5 })
      if (others > 0) throw new Error(`${side}: ${others} responses were not 200`)
      return rate
    }
    return [side, measure] as const
  })
  const sides = Object.fromEntries(measures) as Record<Side, () => Promise<number>>
  const ratio = await inTurns(rounds, sides, 8)
  for (const { load } of loads) await load.close()
  return ratio
}

/** One line per bar: what was measured, against what, and whether it holds. */
export function judge(name: string, ratio: number, bar: { atLeast: number } | { atMost: number }): boolean {
  const [holds, sentence] =
    'atLeast' in bar
      ? [ratio >= bar.atLeast, `at least ${bar.atLeast}×`]
      : [ratio <= bar.atMost, `at most ${bar.atMost}×`]
  console.log(`${holds ? '✔' : '✖'} ${name}: ${ratio.toFixed(2)}× (${sentence})`)
  return holds
}
