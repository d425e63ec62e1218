import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { createDatabase } from '../../../test/support/database.ts'
import { openDatabase, transaction } from './database/database.ts'
import { createNotifications } from './database/notifications.ts'
import { wakeAfterCommit } from './database/sql.ts'
import { type Job, runJob, type SharedJob, startJobs } from './jobs.ts'

const url = await createDatabase()
const log = pino({ level: 'silent' })
const now = () => new Date()

async function withPools(work: (...pools: ReturnType<typeof openDatabase>[]) => Promise<void>): Promise<void> {
  const pools = [openDatabase({ url, max: 2 }), openDatabase({ url, max: 2 })]
  try {
    await work(...pools)
  } finally {
    await Promise.all(pools.map((pool) => pool.end()))
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let wait = 0; !condition(); wait += 1) {
    if (wait > 1000) assert.fail('waited 10 s in vain')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('decision 3.4: background jobs', () => {
  it('run on one process at a time', () =>
    withPools(async (one, other) => {
      let atWork = 0
      let max = 0
      let runs = 0
      const job: Job = {
        name: 'count',
        everySeconds: 0.001,
        async run(sql) {
          atWork += 1
          max = Math.max(max, atWork)
          await sql`select pg_sleep(0.01)`
          atWork -= 1
          runs += 1
        },
      }
      const first = startJobs({ sql: one!, log, now }, [job])
      const second = startJobs({ sql: other!, log, now }, [job])
      await until(() => runs >= 20)
      await Promise.all([first.stop(), second.stop()])
      assert.equal(max, 1)
    }))

  it('a job that runs elsewhere is skipped, another is not', () =>
    withPools(async (one, other) => {
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      let started = false
      const running = runJob(one!, {
        name: 'slow',
        everySeconds: 1,
        run: async () => {
          started = true
          await held
        },
      })
      await until(() => started)
      const nothing = async () => {}
      assert.equal(await runJob(other!, { name: 'slow', everySeconds: 1, run: nothing }), false)
      assert.equal(await runJob(other!, { name: 'quick', everySeconds: 1, run: nothing }), true)
      release()
      assert.equal(await running, true)
    }))

  it('after an error the next run tries again, and what the failed one wrote is rolled back', () =>
    withPools(async (one) => {
      await one!`create table attempts (n integer)`
      let turn = 0
      const jobs = startJobs({ sql: one!, log, now }, [
        {
          name: 'fails once',
          everySeconds: 0.001,
          async run(sql) {
            turn += 1
            await sql`insert into attempts values (${turn})`
            if (turn === 1) throw new Error('once')
          },
        },
      ])
      await until(() => turn >= 3)
      await jobs.stop()
      const [row] = await one!`select min(n) as first from attempts`
      assert.equal(row!.first, 2)
    }))

  it('stopping waits for the running job and starts no other', () =>
    withPools(async (one) => {
      let finished = 0
      let started = 0
      const jobs = startJobs({ sql: one!, log, now }, [
        {
          name: 'slow',
          everySeconds: 0.001,
          async run(sql) {
            started += 1
            await sql`select pg_sleep(0.2)`
            finished += 1
          },
        },
      ])
      await until(() => started === 1)
      await jobs.stop()
      assert.deepEqual({ started, finished }, { started: 1, finished: 1 })
    }))

  it('decision 3.23 run once per interval, not once per process', () =>
    withPools(async (one, other) => {
      let runs = 0
      const job: SharedJob = {
        name: 'hourly',
        everySeconds: 1,
        async runShared() {
          runs += 1
        },
      }
      const began = performance.now()
      const started = [one, other, one, other].map((sql) => startJobs({ sql: sql!, log, now }, [job]))
      await until(() => runs >= 7)
      const seconds = (performance.now() - began) / 1000
      await Promise.all(started.map((jobs) => jobs.stop()))
      // Four at the start; every second then has one, or two when a claim comes early.
      assert.ok(runs - 4 <= seconds / 0.7 + 1, `${runs} runs in ${seconds} s`)
    }))

  it('decision 3.23 a job with due times sleeps until the next one, on one process; others take over within a second', () =>
    withPools(async (one, other) => {
      let due = Date.now() + 1_500
      const done: { by: string; late: number }[] = []
      const looks = { first: 0, second: 0 }
      const job = (by: 'first' | 'second'): SharedJob => ({
        name: 'due',
        everySeconds: 60,
        async nextDue() {
          looks[by] += 1
          return new Date(due)
        },
        async runShared() {
          if (due > Date.now()) return false
          done.push({ by, late: Date.now() - due })
          due += 1_500
          return true
        },
      })
      const first = startJobs({ sql: one!, log, now }, [job('first')])
      await until(() => done.length === 1)
      const second = startJobs({ sql: other!, log, now }, [job('second')])
      try {
        await until(() => done.length === 3)
        assert.deepEqual(new Set(done.map(({ by }) => by)), new Set(['first']), JSON.stringify(done))
        // Two per due time, one when it starts: nothing in between.
        assert.ok(looks.first <= 8 && looks.second <= 4, JSON.stringify(looks))
        await first.stop()
        await until(() => done.length === 4)
        assert.equal(done[3]!.by, 'second')
        assert.ok(Math.min(...done.map(({ late }) => late)) < 1_000 && done[3]!.late < 1_500, JSON.stringify(done))
      } finally {
        await Promise.all([first.stop(), second.stop()])
      }
    }))

  it('decision 3.23 a job without work is left out, and a notification of this process starts it at once', () =>
    withPools(async (one) => {
      const notifications = createNotifications(one!, log)
      let runs = 0
      let looks = 0
      const job: SharedJob = {
        name: 'woken',
        everySeconds: 0.2,
        wakeHere: 'work',
        async hasWork() {
          looks += 1
          return false
        },
        async runShared() {
          runs += 1
        },
      }
      const jobs = startJobs({ sql: one!, log, now, notifications }, [job])
      await until(() => looks >= 3)
      assert.equal(runs, 1, 'the first')
      await transaction(one!, async (tx) => {
        wakeAfterCommit(tx, 'work')
        throw new Error('undo')
      }).catch(() => {})
      await transaction(one!, async (tx) => {
        wakeAfterCommit(tx, 'work')
        assert.equal(runs, 1)
      })
      await until(() => runs === 2)
      await jobs.stop()
      assert.equal(runs, 2, 'what is rolled back wakes nobody')
    }))
})
