import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import pino from 'pino'
import { createDatabase } from '../../../test/support/database.ts'
import { Clock } from '../../../test/support/harness.ts'
import { openDatabase } from './database/database.ts'
import { type Limits, memoryLimits, postgresLimits } from './limits.ts'
import { createRates, type Rates } from './rates.ts'

const log = pino({ level: 'silent' })
const url = await createDatabase()

/** Limits that count how often they are asked. */
function watched(limits: Limits): Limits & { asked: number } {
  const counting = { ...limits, asked: 0 }
  counting.takeMany = (...ask) => {
    counting.asked += 1
    return limits.takeMany(...ask)
  }
  return counting
}

async function pass(rates: Rates, key: string, calls: number, max: number): Promise<number> {
  let passed = 0
  for (let call = 0; call < calls; call += 1) if ((await rates.take(key, max)).allowed) passed += 1
  return passed
}

describe('decision 10.23: rates of calls', () => {
  it('exactly the budget passes in a window of a minute, one by one and all at once, and the next window has all of it', async () => {
    const clock = new Clock()
    const rates = createRates({ limits: memoryLimits(clock.now), now: clock.now, log })
    assert.equal(await pass(rates, 'singly', 1_200, 1_000), 1_000)
    assert.equal(await pass(rates, 'few', 7, 3), 3)
    const crowd = await Promise.all(Array.from({ length: 1_500 }, () => rates.take('at once', 1_000)))
    assert.equal(crowd.filter(({ allowed }) => allowed).length, 1_000)
    clock.forward(59.9)
    assert.equal(await pass(rates, 'singly', 2, 1_000), 0)
    clock.forward(0.1)
    assert.equal(await pass(rates, 'singly', 1_200, 1_000), 1_000)
  })

  it('most calls need no statement, and a refused one never does', async () => {
    const clock = new Clock()
    const limits = watched(memoryLimits(clock.now))
    const rates = createRates({ limits, now: clock.now, log })
    await pass(rates, 'sparse', 30, 3_000)
    assert.equal(limits.asked, 0)
    await pass(rates, 'busy', 3_000, 3_000)
    assert.ok(limits.asked < 150, `${limits.asked} statements for 3,000 calls`)
    const used = limits.asked
    assert.equal(await pass(rates, 'busy', 1_000, 3_000), 0)
    assert.ok(limits.asked <= used + 1)
  })

  it('says what is left and when there is more, and tells once that it is near and once that it is used up', async () => {
    const clock = new Clock()
    const rates = createRates({ limits: memoryLimits(clock.now), now: clock.now, log })
    assert.deepEqual(await rates.take('told', 10), { allowed: true, max: 10, remaining: 9, seconds: 60, reached: null })
    clock.forward(17.5)
    const reached = []
    for (let call = 0; call < 12; call += 1) reached.push((await rates.take('told', 10)).reached)
    assert.deepEqual(
      reached.filter((notice) => notice !== null),
      ['near', 'refused'],
    )
    const refused = await rates.take('told', 10)
    assert.deepEqual(refused, { allowed: false, max: 10, remaining: 0, seconds: 43, reached: null })
  })

  it('a clock that is set back or forward refuses nobody for longer than a window', async () => {
    const clock = new Clock()
    const rates = createRates({ limits: memoryLimits(clock.now), now: clock.now, log })
    assert.equal(await pass(rates, 'jumps', 5, 3), 3)
    clock.forward(-3_600)
    assert.equal(await pass(rates, 'jumps', 5, 3), 3)
    clock.forward(7_200)
    assert.equal(await pass(rates, 'jumps', 5, 3), 3)
  })

  it('a count that cannot be asked lets calls pass', async () => {
    const clock = new Clock()
    const limits = { ...memoryLimits(clock.now), takeMany: () => Promise.reject(new Error('unreachable')) }
    const rates = createRates({ limits, now: clock.now, log })
    assert.equal(await pass(rates, 'open', 50, 3), 50)
    const crowd = await Promise.all(Array.from({ length: 100 }, () => rates.take('crowd', 3)))
    assert.ok(crowd.every(({ allowed }) => allowed))
  })

  const sql = openDatabase({ url, max: 2 })
  after(() => sql.end())

  it('two that share Postgres let pass the budget together, and each at most a hundredth more', async () => {
    const clock = new Clock()
    const pair = [0, 1].map(() => createRates({ limits: postgresLimits(sql, clock.now), now: clock.now, log }))
    const passed = await Promise.all(pair.map((rates) => pass(rates, 'pair', 900, 1_000)))
    const sum = passed[0]! + passed[1]!
    assert.ok(sum >= 1_000 && sum <= 1_020, `${passed}`)
    // A process that comes when the budget is used up.
    const late = createRates({ limits: postgresLimits(sql, clock.now), now: clock.now, log })
    assert.equal(await pass(late, 'pair', 100, 1_000), 10)
  })

  it('four processes at once let pass the budget together', async () => {
    const worker = fileURLToPath(new URL('../../../test/support/rates-worker.ts', import.meta.url))
    const workers = Array.from({ length: 4 }, () => fork(worker, [url]))
    const passed = await Promise.all(workers.map(async (child) => (await once(child, 'message'))[0] as number))
    await Promise.all(workers.map((child) => child.exitCode ?? once(child, 'exit')))
    const sum = passed.reduce((total, count) => total + count, 0)
    assert.ok(sum >= 1_000 && sum <= 1_040, `${passed}`)
  })
})
