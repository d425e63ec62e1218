// `npm run bench:live [-- --quick]`: ten live streams of the portal on a customer with 10,000 devices that send at a fixed
// rate. How long after its acknowledgement is a message on each stream?
import { openDatabase } from '../server/src/platform/database/database.ts'
import { newId } from '../server/src/platform/secrets/identifiers.ts'
import { digest, hint, mintSecret } from '../server/src/platform/secrets/secrets.ts'
import { createFleet } from './devices/fleet.ts'
import { median, openWorker, spreadOf, startBenchPostgres, startService, toMilliseconds } from './environment.ts'
import type { WatchOrder, WatchReport, WatchTurn } from './live/watchers.ts'
import { type Row, runAlone } from './table.ts'

const size = 10_000
const streams = 10
/** Messages per second: each device every 20 seconds. */
const rate = 500
/** Milliseconds; the tests require that an event comes within this time. */
const limit = 1_000

export async function measure(quick: boolean): Promise<Row[]> {
  const postgres = await startBenchPostgres()
  const url = await postgres.createDatabase()
  const createCustomer = async () => ({ devices: await createFleet(url, size), key: await claimAll(url) })
  const [{ devices, key }, service] = await Promise.all([createCustomer(), startService(url)])
  const order: WatchOrder = { url: service.url, key, devices, streams }
  const watchers = openWorker<WatchTurn, WatchReport>('./live/watchers.ts', order)
  const reports: WatchReport[] = []
  for (let round = 0; round < (quick ? 2 : 6); round += 1) {
    const report = await watchers.run({ warmUpSeconds: 0.5, seconds: quick ? 1 : 5, rate })
    if (report.missing > 0) throw new Error(`${report.missing} events were missing`)
    reports.push(report)
  }
  await watchers.close()
  await service.stop()
  await postgres.stop()
  const middle = (field: keyof WatchReport) => median(reports.map((report) => report[field]))
  const messages = Math.round(middle('messages')).toLocaleString('en')
  const events = Math.round(middle('rate')).toLocaleString('en')
  return [
    {
      what: `${streams} live streams on ${size.toLocaleString('en')} devices, ${messages} messages/s: p99 until the event`,
      ours: `${events} events/s, p50 ${toMilliseconds(middle('p50'))}`,
      peer: `limit: ${limit.toLocaleString('en')} ms`,
      ratio: middle('p99') / limit,
      bar: 1,
      better: 'lower',
      spread: spreadOf(reports.map(({ p99 }) => p99 / limit)),
      p99: `${toMilliseconds(middle('p99'))}, –`,
    },
  ]
}

/** All devices belong to one customer, who has an API key. */
async function claimAll(databaseUrl: string): Promise<string> {
  const sql = openDatabase({ url: databaseUrl, max: 1, statementSeconds: 3_600 })
  const [customerId, key] = [newId(), mintSecret('api_key')]
  await sql`
    insert into customers (id, partner_id, name, created_at) select ${customerId}, id, 'Customer', now() from partners`
  await sql`update devices set customer_id = ${customerId}, name = sn, claimed_at = now()`
  await sql`update device_states set customer_id = ${customerId}`
  await sql`insert into api_keys ${sql({
    ...{ id: newId(), name: 'bench', customer_id: customerId },
    ...{ digest: digest(key), hint: hint(key), created_at: new Date() },
  })}`
  await sql`vacuum analyze`
  await sql.end()
  return key
}

if (import.meta.main) await runAlone(measure)
