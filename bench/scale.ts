// What spreading telemetry over processes costs Postgres, and what cells with a writer save: `npm run simulate:scale
// [-- --rate 1500 --seconds 4]`. The real ingest code on a private Postgres, with eight simulated processes and messages
// at a fixed rate. Exits non-zero when cells have less than ten times the messages per statement.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../server/src/config.ts'
import { bucketOf } from '../server/src/devices/bucket.ts'
import { ingest, keyDigest } from '../server/src/devices/telemetry/ingest.ts'
import { createPartitionsJob } from '../server/src/devices/telemetry/partitions.ts'
import { writerPace } from '../server/src/devices/telemetry/telemetry-pipeline.ts'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { cleanUpAll, cleanUpWhenInterrupted } from './clean-up.ts'
import { createFleet, telemetries } from './devices/fleet.ts'
import { startBenchPostgres } from './environment.ts'
import { busyMilliseconds, tooBusy } from './scale/fixed-rate.ts'
import { readCosts } from './scale/postgres-costs.ts'
import { type Arrangement, type SimulatedProcesses, startProcesses } from './scale/simulated-processes.ts'

const { values } = parseArgs({
  options: { rate: { type: 'string', default: '1500' }, seconds: { type: 'string', default: '4' } },
})
const rate = Number(values.rate)
const seconds = Number(values.seconds)
const fleetSize = 1_000
const bar = 10

const alone = { cells: 1, processesPerCell: 8, writers: false }
const inCells = { cells: 2, processesPerCell: 4, writers: true }
/** Of a distributed database: a statement must stay in one. */
const shards = 32
const arrangements: Record<string, Arrangement> = {
  'one Postgres: eight processes': { ...alone, pipeline: {} },
  '  eight processes, only paced': { ...alone, pipeline: { pace: writerPace } },
  '  two cells, writers, not paced': { ...inCells, pipeline: { pace: null } },
  '  two cells, writers': { ...inCells, pipeline: {} },
  [`${shards} shards: eight processes`]: { ...alone, pipeline: { lanes: shards } },
  '  two cells of 16 shards, writers': { ...inCells, pipeline: { lanes: shards } },
}

interface Result {
  perStatement: number
  p50: number
  text: string[]
}

cleanUpWhenInterrupted()
const postgres = await startBenchPostgres({ fsync: 'off' })
const url = await postgres.createDatabase()
// Written beforehand, so that it costs little of the machine it shares.
const fleet = (await createFleet(url, fleetSize)).map(({ id, access_key }) => ({
  device_id: id,
  key_digest: keyDigest(access_key),
  body: { status: 'online', telemetries: telemetries() },
}))
const sql = openDatabase({ url, max: 1, statementSeconds: 60 })
const partitions = createPartitionsJob({ now: () => new Date(), config: readConfig({}).config })
await sql.begin((tx) => partitions.run(tx))

const first = await readCosts(sql)
const results = new Map<string, Result>()
for (const [name, arrangement] of Object.entries(arrangements)) results.set(name, await measure(arrangement))
const last = await readCosts(sql)
await sql.end()
await cleanUpAll()

const columns = ['messages/s', 'per statement', 'Postgres µs', 'WAL bytes', 'connections', 'p50 ms', 'p99 ms']
const width = Math.max(...Object.keys(arrangements).map(({ length }) => length))
console.log([''.padEnd(width), ...columns].join('  '))
for (const [name, { text }] of results) {
  console.log([name.padEnd(width), ...text.map((value, index) => value.padStart(columns[index]!.length))].join('  '))
}
const bytes = (last.historyBytes - first.historyBytes) / (last.messages - first.messages)
console.log(`\nHistory over all runs: ${bytes.toFixed(0)} bytes per message.`)
const perStatement = [...results.values()].map((result) => result.perStatement)
const [onePostgres, manyShards] = [perStatement[3]! / perStatement[0]!, perStatement[5]! / perStatement[4]!]
console.log(`Messages per statement, two cells with writers to eight processes without (bar: ${bar}×):`)
console.log(`one Postgres ${onePostgres.toFixed(1)}×, ${shards} shards ${manyShards.toFixed(1)}×`)
if (results.values().next().value!.p50 > busyMilliseconds) console.log(tooBusy)
process.exit(Math.min(onePostgres, manyShards) >= bar ? 0 : 1)

async function measure(arrangement: Arrangement): Promise<Result> {
  const processes = await startProcesses(url, arrangement)
  await sendAll(processes, 1.5)
  await sql`checkpoint`
  const [before, statementsBefore] = [await readCosts(sql), processes.statements()]
  const times = await sendAll(processes, seconds)
  const [after, statementsAfter] = [await readCosts(sql), processes.statements()]
  await processes.close()
  const messages = after.messages - before.messages
  if (messages !== times.length) throw new Error(`${times.length} messages were acknowledged, and ${messages} stored`)
  const perStatement = messages / (statementsAfter.count - statementsBefore.count)
  const quantile = (part: number) => times[Math.floor(times.length * part)]!.toFixed(0)
  const each = (one: number, other: number) => ((one - other) / messages).toFixed(0)
  const { processorTime } = after
  return {
    perStatement,
    p50: Number(quantile(0.5)),
    text: [
      (messages / seconds).toFixed(0),
      perStatement.toFixed(1),
      processorTime === null ? '–' : each(processorTime, before.processorTime!),
      each(after.walBytes, before.walBytes),
      String(after.connections),
      quantile(0.5),
      quantile(0.99),
    ],
  }
}

/** At the fixed rate, each device after all others, to a process of its cell; returns the times until the outcomes, sorted. */
async function sendAll({ contexts }: SimulatedProcesses, duration: number): Promise<number[]> {
  const times: number[] = []
  const open: Promise<void>[] = []
  const began = performance.now()
  const all = rate * duration
  for (let sent = 0; sent < all; await sleep(1)) {
    const due = Math.min(all, Math.floor(((performance.now() - began) * rate) / 1000))
    for (; sent < due; sent += 1) {
      const device = fleet[sent % fleet.length]!
      const cell = contexts[bucketOf(device.device_id) % contexts.length]!
      open.push(send(cell[Math.floor(Math.random() * cell.length)]!, device))
    }
  }
  await Promise.all(open)
  return times.toSorted((one, other) => one - other)

  async function send(context: SimulatedProcesses['contexts'][0][0], device: (typeof fleet)[0]): Promise<void> {
    const from = performance.now()
    const outcome = await ingest(context, device)
    if (outcome.status !== 200) throw new Error(`${outcome.status} ${outcome.error}`)
    times.push(performance.now() - from)
  }
}
