// One of two processes that count the same five keys; sends its parent how many requests passed for each.
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { postgresLimits } from '../../server/src/platform/limits.ts'

const sql = openDatabase({ url: process.argv[2]!, max: 4 })
const limits = postgresLimits(sql, () => new Date())
const passed = [0, 0, 0, 0, 0]
const requests = Array.from({ length: 1000 }, async (_, n) => {
  const key = n % 5
  // Several turns of the event loop, so that many statements of both processes meet.
  await new Promise((resolve) => setTimeout(resolve, n % 97))
  if (await limits.take(`shared ${key}`, 60)) passed[key]! += 1
})
await Promise.all(requests)
await sql.end()
process.send!(passed)
process.disconnect()
