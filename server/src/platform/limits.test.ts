import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Clock, createDatabase } from '../testing/harness.ts'
import { openDatabase } from './database/database.ts'
import { runJob } from './jobs.ts'
import { type Limits, memoryLimits, postgresLimits, sweepLimits } from './limits.ts'

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
  describe(`8 limits in ${name}`, () => {
    const clock = new Clock()
    const { limits, close } = open(clock)
    const take = async (key: string, times: number, most = 3) => {
      const answers = []
      for (let n = 0; n < times; n += 1) answers.push(await limits.take(key, most))
      return answers.map(Number).join('')
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

    it('of many requests at once exactly as many pass as may', async () => {
      const answers = await Promise.all(Array.from({ length: 500 }, () => limits.take('crowd', 300)))
      assert.equal(answers.filter(Boolean).length, 300)
      // The first to ask are the ones that pass.
      assert.ok(answers.slice(0, 300).every(Boolean))
    })

    after(close)
  })
}

describe('8 limits on two processes', () => {
  it('together they let exactly as many pass as one would, key by key', async () => {
    const worker = fileURLToPath(new URL('../testing/limits-worker.ts', import.meta.url))
    const workers = [fork(worker, [url]), fork(worker, [url])]
    const sums = await Promise.all(workers.map(async (child) => (await once(child, 'message'))[0] as number[]))
    await Promise.all(workers.map((child) => child.exitCode ?? once(child, 'exit')))
    const passed = sums[0]!.map((count, key) => count + sums[1]![key]!)
    assert.deepEqual(passed, [60, 60, 60, 60, 60])
  })

  it('closed windows are swept, open ones stay', async () => {
    const sql = openDatabase({ url, max: 1 })
    await sql`truncate limit_windows`
    const clock = new Clock()
    const limits = postgresLimits(sql, clock.now)
    await limits.take('old', 1)
    clock.forward(60)
    await limits.take('new', 1)
    await runJob(sql, sweepLimits(clock.now))
    assert.deepEqual([...(await sql`select key from limit_windows`)], [{ key: 'new' }])
    await sql.end()
  })
})
