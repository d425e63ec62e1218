// `seed.ts <database's URL>`: a release fills a database with what it knows, and prints what the load needs to use it. The
// next release runs this file of the release before: keep its argument and what it prints.
import { createFleet } from '../../bench/devices/fleet.ts'
import { openDatabase } from '../../server/src/platform/database/database.ts'
import { seedGrants } from '../support/seeded-grants.ts'

const url = process.argv[2]!
const fleet = await createFleet(url, 36)
const sql = openDatabase({ url, max: 1 })
const { chains } = await seedGrants(sql, 60, 'ES256')
await sql.end()
console.log(JSON.stringify({ fleet, chains }))
