import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createDatabase } from '../../../test/support/database.ts'
import { Clock } from '../../../test/support/harness.ts'
import { holdLocks, untilWaiting } from '../../../test/support/locks.ts'
import { openDatabase } from './database/database.ts'
import { runJob } from './jobs.ts'
import { deleteClosedWindowsJob, type Limits, memoryLimits, postgresLimits } from './limits.ts'

const url = await createDatabase()

const stores: [string, (clock: Clock) => { limits: Limits; close(): Promise<void> }][] = [
  ['memory', (clock) => ({ limits: memoryLimits(clock.now), close: async () => {} })],
  [
    'Postgres',
    (clock) => {
      const sql = openDatabase({ url, max: 2 })
      return { limits: postgresLimits(sql, clock.now), close: () => sql.end() }
    },
  ],
]

for (const [name, open] of stores) {
  describe(`contract 8: limits in ${name}`, () => {
    const clock = new Clock()
    const { limits, close } = open(clock)
    const take = async (key: string, times: number, max = 3) => {
      const results = []
      for (let n = 0; n < times; n += 1) results.push(await limits.take(key, max))
      return results.map(Number).join('')
    }

    it('the window starts at the first request and is 60 s long; refused requests count', async () => {
      assert.equal(await take('a', 5), '11100')
      clock.forward(59.999)
      assert.equal(await take('a', 1), '0')
      clock.forward(0.001)
      assert.equal(await take('a', 4), '1110')
    })

    it('keys are counted apart, however long', async () => {
      const long = 'x'.repeat(10_000)
      assert.equal(await take(`${long}1`, 4), '1110')
      assert.equal(await take(`${long}2`, 4), '1110')
    })

    it('of many requests at once exactly the allowed number pass', async () => {
      const results = await Promise.all(Array.from({ length: 500 }, () => limits.take('crowd', 300)))
      assert.equal(results.filter(Boolean).length, 300)
      // The first to ask are the ones that pass.
      assert.ok(results.slice(0, 300).every(Boolean))
    })

    it('a request that is given back does not count, and no count is negative', async () => {
      assert.equal(await take('failures', 3), '111')
      await limits.giveBack('failures')
      assert.equal(await take('failures', 2), '10')
      for (let n = 0; n < 9; n += 1) await limits.giveBack('failures')
      assert.equal(await take('failures', 4), '1110')
      await limits.giveBack('never counted')
      clock.forward(60)
      await limits.giveBack('failures')
      assert.equal(await take('failures', 4), '1110')
    })

    it('of many requests counted at once as many are granted as are left, and when more will be is known', async () => {
      const opened = clock.now().getTime()
      const takeMany = async (wanted: number) => {
        const { granted, closesAt } = await limits.takeMany('many', wanted, 10)
        return [granted, closesAt.getTime() - opened]
      }
      assert.deepEqual(await takeMany(4), [4, 60_000])
      clock.forward(20)
      assert.deepEqual(await takeMany(9), [6, 60_000])
      assert.deepEqual(await takeMany(1), [0, 60_000])
      clock.forward(40)
      assert.deepEqual(await takeMany(1_000), [10, 120_000])
      const crowd = await Promise.all(Array.from({ length: 50 }, () => limits.takeMany('many at once', 7, 60)))
      assert.equal(
        crowd.reduce((sum, { granted }) => sum + granted, 0),
        60,
      )
    })

    it('asking whether a limit is used up counts nothing', async () => {
      const isUsedUp = () => limits.isUsedUp('asked', 3)
      assert.equal(await isUsedUp(), false)
      await take('asked', 2)
      assert.equal(await isUsedUp(), false)
      await take('asked', 1)
      assert.equal(await isUsedUp(), true)
      clock.forward(60)
      assert.equal(await isUsedUp(), false)
    })

    it('a clock that is set back opens a new window, and one that differs by a second does not', async () => {
      assert.equal(await take('set back', 4), '1110')
      clock.forward(-1)
      assert.equal(await take('set back', 1), '0')
      clock.forward(-3_600)
      assert.equal(await limits.isUsedUp('set back', 3), false)
      assert.equal(await take('set back', 4), '1110')
      clock.forward(3_601)
    })

    after(close)
  })
}

describe('decision 3.3: limits on two processes', () => {
  it('together they let pass exactly as many as one would, per key', async () => {
    const worker = fileURLToPath(new URL('../../../test/support/limits-worker.ts', import.meta.url))
    const workers = [fork(worker, [url]), fork(worker, [url])]
    const sums = await Promise.all(workers.map(async (child) => (await once(child, 'message'))[0] as number[]))
    await Promise.all(workers.map((child) => child.exitCode ?? once(child, 'exit')))
    const passed = sums[0]!.map((count, key) => count + sums[1]![key]!)
    assert.deepEqual(passed, [60, 60, 60, 60, 60])
  })

  it('closed windows are deleted, open ones stay', async () => {
    const sql = openDatabase({ url, max: 1 })
    await sql`truncate limit_windows`
    const clock = new Clock()
    const limits = postgresLimits(sql, clock.now)
    await limits.take('old', 1)
    clock.forward(60)
    await limits.take('new', 1)
    await runJob(sql, deleteClosedWindowsJob({ sql, now: clock.now }))
    assert.deepEqual([...(await sql`select key from limit_windows`)], [{ key: 'new' }])
    await sql.end()
  })

  it('a statement deletes no more than its batch, even in the plan that Postgres chooses for a tiny table', async () => {
    const sql = openDatabase({ url, max: 1 })
    const { now } = new Clock()
    await sql`truncate limit_windows`
    for (const plan of ['hashjoin', 'mergejoin', 'material', 'hashagg', 'sort', 'memoize'])
      await sql.unsafe(`set enable_${plan} = off`)
    await sql`
      insert into limit_windows select 'key ' || n, ${now()}::timestamptz - interval '1 hour' + n * interval '1 second', 1
      from generate_series(1, 1500) n`
    await sql`create table swept (statement integer generated always as identity, rows bigint)`
    await sql`
      create function count_swept() returns trigger language plpgsql as
      $$ begin insert into swept (rows) select count(*) from gone; return null; end $$`
    await sql`
      create trigger count_swept after delete on limit_windows
      referencing old table as gone for each statement execute function count_swept()`
    await runJob(sql, deleteClosedWindowsJob({ sql, now }))
    const rows = await sql<{ rows: number }[]>`select rows::int as rows from swept order by statement`
    assert.deepEqual(
      rows.map((row) => row.rows),
      [1000, 500],
    )
    await sql`drop trigger count_swept on limit_windows`
    await sql.end()
  })

  it('a key of a deleted batch can be counted while the job goes on', async () => {
    const sql = openDatabase({ url, max: 4 })
    const { now } = new Clock()
    await sql`truncate limit_windows`
    await sql`
      insert into limit_windows select 'key ' || n, ${now()}::timestamptz - interval '1 hour' + n * interval '1 second', 1
      from generate_series(1, 1001) n`
    // The second batch stops at its only row.
    await sql`
      create function wait() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(1); return old; end $$`
    await sql`
      create trigger wait before delete on limit_windows for each row when (old.key = 'key 1001') execute function wait()`
    const release = await holdLocks(sql, (hold) => hold`select pg_advisory_xact_lock(1)`)
    const sweep = runJob(sql, deleteClosedWindowsJob({ sql, now }))
    await untilWaiting(sql)
    assert.equal(await Promise.race([postgresLimits(sql, now).take('key 1', 1), sleep(5_000)]), true)
    await release()
    await sweep
    await sql.end()
  })
})
