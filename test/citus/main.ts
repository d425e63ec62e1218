// `npm run test:citus`: two processes on a Citus, under load, while a shard moves, while a worker is killed or hangs, and
// while a day of history is packed. Needs
//   LANDBRIDGE_TEST_CITUS         postgres://… of a database on the coordinator that knows the workers (test/support/citus.ts)
//   LANDBRIDGE_TEST_CITUS_WORKER  host:port of the worker that the commands below are about
//   LANDBRIDGE_TEST_CITUS_KILL    a command that kills it, such as: kill -9 "$(head -1 …/postmaster.pid)"
//   LANDBRIDGE_TEST_CITUS_START   a command that starts it again and returns once it runs
//   LANDBRIDGE_TEST_CITUS_HANG    a command that stops it and its backends: p=$(head -1 …/postmaster.pid); kill -STOP $p $(pgrep -P $p)
//   LANDBRIDGE_TEST_CITUS_RESUME  a command that continues them, the same with -CONT
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createFleet } from '../../bench/devices/fleet.ts'
import { bucketOf } from '../../server/src/devices/bucket.ts'
import { prepareDistribution } from '../../server/src/devices/telemetry/distribution.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { migrate } from '../../server/src/platform/database/migrate.ts'
import { readMigrations } from '../../server/src/platform/database/migration-files.ts'
import { addressOf, createCitusDatabase, onEveryServer } from '../support/citus.ts'
import { operatorKey } from '../support/keys.ts'
import { onDatabase, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { judge, type Load, type Sender, startLoad } from './load.ts'
import { comparePages } from './packed-day.ts'

const { LANDBRIDGE_TEST_CITUS: url, LANDBRIDGE_TEST_CITUS_WORKER: worker } = process.env
const { LANDBRIDGE_TEST_CITUS_KILL: kill, LANDBRIDGE_TEST_CITUS_START: start } = process.env
const { LANDBRIDGE_TEST_CITUS_HANG: hang, LANDBRIDGE_TEST_CITUS_RESUME: resume } = process.env
if (!url || !worker || !kill || !start || !hang || !resume) {
  const names = '…_WORKER, …_KILL, …_START, …_HANG and …_RESUME'
  console.error(`npm run test:citus needs LANDBRIDGE_TEST_CITUS, ${names}: see test/citus/main.ts.`)
  process.exit(1)
}
/** How long the worker stays down, or hangs. */
const outageMilliseconds = 6_000
const hangMilliseconds = 12_000
/** A statement that stores telemetry may take 3 seconds, and a connection is cut one later; then the response is on its way. */
const deadlineMilliseconds = 5_000
/** A statement is under way for one second before a server is asked, which has 1.5 to respond. */
const noticeMilliseconds = 2_500

const name = 'landbridge_citus_check'
await createCitusDatabase(url, name, 8)
after(() => onEveryServer(url, [`drop database if exists ${name} with (force)`]))
const databaseUrl = addressOf(url, { name })
const sql = openDatabase({ url: databaseUrl, max: 2, statementSeconds: 120, distributed: true })
await migrate(sql, undefined, prepareDistribution)
const fleet = await createFleet(databaseUrl, 40)
const env = { ...onDatabase(databaseUrl), LANDBRIDGE_DISTRIBUTED: 'citus' }
const services = await Promise.all([1, 2].map(() => startService({ env })))
after(async () => {
  await Promise.all(services.map((service) => service.stop()))
  await sql.end({ timeout: 1 })
})

interface Placement {
  shard: number
  host: string
  port: number
}

async function placementsOf(): Promise<Map<number, Placement>> {
  const rows = await sql<Placement[]>`
    select shardid::float8 as shard, nodename as host, nodeport as port
    from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
    where logicalrelid = 'device_states'::regclass and noderole = 'primary'`
  return new Map(rows.map((row) => [row.shard, row]))
}

async function senders(): Promise<Sender[]> {
  const placements = await placementsOf()
  return fleet.map((device) => {
    const { host, port } = placements.get(sql.shards!.shardOf(bucketOf(device.id)))!
    return { ...device, server: `${host}:${port}` }
  })
}

/** Devices send while `work` runs, and stop whatever becomes of it. */
async function underLoad(work: (load: Load) => Promise<void>): Promise<Load> {
  const load = startLoad(await senders(), urls)
  try {
    await until(() => load.reachedAll(0), 'every device was acknowledged', 60)
    await work(load)
  } finally {
    await load.stop()
  }
  return load
}

const urls = services.map(({ ready }) => ready.public_url)

describe('telemetry on a Citus', () => {
  it('a shard moved under load: nothing is lost, doubled or reordered', async () => {
    const before = await placementsOf()
    const servers = [...Map.groupBy(before.values(), ({ host, port }) => `${host}:${port}`).values()].map(
      ([one]) => one!,
    )
    assert.ok(servers.length > 1, 'the Citus has one server only')
    const times: string[] = []
    const load = await underLoad(async ({ reachedAll }) => {
      for (const { shard, host, port } of [...before.values()].slice(0, 3)) {
        const target = servers.find((server) => server.host !== host || server.port !== port)!
        const began = performance.now()
        await until(() => move(shard, { host, port }, target), `shard ${shard} is moved`, 60)
        const seconds = ((performance.now() - began) / 1000).toFixed(1)
        times.push(`${shard} ${host}:${port} → ${target.host}:${target.port} in ${seconds} s`)
      }
      const movedAt = performance.now()
      await until(() => reachedAll(movedAt), 'every device was acknowledged after the moves', 60)
    })
    const verdict = await judge(sql, load)
    console.log('moved:', times.join('; '))
    console.log('responses:', JSON.stringify(countBy(load.responses, ({ status }) => String(status))))
    console.log(JSON.stringify(verdict))
    const { acknowledged, ...wrong } = verdict
    assert.ok(acknowledged > 0)
    assert.deepEqual(wrong, { lost: 0, doubled: 0, reordered: 0 })
  })

  it('a worker killed under load: nothing acknowledged is lost, and the other buckets keep responding', async () => {
    const { others, its } = await outage({ begin: kill, end: start, milliseconds: outageMilliseconds })
    assert.ok(its.every(({ status }) => status !== 200 && status !== 0))
    assert.deepEqual(others.filter(({ status }) => status !== 200).length, 0, 'a request for another bucket failed')
  })

  it('a worker that hangs: its buckets get 503 in time, and nothing else waits for it', async () => {
    const asked: { status: number; milliseconds: number }[] = []
    let hanging = true
    /** Lists and look-ups have other pools than telemetry. */
    const askOthers = async () => {
      while (hanging) {
        for (const path of ['/readyz', '/core/v1/operator/partners']) {
          const began = performance.now()
          const { status } = await fetch(`${urls[0]}${path}`, { headers: { authorization: operatorKey } })
          asked.push({ status, milliseconds: performance.now() - began })
        }
        await sleep(50)
      }
    }
    const asking = askOthers()
    const { others, its, beganAt } = await outage({ begin: hang, end: resume, milliseconds: hangMilliseconds }).finally(
      () => {
        hanging = false
      },
    )
    await asking
    const later = its.filter(({ at }) => at > beganAt + deadlineMilliseconds)
    console.log(`its own buckets: slowest ${slowest(its).toFixed(0)} ms, later on ${slowest(later).toFixed(0)} ms`)
    console.log(`${asked.length} other requests, slowest ${slowest(asked).toFixed(0)} ms`)
    assert.deepEqual(
      countBy(its, ({ status }) => String(status)),
      { 503: its.length },
    )
    assert.ok(slowest(its) < deadlineMilliseconds)
    assert.ok(later.length > 0 && slowest(later) < 1_000, 'a server that is known not to respond was waited for')
    assert.deepEqual(others.filter(({ status }) => status !== 200).length, 0, 'a request for another bucket failed')
    assert.ok(slowest(others) < noticeMilliseconds, 'other buckets waited for the server that hangs')
    assert.deepEqual(
      countBy(asked, ({ status }) => String(status)),
      { 200: asked.length },
    )
    assert.ok(slowest(asked) < noticeMilliseconds, 'other requests waited for the server that hangs')
  })

  it('a day of history gives the same pages packed as before', async () => {
    const { before, after: packed, pages } = await comparePages(sql, fleet)
    console.log(`${pages} pages are the same; ${before} bytes per message before, ${packed} packed`)
    assert.ok(pages > fleet.length)
    assert.ok(packed * 3 < before)
  })
})

/** Nothing acknowledged may be lost, doubled or reordered. Returns the responses meanwhile. */
async function outage({ begin, end, milliseconds }: { begin: string; end: string; milliseconds: number }) {
  let beganAt = 0
  let endedAt = 0
  const load = await underLoad(async ({ reachedAll }) => {
    await runCommand(begin)
    beganAt = performance.now()
    try {
      // A session of the coordinator that waits for a worker that hangs keeps the lock of its job (docs/operate.md).
      await Promise.all([sleep(milliseconds), begin === kill ? jobsGoOn() : undefined])
    } finally {
      endedAt = performance.now()
      await runCommand(end)
    }
    await until(() => reachedAll(endedAt), 'every device was acknowledged after the outage', 120)
  })
  const verdict = await judge(sql, load)
  // What was sent before, or is responded to after the end, is neither.
  const during = load.responses.filter(
    (response) => response.at > beganAt && response.at + response.milliseconds < endedAt,
  )
  const others = during.filter(({ server }) => server !== worker)
  const its = during.filter(({ server }) => server === worker)
  console.log(`outage of ${worker} for ${((endedAt - beganAt) / 1000).toFixed(1)} s`)
  console.log('its own buckets:', JSON.stringify(countBy(its, ({ status }) => String(status))))
  const counts = JSON.stringify(countBy(others, ({ status }) => String(status)))
  const median = others.map((response) => response.milliseconds).sort((one, other) => one - other)[others.length >> 1]!
  console.log('the other buckets:', counts, `median ${median.toFixed(0)} ms, slowest ${slowest(others).toFixed(0)} ms`)
  console.log(JSON.stringify(verdict))
  const { acknowledged, ...wrong } = verdict
  assert.ok(acknowledged > 0)
  assert.deepEqual(wrong, { lost: 0, doubled: 0, reordered: 0 })
  assert.ok(others.length > 0, 'no bucket is on another server')
  assert.ok(its.length > 0, 'no bucket is on the server of the outage')
  return { others, its, beganAt }
}

/** Jobs for all devices go on with those of the other servers: their status changes are published. */
async function jobsGoOn(): Promise<void> {
  const others = (await senders()).filter(({ server }) => server !== worker)
  const since = new Date(Date.now() + 2_000)
  const published = async () =>
    await sql`
      select from status_history where at > ${since} and bucket = any(${others.map(({ id }) => bucketOf(id))}::smallint[])
      limit 1`
  try {
    await until(async () => (await published()).length > 0, 'status changes of other servers are published')
  } catch (error) {
    console.error(services.map((service) => service.output().slice(-3_000)).join('\n'))
    throw error
  }
}

function slowest(responses: { milliseconds: number }[]): number {
  return Math.max(0, ...responses.map(({ milliseconds }) => milliseconds))
}

describe('decision 3.27: a migration of a distributed database', () => {
  const migrateNext = async (name: string, text: string) =>
    await migrate(sql, [...(await readMigrations()), { name, text }], prepareDistribution)

  it('changes the tables on every server, those of packed days too, and is undone as a whole', async () => {
    const added = `
      -- Several statements, as in every file.
      alter table device_states add column note text;
      alter table history add column note text;
      comment on column history.note is 'A note; for this test.';
      create function landbridge_note() returns text language plpgsql immutable as $$ begin return 'a;b'; end $$;`
    const failing = `${added}\nselect 1 / 0;`
    await assert.rejects(migrateNext('0901_note.sql', failing), /division by zero/)
    await assert.rejects(sql`select note from device_states limit 1`, /does not exist/)
    assert.deepEqual(await migrateNext('0901_note.sql', added), ['0901_note.sql'])
    const [device] = fleet
    await sql`
      update device_states set note = landbridge_note()
      where bucket = ${bucketOf(device!.id)}::smallint and device_id = ${device!.id}`
    const noted = await sql`select note from device_states where note is not null`
    assert.deepEqual([...noted], [{ note: 'a;b' }])
    await sql`select note from history limit 1`
    const [shards] = await sql<[{ failed: number }]>`
      select count(*) filter (where not success)::int as failed
      from run_command_on_shards('history', 'select note from %s limit 0')`
    assert.equal(shards.failed, 0)
    // Messages are stored as before.
    await underLoad(async () => {})
  })

  it('builds an index on every server while others write', async () => {
    const text = '-- no transaction\ncreate index concurrently if not exists states_by_note on device_states (note);'
    const name = '0902_index.sql'
    const all = [...(await readMigrations()), { name: '0901_note.sql', text: '' }, { name, text }]
    assert.deepEqual(await migrate(sql, all, prepareDistribution), [name])
    const [index] = await sql<[{ valid: boolean }]>`
      select indisvalid as valid from pg_index where indexrelid = 'states_by_note'::regclass`
    assert.equal(index.valid, true)
  })
})

type Address = Pick<Placement, 'host' | 'port'>

/** False while a service creates or packs a day, which holds the lock of a move. */
async function move(shard: number, from: Address, to: Address): Promise<boolean> {
  try {
    await sql`
      select citus_move_shard_placement(${shard}::bigint, ${from.host}, ${from.port}::int, ${to.host}, ${to.port}::int)`
    return true
  } catch (error) {
    if (/could not acquire the lock required to move/.test((error as Error).message)) return false
    throw error
  }
}

/** The devices go on meanwhile. */
async function runCommand(command: string): Promise<void> {
  await promisify(execFile)('sh', ['-c', command])
}

function countBy<Item>(items: Item[], keyOf: (item: Item) => string): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(items, keyOf)].map(([key, group]) => [key, group.length]))
}
