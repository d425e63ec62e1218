import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import pino from 'pino'
import { createDatabase } from '../../../test/support/database.ts'
import { until } from '../../../test/support/until.ts'
import { followDatabaseClock } from './clock.ts'
import { openDatabase } from './database/database.ts'

const sql = openDatabase({ url: await createDatabase(), max: 2 })
const log = pino({ level: 'silent' })
after(() => sql.end())

async function distance(now: () => Date): Promise<number> {
  const [row] = await sql<{ at: Date }[]>`select clock_timestamp() as at`
  return Math.abs(now().getTime() - row!.at.getTime())
}

it('decision 3.7: the time is the database’s, whatever this machine’s clock says, before and after it is set', async (t) => {
  let shift = 40 * 86_400_000
  const real = Date.now
  t.mock.method(Date, 'now', () => real() + shift)
  const clock = await followDatabaseClock(sql, log)
  t.after(clock.stop)
  assert.ok((await distance(clock.now)) < 1_000)
  assert.match(clock.problem()!, /960\.0 hours ahead of the database's/)
  // Set right by its owner: noticed by the next question for the time.
  shift = 0
  clock.now()
  await until(async () => clock.problem() === null, 'the clock is right again')
  shift = -120_000
  clock.now()
  await until(async () => clock.problem() !== null, 'the clock is wrong again')
  assert.match(clock.problem()!, /120\.0 seconds behind the database's/)
  assert.ok((await distance(clock.now)) < 1_000)
})

it('decision 3.7: small differences, as NTP leaves them, are accepted', async (t) => {
  const real = Date.now
  t.mock.method(Date, 'now', () => real() + 900)
  const clock = await followDatabaseClock(sql, log)
  t.after(clock.stop)
  assert.equal(clock.problem(), null)
  assert.ok((await distance(clock.now)) < 700)
})
