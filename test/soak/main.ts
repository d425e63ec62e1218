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
import { toMegabytes } from '../../bench/memory.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { kinds, startLoad } from '../failover/load.ts'
import { preparePostgres } from '../runner/postgres.ts'
import { operatorKey } from '../support/keys.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { seedGrants } from '../support/seeded-grants.ts'
import { onDatabase, type Service, startService } from '../support/service.ts'
import { drawChart } from './chart.ts'
import { deletedBy, type Figures, growsWithWhatIsSent, takeFigures } from './figures.ts'
import { lateGrowth, quantile } from './growth.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' }, chart: { type: 'string' } } })
const minutes = Number(values.minutes)
/** Enough figures for quarters, and not more than one every ten seconds. */
const everySeconds = Math.max(10, (minutes * 60) / 60)
const restartEverySeconds = Math.max(60, (minutes * 60) / 10)
/** Of the last quarter of the run over the one before. */
const allowedGrowth = { memory: 0.1, files: 0.1, connections: 0.1, bytes: 0.1, dead: 0.5, p99: 1 }

it(`nothing grows without end in ${minutes} minutes of use`, { timeout: (minutes + 10) * 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'landbridge-soak-'))
  after(() => removeFolder(folder))
  const postgres = await preparePostgres(folder, process.env.LANDBRIDGE_TEST_POSTGRES, {
    settings: { autovacuum: 'on' },
  })
  after(() => postgres.stop())
  const admin = openDatabase({ url: postgres.url, max: 1, statementSeconds: 60 })
  await admin`create database soak`
  await admin.end()
  const url = Object.assign(new URL(postgres.url), { pathname: '/soak' }).href
  const fleet = await createFleet(url, 300)
  const sql = openDatabase({ url, max: 2, statementSeconds: 60 })
  after(() => sql.end({ timeout: 1 }))
  const { chains, accessTokens } = await seedGrants(sql, 200, 'ES256')
  // Callers of the token endpoint come from many addresses, each with its own limit.
  const env = { ...onDatabase(url), LANDBRIDGE_TRUST_PROXY: '127.0.0.1' }
  const start = () => startService({ env })
  const services: Service[] = await Promise.all([start(), start()])
  const load = startLoad(services, fleet, chains)
  const reads = readForEver(services, accessTokens)

  const taken: (Figures & { p99: number; at: number })[] = []
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1000
  let wal = 0n
  for (let restarts = 0; elapsed() < minutes * 60; ) {
    const since = performance.now()
    await sleep(everySeconds * 1000)
    const [figures, now] = await takeFigures(sql, services, wal)
    wal = now
    taken.push({ ...figures, p99: quantile(reads.timesSince(since), 0.99), at: elapsed() })
    if (elapsed() < restartEverySeconds * (restarts + 1)) continue
    // The first is never restarted: its memory shows what a long life leaves.
    assert.equal(await services[1]!.stop(), 0)
    services[1] = await start()
    restarts += 1
  }
  await reads.stop()
  await load.stop()
  const { messages, tokens } = await load.requireNothingLost(sql)
  await Promise.all(services.map((service) => service.stop()))

  console.table(
    taken.map(({ at, memory, bytes, wal, ...rest }) => ({
      minute: Math.round(at / 6) / 10,
      memory: toMegabytes(memory),
      ...{ files: rest.files, connections: rest.connections },
      ...{ tables: toMegabytes(bytes), wal: toMegabytes(wal), dead: rest.dead, 'p99 ms': Math.round(rest.p99) },
    })),
  )
  const last = taken.at(-1)!
  const first = taken[0]!
  const grown = [...last.tables].filter(([name, { bytes }]) => bytes > 1.5 * (first.tables.get(name)?.bytes ?? 0))
  console.table(
    grown.map(([table, { rows, bytes }]) => ({
      table,
      rows,
      size: toMegabytes(bytes),
      'deleted by': deletedBy.get(table) ?? '?',
    })),
  )
  const chart = values.chart ?? join(tmpdir(), 'landbridge-soak.svg')
  await writeFile(chart, drawChart(taken))
  const requests = kinds.map((kind) => `${kind} ${load.count(kind, true)}`).join(', ')
  console.log(
    `${minutes} minutes: ${requests}, reads ${reads.count()}; acknowledged ${messages} messages, ${tokens} refreshes, lost 0`,
  )
  console.log(`chart: ${chart}`)

  for (const [name, allowed] of Object.entries(allowedGrowth)) {
    const growth = lateGrowth(taken.map((figures) => figures[name as keyof typeof allowedGrowth]))
    console.log(`${name}: ${(growth * 100).toFixed(0)} % in the last quarter`)
    assert.ok(growth <= allowed, `${name} still grows by ${(growth * 100).toFixed(0)} %`)
  }
  const unexplained = grown
    .map(([name]) => name)
    .filter((name) => !deletedBy.has(name) && !growsWithWhatIsSent.has(name))
  const growing = unexplained.filter(
    (name) => lateGrowth(taken.map(({ tables }) => tables.get(name)?.bytes ?? 0)) > 0.1,
  )
  assert.deepEqual(growing, [], 'nothing deletes from these')
})

/** Reads of people and applications, and a few changes, on both processes. */
function readForEver(services: Service[], tokens: string[]) {
  const times: { at: number; milliseconds: number }[] = []
  let running = true
  const calls = (url: string, turn: number): [string, Record<string, string>][] => [
    [`${url}/core/v1/organization/info`, { authorization: `Bearer ${tokens[turn % tokens.length]}` }],
    [`${url}/core/v1/organization/devices?limit=50`, { authorization: `Bearer ${tokens[turn % tokens.length]}` }],
    [`${url}/oauth/userinfo`, { authorization: `Bearer ${tokens[turn % tokens.length]}` }],
    [`${url}/core/v1/operator/partners`, { authorization: operatorKey }],
    [`${url}/core/v1/organization/info`, { authorization: 'Bearer of nobody' }],
  ]
  const reader = async (process: number) => {
    for (let turn = 0; running; turn += 1) {
      const url = services[process]!.ready.public_url
      const all = calls(url, turn)
      const [address, headers] = all[turn % all.length]!
      const began = performance.now()
      try {
        await (await fetch(address, { headers })).arrayBuffer()
        times.push({ at: began, milliseconds: performance.now() - began })
      } catch {
        // It is being restarted.
        await sleep(100)
      }
      await sleep(50)
    }
  }
  const readers = [0, 1, 0, 1].map(reader)
  return {
    timesSince: (since: number) => times.filter(({ at }) => at >= since).map(({ milliseconds }) => milliseconds),
    count: () => times.length,
    async stop() {
      running = false
      await Promise.all(readers)
    },
  }
}
