// Eight real processes, all in one or in two cells of four: `npm run bench:cells [-- --rate 1000 --seconds 6]`. Single
// messages over HTTP at a fixed rate; the services themselves count messages per statement (/metrics). Exits non-zero
// when cells have less than ten times as many.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { bucketOf } from '../server/src/devices/bucket.ts'
import { openDatabase } from '../server/src/platform/database/database.ts'
import { cleanUpAll, cleanUpWhenInterrupted } from './clean-up.ts'
import { createFleet, singleRequest } from './devices/fleet.ts'
import { operatorKey, portOf, startBenchPostgres, startFlags, startService } from './environment.ts'
import { busyMilliseconds, openFixedRate, tooBusy } from './scale/fixed-rate.ts'

const { values } = parseArgs({
  options: { rate: { type: 'string', default: '1000' }, seconds: { type: 'string', default: '6' } },
})
const rate = Number(values.rate)
const seconds = Number(values.seconds)
const fleetSize = 1_000
const connectionsPerProcess = 16
const bar = 10

cleanUpWhenInterrupted()
const postgres = await startBenchPostgres({ max_connections: '300' })
const without = await measure('eight processes without cells', [{ LANDBRIDGE_PROCESSES: '8' }])
const cells = ['a', 'b'].map((cell) => ({ LANDBRIDGE_PROCESSES: '4', LANDBRIDGE_CELL: cell }))
const within = await measure('two cells of four processes', cells)
await cleanUpAll()
const ratio = within.size / without.size
console.log(`\nMessages per statement: ${ratio.toFixed(1)}× (bar: ${bar}×)`)
if (without.p50 > busyMilliseconds) console.log(tooBusy)
process.exit(ratio >= bar ? 0 : 1)

async function measure(what: string, starts: Record<string, string>[]): Promise<{ size: number; p50: number }> {
  const url = await postgres.createDatabase()
  const fleet = await createFleet(url, fleetSize)
  const services = []
  for (const environment of starts) services.push(await startService(url, startFlags, environment))
  const loads = services.map((service) => {
    return openFixedRate(portOf(service.url), (connectionsPerProcess * 8) / services.length)
  })
  const cellOf = services.length > 1 ? await divideBuckets(url, services[0]!.url) : () => 'a'
  const requests = fleet.map((device) => ({
    request: singleRequest(device),
    load: loads[cellOf(device.id) === 'a' ? 0 : 1]!,
  }))

  async function send(duration: number): Promise<number[]> {
    const began = performance.now()
    const all = rate * duration
    for (let sent = 0; sent < all; await sleep(1)) {
      const due = Math.min(all, Math.floor(((performance.now() - began) * rate) / 1000))
      for (; sent < due; sent += 1) {
        const { request, load } = requests[sent % requests.length]!
        load.send(request)
      }
    }
    return (await Promise.all(loads.map((load) => load.settled()))).flat()
  }

  await send(3)
  const urls = services.map((service) => service.url)
  const before = await countStatements(urls)
  const times = (await send(seconds)).toSorted((one, other) => one - other)
  const after = await countStatements(urls)
  for (const load of loads) load.close()
  for (const service of services) await service.stop()
  const [messages, statements] = [after.messages - before.messages, after.statements - before.statements]
  if (messages !== times.length) throw new Error(`${times.length} messages were acknowledged, and ${messages} stored`)
  const quantile = (part: number) => times[Math.floor(times.length * part)]!.toFixed(0)
  const size = messages / statements
  console.log(
    `${what}: ${messages} messages in ${statements} statements, ${size.toFixed(1)} per statement, ` +
      `p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms`,
  )
  return { size, p50: Number(quantile(0.5)) }
}

/** As an operator does; the first cell has every bucket until then. Returns the cell of a device. */
async function divideBuckets(databaseUrl: string, serviceUrl: string): Promise<(deviceId: string) => string> {
  const response = await fetch(`${serviceUrl}/core/v1/operator/hub-cells/rebalance`, {
    method: 'POST',
    headers: { authorization: operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_over_seconds: 0 }),
  })
  if (!response.ok) throw new Error(await response.text())
  const sql = openDatabase({ url: databaseUrl, max: 1 })
  const rows = await sql<{ bucket: number; cell: string }[]>`select bucket, cell from cell_buckets`
  await sql.end()
  const cells = new Map(rows.map(({ bucket, cell }) => [bucket, cell]))
  // The processes read the map again within a moment.
  await sleep(2_000)
  return (deviceId) => cells.get(bucketOf(deviceId))!
}

/** Of all processes: each start adds up its own. */
async function countStatements(urls: string[]): Promise<{ messages: number; statements: number }> {
  const sums = { messages: 0, statements: 0 }
  for (const url of urls) {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: operatorKey } })
    const text = await response.text()
    const read = (name: string) =>
      Number(new RegExp(`^landbridge_ingest_batch_messages_${name} (.+)$`, 'm').exec(text)![1])
    sums.messages += read('sum')
    sums.statements += read('count')
  }
  return sums
}
