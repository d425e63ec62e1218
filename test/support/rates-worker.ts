// One of several processes that call with the same key; sends its parent how many calls passed.
import pino from 'pino'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { postgresLimits } from '../../server/src/platform/limits.ts'
import { createRates } from '../../server/src/platform/rates.ts'

const sql = openDatabase({ url: process.argv[2]!, max: 4 })
const now = () => new Date()
const rates = createRates({ limits: postgresLimits(sql, now), now, log: pino({ level: 'silent' }) })
const calls = Array.from({ length: 1_000 }, async (_, call) => {
  await new Promise((resolve) => setTimeout(resolve, call % 97))
  return (await rates.take('of many processes', 1_000)).allowed
})
const passed = (await Promise.all(calls)).filter(Boolean).length
await sql.end()
process.send!(passed)
process.disconnect()
