// `npm run soak -- --minutes 60`: two processes under a steady mixed load, one of which is restarted again and again.
// Prints what they use over time, writes a chart, and fails on growth that does not flatten.
import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createFleet } from '../../bench/devices/fleet.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import type { Pool } from '../../server/src/platform/database/sql.ts'
import { kinds, startLoad } from '../failover/load.ts'
import { preparePostgres } from '../runner/postgres.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { seedGrants } from '../support/seeded-grants.ts'
import { onDatabase, type Service, startService } from '../support/service.ts'
import { drawChart } from './chart.ts'
import { takeFigures } from './figures.ts'
import { quantile } from './growth.ts'
import { type Reads, readForEver } from './reads.ts'
import { printTables, requireFlat, type Taken } from './report.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' }, chart: { type: 'string' } } })
const minutes = Number(values.minutes)
/** Enough figures for quarters, and not more than one every ten seconds. */
const everySeconds = Math.max(10, (minutes * 60) / 60)
const restartEverySeconds = Math.max(60, (minutes * 60) / 10)
/** Of a device between two messages: slow enough to leave most of a small machine idle. */
const pauseMilliseconds = 2_000

// Told at once: the report comes when the run is over, an hour later.
process.prependListener('unhandledRejection', (error) => console.error(error))

it(`nothing grows without end in ${minutes} minutes of use`, { timeout: (minutes + 10) * 60_000 }, async () => {
  const url = await startPostgres()
  const fleet = await createFleet(url, 300)
  const sql = openDatabase({ url, max: 2, statementSeconds: 60 })
  after(() => sql.end({ timeout: 1 }))
  const { chains, accessTokens } = await seedGrants(sql, 200, 'ES256')
  // Callers of the token endpoint come from many addresses, each with its own limit.
  const env = { ...onDatabase(url), LANDBRIDGE_TRUST_PROXY: '127.0.0.1' }
  const start = () => startService({ env })
  const services = await Promise.all([start(), start()])
  const load = startLoad(services, fleet, chains, pauseMilliseconds)
  const reads = readForEver(services, accessTokens)
  const taken = await observe(sql, services, reads, async () => {
    // The first is never restarted: its memory shows what a long life leaves.
    assert.equal(await services[1]!.stop(), 0)
    services[1] = await start()
  })
  await reads.stop()
  await load.stop()
  const { messages, tokens } = await load.requireNothingLost(sql)
  await Promise.all(services.map((service) => service.stop()))

  printTables(taken)
  const chart = values.chart ?? join(tmpdir(), 'landbridge-soak.svg')
  await writeFile(chart, drawChart(taken))
  const requests = kinds.map((kind) => `${kind} ${load.count(kind, true)}`).join(', ')
  console.log(`${minutes} minutes: ${requests}, reads ${reads.count()}, live streams ${reads.streams()}`)
  console.log(`acknowledged: ${messages} messages and ${tokens} refreshes, of which none is lost`)
  console.log(`chart: ${chart}`)
  requireFlat(taken, minutes)
})

async function startPostgres(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-soak-'))
  after(() => removeFolder(folder))
  const settings = { autovacuum: 'on' }
  const postgres = await preparePostgres(folder, process.env.LANDBRIDGE_TEST_POSTGRES, { settings })
  after(() => postgres.stop())
  const admin = openDatabase({ url: postgres.url, max: 1, statementSeconds: 60 })
  await admin`create database soak`
  await admin.end()
  return Object.assign(new URL(postgres.url), { pathname: '/soak' }).href
}

/** Until the run is over. */
async function observe(sql: Pool, services: Service[], reads: Reads, restart: () => Promise<void>): Promise<Taken[]> {
  const taken: Taken[] = []
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  let wal = 0n
  for (let restarts = 0; elapsed() < minutes * 60; ) {
    const since = performance.now()
    await sleep(everySeconds * 1000)
    const [figures, now] = await takeFigures(sql, services, wal, minutes)
    wal = now
    taken.push({ ...figures, p99: quantile(reads.timesSince(since), 0.99), at: elapsed() })
    if (elapsed() < restartEverySeconds * (restarts + 1)) continue
    await restart()
    restarts += 1
  }
  return taken
}
