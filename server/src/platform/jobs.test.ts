import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { createDatabase } from '../../../test/support/database.ts'
import { openDatabase } from './database/database.ts'
import { type Job, runJob, startJobs } from './jobs.ts'

const url = await createDatabase()
const log = pino({ level: 'silent' })

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
      const first = startJobs({ sql: one!, log }, [job])
      const second = startJobs({ sql: other!, log }, [job])
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
      const jobs = startJobs({ sql: one!, log }, [
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
      const jobs = startJobs({ sql: one!, log }, [
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
})
